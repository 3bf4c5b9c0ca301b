// One user's events by permission, and the events of one journey. Reused from user to user.

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

  /// Replaces the events by those of one list.
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

// MARK: One user's events of permissions as bits, if they are few enough for a word, as nearly always
// Reused from user to user.

/// Which of a user's events belong to which permission, and which are of which kinds.
struct PermissionBits: ~Copyable {
  static let mostEvents = 64

  /// By permission code; 0 if it has no events that were not taken.
  private let members: Buffer<UInt64>
  private let permissions: Buffer<UInt32>
  private(set) var permissionCount = 0
  /// By kind, then by `KindSet`.
  private let kinds = Buffer<UInt64>(repeating: 0, count: 16)
  private let sets = Buffer<UInt64>(repeating: 0, count: 16)

  init(permissionCount: Int) {
    members = Buffer(repeating: 0, count: permissionCount)
    permissions = Buffer(repeating: 0, count: Self.mostEvents + 1)
  }

  @inline(__always) func permission(_ number: Int) -> UInt32 { permissions[number] }

  /// Events are written in locals of the loop that goes over them.
  struct Writer {
    fileprivate let members: UnsafeMutablePointer<UInt64>
    fileprivate let permissions: UnsafeMutablePointer<UInt32>
    fileprivate let kinds: UnsafeMutablePointer<UInt64>
    fileprivate var permissionCount = 0

    /// - Parameter number: of the event, below `mostEvents`.
    @inline(__always)
    mutating func add(_ number: Int, kind: Int, permission: UInt32) {
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number & 63)
      kinds[kind] |= bit
      let before = members[Int(permission)]
      members[Int(permission)] = before | bit
      permissions[permissionCount] = permission
      permissionCount &+= before == 0 ? 1 : 0
    }
  }

  @inline(__always)
  func begin() -> Writer {
    kinds.unsafeAddress.update(repeating: 0, count: 16)
    return Writer(members: members.unsafeAddress, permissions: permissions.unsafeAddress, kinds: kinds.unsafeAddress)
  }

  @inline(__always)
  mutating func end(_ writer: Writer, _ codes: UnsafePointer<UInt32>) {
    permissionCount = writer.permissionCount
    let kinds = kinds.unsafeAddress
    let grants = kinds[Int(KindCode.granted)] | kinds[Int(KindCode.reEnabled)]
    let denied = kinds[Int(KindCode.denied)]
    let prompts = kinds[Int(KindCode.promptShown)]
    let revoked = kinds[Int(KindCode.revoked)]
    let checked = kinds[Int(KindCode.statusChecked)] | kinds[Int(KindCode.call)]
    let skipped = kinds[Int(KindCode.skipped)]
    var (foundOn, foundOff) = (grants, revoked)
    // The states found by checks. Most users have none.
    var checks = checked
    while checks != 0 {
      let check = checks.trailingZeroBitCount
      let bit = checks & (0 &- checks)
      if CheckedStatus.isOn(codes[check]) { foundOn |= bit }
      if CheckedStatus.isDenied(codes[check]) { foundOff |= bit }
      checks ^= bit
    }
    var refusals = skipped
    var skips = skipped
    while skips != 0 {
      if CheckedStatus.isUndetermined(codes[skips.trailingZeroBitCount]) { refusals ^= skips & (0 &- skips) }
      skips &= skips &- 1
    }
    let sets = sets.unsafeAddress
    let screens = kinds[Int(KindCode.explanationShown)] | prompts
    sets[KindSet.screens.rawValue] = screens
    sets[KindSet.prompts.rawValue] = prompts
    sets[KindSet.answers.rawValue] = grants | denied | skipped
    sets[KindSet.settingsPrompts.rawValue] = kinds[Int(KindCode.settingsPromptShown)]
    sets[KindSet.settingsOpened.rawValue] = kinds[Int(KindCode.settingsOpened)]
    sets[KindSet.telling.rawValue] = grants | denied | revoked | checked
    sets[KindSet.foundOn.rawValue] = foundOn
    sets[KindSet.foundOff.rawValue] = foundOff
    sets[KindSet.enablingEvidence.rawValue] = kinds[Int(KindCode.reEnabled)] | checked
    sets[KindSet.revokingEvidence.rawValue] = revoked | checked
    sets[KindSet.checks.rawValue] = checked
    sets[KindSet.exposing.rawValue] = screens | refusals
    sets[KindSet.unseenPrompts.rawValue] = kinds[Int(KindCode.unseenPrompt)]
    sets[KindSet.explanations.rawValue] = kinds[Int(KindCode.explanationShown)]
    sets[KindSet.decisions.rawValue] = grants | denied
    sets[KindSet.results.rawValue] = kinds[Int(KindCode.granted)] | denied | skipped
  }

  @inline(__always) func contains(_ kinds: KindSet) -> Bool { sets[kinds.rawValue] != 0 }

  @inline(__always) func events(ofKind kind: UInt8) -> UInt64 { kinds[Int(kind)] }

  /// The events of a permission, which are then no longer here. Valid until the next user.
  @inline(__always)
  func takeEvents(
    of permission: UInt32, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>
  ) -> EventBits {
    let events = EventBits(times: times, codes: codes, members: members[Int(permission)], ofKinds: sets.unsafeAddress)
    members[Int(permission)] = 0
    return events
  }
}
