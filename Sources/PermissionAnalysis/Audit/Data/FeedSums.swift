// What an audit counts of the data themselves, of all users and without filters.

import Folding
import PermissionEvents

/// Events by day and where they came from, and users by their number of events.
struct FeedSums: SumsOfParts, Equatable {
  static var layout: SumsLayout<Self> {
    [.part(\.eventsOfUsers), .part(\.kinds), .part(\.platforms), .part(\.versions)]
  }

  var eventsOfUsers = EventsOfUsers()
  var kinds = DaySums("feed_kinds", key: "kind", column: "events", most: AuditLimits.daysOfFeeds)
  var platforms = DaySums("feed_platforms", key: "platform", column: "events", most: AuditLimits.daysOfFeeds)
  var versions = DaySums("feed_versions", key: "app_version", column: "events", most: AuditLimits.daysOfFeeds)

  init() {}

  /// Users with an event up to as_of.
  var users: Int64 { eventsOfUsers.count }

  /// Throws if tables contradict each other, as tables from a file may.
  func checkCounts() throws(SumsError) {
    guard users <= SumKeys.mostUsers else {
      throw SumsError(.overflow, "there are too many users")
    }
    let known = Set(SumKeys.words(EventKind.names))
    guard !kinds.areTooMany, kinds.counts.keys.allSatisfy(known.contains) else {
      throw SumsError(.damaged, "table feed_kinds has a kind that this version does not know")
    }
    let all = kinds.all
    for (name, feed) in [("feed_platforms", platforms), ("feed_versions", versions)] {
      guard feed.all.allSatisfy({ $0.value <= all[$0.key] ?? 0 }) else {
        throw SumsError(.damaged, "table \(name) has more events on a day than table feed_kinds")
      }
    }
    var (events, total): (Int64, Int64) = (0, 0)
    for (number, count) in eventsOfUsers.users {
      let (product, isOver) = number.multipliedReportingOverflow(by: count)
      guard !isOver else { throw SumsError(.overflow, "a sum is larger than 2^62") }
      events = try CheckedSum.add(events, product)
    }
    for count in all.values { total = try CheckedSum.add(total, count) }
    guard events == total else {
      throw SumsError(.damaged, "table events_of_users does not have the same number of events as table feed_kinds")
    }
    for count in Set(eventsOfUsers.largest.map(\.events)) {
      let ids = eventsOfUsers.largest.count { $0.events == count }
      guard ids <= eventsOfUsers.users(of: count) else {
        throw SumsError(.damaged, "table largest_users has more users than table events_of_users")
      }
    }
  }
}

/// Users by their number of events. Different numbers add up to the events of the log, so there are few: some ten
/// thousand for a billion events.
struct EventsOfUsers: SumsPart, Equatable {
  private var numbers = CountTable<EventNumber, Int64>("events_of_users", columns: ["users"], most: mostNumbers)
  /// If they were asked for: ids with more events than anybody can have unless a shared id is possible, those with the most
  /// first, those with as many in the log's order.
  private(set) var largest: [Largest] = []
  /// How many ids are kept.
  private(set) var room = 0

  struct Largest: Equatable {
    let user: ExampleUser
    let events: Int64
  }

  /// An id counts as shared if it has more events than this many times the median.
  static let timesMedian: Int64 = 1000
  /// The most different numbers of events in a file: more than any log has.
  private static let mostNumbers = 1 << 22

  init(room: Int = 0) { self.room = min(max(room, 0), AuditQuestion.mostExamples) }

  mutating func add(_ count: Int64, usersOf events: Int64) throws(SumsError) {
    try numbers.add(count, to: EventNumber(events: events))
  }

  /// Whether a user with this many events may be among the kept users, judged by the number alone.
  func mayKeep(_ events: Int64) -> Bool {
    guard room > 0, events > Self.timesMedian else { return false }
    return largest.count < room || events >= largest.last?.events ?? 0
  }

  mutating func keep(_ id: [UInt8], _ events: Int64) {
    guard mayKeep(events) else { return }
    let user = ExampleUser(id)
    let place = largest.firstIndex { $0.events == events ? user < $0.user : $0.events < events } ?? largest.count
    largest.insert(Largest(user: user, events: events), at: place)
    if largest.count > room { largest.removeLast() }
  }

  mutating func add(_ other: EventsOfUsers) throws(SumsError) {
    try numbers.add(other.numbers)
    room = max(room, other.room)
    for one in other.largest { keep(one.user.id, one.events) }
  }
}

extension EventsOfUsers {
  var count: Int64 { numbers.rows.values.reduce(0, CheckedSum.bounded) }

  /// The number of events of the median user: of an even number of users the lower middle.
  var median: Int64 {
    let middle = (count + 1) / 2
    var before: Int64 = 0
    for (events, count) in users.sorted(by: { $0.events < $1.events }) {
      before = CheckedSum.bounded(before, count)
      if before >= middle { return events }
    }
    return 0
  }

  /// The events of the user with the most.
  var most: Int64 { users.map(\.events).max() ?? 0 }

  /// Users with more than a thousand times the events of the median one.
  var sharing: Int64 {
    let limit = median * Self.timesMedian
    return users.reduce(0) { $1.events > limit ? CheckedSum.bounded($0, $1.count) : $0 }
  }

  var examples: [[UInt8]] {
    let limit = median * Self.timesMedian
    return largest.filter { $0.events > limit }.map(\.user.id)
  }

  var users: some Sequence<(events: Int64, count: Int64)> { numbers.rows.lazy.map { ($0.key.events, $0.value) } }

  func users(of events: Int64) -> Int64 { numbers[EventNumber(events: events)] ?? 0 }
}

// MARK: Tables

private struct EventNumber: SumKey {
  var events: Int64 = 0

  mutating func visit(_ parts: inout KeyParts) {
    parts.part("events", &events, { Array(String($0).utf8) }) { part in
      let events = part.flatMap { Int64(String(bounded: $0)) }
      return events.flatMap { (1...SumKeys.mostUsers).contains($0) && Array(String($0).utf8) == part ? $0 : nil }
    }
  }
}

extension EventsOfUsers {
  /// The row without an id is how many are kept.
  private static let ids = TableShape(
    "largest_users", keys: ["user"], columns: .named(["events"]), bound: CheckedSum.limit, isOfNobody: true)

  var tables: [SumTable] {
    var ids = largest.map { (key: [$0.user.id] as SumTable.Key, row: SumTable.Row([$0.events])) }
    if room > 0 { ids.append((key: [nil], row: SumTable.Row([Int64(room)]))) }
    return numbers.tables + [Self.ids.empty.filled(ids)]
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    try numbers.read(tables)
    var ids = try Self.ids.rows(in: tables)[...]
    // Absent parts come first.
    if let first = ids.first, first.key == [nil] {
      guard first.row[0] <= AuditQuestion.mostExamples else {
        throw Self.ids.damaged("has a limit of ids that is too large")
      }
      room = Int(first.row[0])
      ids = ids.dropFirst()
    }
    guard ids.count <= room else { throw Self.ids.damaged("has more ids than its limit") }
    for (key, row) in ids {
      guard let id = key[0].name else { throw Self.ids.otherKey }
      guard row[0] > Self.timesMedian, users(of: row[0]) > 0 else {
        throw Self.ids.damaged("has a user with a number of events that no user has")
      }
      keep(id, row[0])
    }
  }
}
