// One user's events, sorted out by permission, and those of one journey. Reused from user to user.

import Buffers
import PermissionEvents

/// Rows of a user's events of each permission, in the log's order.
struct PermissionRows: ~Copyable {
  /// By permission code the number of its list plus one; 0 without one.
  private let lists: Buffer<Int32>
  private(set) var permissions = Buffer<UInt32>()
  private var heads = Buffer<Int32>()
  private var tails = Buffer<Int32>()
  private var next = Buffer<Int32>(capacity: 1024)

  init(permissionCount: Int) { lists = Buffer(repeating: 0, count: permissionCount) }

  /// Makes room for a user with a number of rows.
  mutating func begin(rows: Int) {
    for i in 0..<permissions.count { lists[Int(permissions[i])] = 0 }
    permissions.removeAll()
    heads.removeAll()
    tails.removeAll()
    next.extend(to: rows, repeating: -1)
  }

  @inline(__always)
  mutating func add(row: Int, permission: UInt32) {
    let row32 = Int32(truncatingIfNeeded: row)
    next[row] = -1
    let list = Int(lists[Int(permission)]) - 1
    if list >= 0 {
      next[Int(tails[list])] = row32
      tails[list] = row32
    } else {
      permissions.append(permission)
      heads.append(row32)
      tails.append(row32)
      lists[Int(permission)] = Int32(truncatingIfNeeded: permissions.count)
    }
  }

  /// Sorts out the first events of a user.
  @inline(__always)
  mutating func fill(_ count: Int, _ codes: UnsafePointer<UInt32>, _ permissionOfContext: borrowing Buffer<UInt32>) {
    begin(rows: count)
    let permissions = permissionOfContext.unsafeAddress
    for i in 0..<count { add(row: i, permission: permissions[Int(codes[i] >> HistoryBatch.contextShift)]) }
  }

  /// First row of list number `list`; -1 after the last.
  @inline(__always) func first(_ list: Int) -> Int { Int(heads[list]) }
  @inline(__always) func row(after row: Int) -> Int { Int(next[row]) }
}

/// Goes over the journeys of users, one user after the other. Owned by one thread.
final class UserJourneys {
  private let permissionOfContext: Buffer<UInt32>
  private var rows: PermissionRows
  private var journeyRows = JourneyRows()

  init(_ contexts: HistoryContexts) {
    permissionOfContext = contexts.permissionsOfContexts()
    rows = PermissionRows(permissionCount: contexts.permissions.count)
  }

  /// - Parameters:
  ///   - count: of the user's events that are looked at.
  ///   - body: gets the events of a journey, the code of its permission, and by event its number among the user's. All are valid for the call.
  @inline(__always)
  func forEach(
    _ count: Int, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>,
    _ body: (_ events: EventList, _ permission: UInt32, _ numbers: UnsafePointer<Int>) -> Void
  ) {
    rows.fill(count, codes, permissionOfContext)
    // Events of no permission, as installs are, have code 0.
    for list in 0..<rows.permissions.count where rows.permissions[list] != 0 {
      journeyRows.fill(list, of: rows, times, codes)
      body(journeyRows.events, rows.permissions[list], journeyRows.rowNumbers)
    }
  }
}

struct JourneyRows: ~Copyable {
  private var times = Buffer<Milliseconds>(capacity: 256)
  private var codes = Buffer<UInt32>(capacity: 256)
  /// The number of each event among the user's events of permissions.
  private var rows = Buffer<Int>(capacity: 256)

  mutating func removeAll() {
    times.removeAll()
    codes.removeAll()
    rows.removeAll()
  }

  @inline(__always)
  mutating func append(time: Milliseconds, code: UInt32, row: Int) {
    times.append(time)
    codes.append(code)
    rows.append(row)
  }

  /// Takes the events of one list in the place of those that were there.
  /// - Parameters:
  ///   - list: number of the list in `rows`.
  ///   - times: of all of the user's events, as `codes`.
  @inline(__always)
  mutating func fill(
    _ list: Int, of rows: borrowing PermissionRows, _ times: UnsafePointer<Milliseconds>,
    _ codes: UnsafePointer<UInt32>
  ) {
    removeAll()
    var row = rows.first(list)
    while row >= 0 {
      append(time: times[row], code: codes[row], row: row)
      row = rows.row(after: row)
    }
  }

  /// By number of an event in the journey its number among the user's events of permissions. Valid until the next change.
  var rowNumbers: UnsafePointer<Int> { UnsafePointer(rows.unsafeAddress) }

  /// Valid until the next change.
  var events: EventList { EventList(times: times.unsafeAddress, codes: codes.unsafeAddress, count: times.count) }
}
