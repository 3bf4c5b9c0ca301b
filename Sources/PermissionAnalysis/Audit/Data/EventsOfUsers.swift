// How many users have how many events, and who has the most of them.

import Folding
import PermissionEvents

/// Users by their number of events. Numbers that differ add up to the events of a log, so that there are few: of a billion
/// events some ten thousand.
struct EventsOfUsers: Sendable, Equatable {
  private(set) var users: [Int64: Int64] = [:]
  /// If they were asked for: ids with more events than anybody can have unless a shared id is possible, those with the most
  /// first, those with as many in the log's order.
  private(set) var largest: [(id: [UInt8], events: Int64)] = []
  /// How many ids are kept.
  private(set) var room = 0

  /// An id is one that many share if it has more events than so many times the median.
  static let timesMedian: Int64 = 1000
  /// Numbers of events that a file may name: those of more events than there will be.
  private static let mostNumbers = 1 << 22

  /// - Parameter room: how many ids are kept.
  init(room: Int = 0) { self.room = min(max(room, 0), AuditQuestion.mostExamples) }

  static func == (a: Self, b: Self) -> Bool {
    a.users == b.users && a.room == b.room && a.largest.elementsEqual(b.largest, by: ==)
  }

  mutating func add(_ count: Int64, usersOf events: Int64) throws(SumsError) {
    users[events] = try CheckedSum.add(users[events] ?? 0, count)
  }

  /// True if a user with so many events belongs to those that are kept, as far as the number tells.
  func mayKeep(_ events: Int64) -> Bool {
    guard room > 0, events > Self.timesMedian else { return false }
    return largest.count < room || events >= largest.last?.events ?? 0
  }

  mutating func keep(_ id: [UInt8], _ events: Int64) {
    guard mayKeep(events) else { return }
    let place = largest.firstIndex { Self.isBefore((id, events), $0) } ?? largest.count
    largest.insert((id, events), at: place)
    if largest.count > room { largest.removeLast() }
  }

  private static func isBefore(_ a: (id: [UInt8], events: Int64), _ b: (id: [UInt8], events: Int64)) -> Bool {
    if a.events != b.events { return a.events > b.events }
    let (left, right) = (a.id.withUnsafeBytes(UserHash.of), b.id.withUnsafeBytes(UserHash.of))
    return left == right ? a.id.lexicographicallyPrecedes(b.id) : left < right
  }

  mutating func add(_ other: EventsOfUsers) throws(SumsError) {
    for (events, count) in other.users { try add(count, usersOf: events) }
    room = max(room, other.room)
    for user in other.largest { keep(user.id, user.events) }
  }
}

extension EventsOfUsers {
  var count: Int64 { users.values.reduce(0, CheckedSum.bounded) }

  /// The number of events of the median user: of an even number of users the lower middle.
  var median: Int64 {
    let middle = (count + 1) / 2
    var before: Int64 = 0
    for (events, count) in users.sorted(by: { $0.key < $1.key }) {
      before = CheckedSum.bounded(before, count)
      if before >= middle { return events }
    }
    return 0
  }

  /// The events of the user with the most.
  var most: Int64 { users.keys.max() ?? 0 }

  /// Users with more than a thousand times the events of the median one.
  var sharing: Int64 {
    let limit = median * Self.timesMedian
    return users.reduce(0) { $1.key > limit ? CheckedSum.bounded($0, $1.value) : $0 }
  }

  /// The ids of such users, as far as they are kept.
  var examples: [[UInt8]] {
    let limit = median * Self.timesMedian
    return largest.filter { $0.events > limit }.map(\.id)
  }

  private static let emptyUsers = SumTable("events_of_users", keys: ["events"], columns: ["users"])
  /// The row without an id is how many are kept.
  private static let emptyLargest = SumTable("largest_users", keys: ["user"], columns: ["events"])

  var tables: [SumTable] {
    var table = Self.emptyUsers
    for (events, count) in users { table.setRow([Array(String(events).utf8)], SumTable.Row([count])) }
    var ids = Self.emptyLargest
    if room > 0 { ids.setRow([nil], SumTable.Row([Int64(room)])) }
    for user in largest { ids.setRow([user.id], SumTable.Row([user.events])) }
    return [table, ids]
  }

  init(_ tables: [SumTable]) throws(SumsError) {
    let rows = try tables.table(like: Self.emptyUsers).rows
    guard rows.count <= Self.mostNumbers else { throw SumsError(.damaged, "table events_of_users has too many rows") }
    for (key, row) in rows {
      guard let text = key[0], let events = Int64(String(decoding: text, as: UTF8.self)),
        (1...SumKeys.mostUsers).contains(events), Array(String(events).utf8) == text
      else { throw SumsError(.damaged, "table events_of_users has a key that is no number of events") }
      users[events] = try SumKeys.journeys(row[0])
    }
    let ids = try tables.table(like: Self.emptyLargest).rows
    let kept = ids[[nil]]?[0] ?? 0
    guard (0...Int64(AuditQuestion.mostExamples)).contains(kept), ids.count <= Int(kept) + (kept > 0 ? 1 : 0) else {
      throw SumsError(.damaged, "table largest_users has more ids than it keeps")
    }
    room = Int(kept)
    for (key, row) in ids where key != [nil] {
      let (id, events) = (try SumKeys.present(key[0]), row[0])
      guard events > Self.timesMedian, users[events] ?? 0 > 0 else {
        throw SumsError(.damaged, "table largest_users has a user with events that no user has")
      }
      keep(id, events)
    }
  }
}
