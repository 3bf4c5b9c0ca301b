// What an audit counts of the data themselves, of all users and without filters.

import Folding
import PermissionEvents

/// Events by day and where they came from, and users by their number of events.
struct FeedSums: Sendable, Equatable {
  var eventsOfUsers = EventsOfUsers()
  var kinds = DaySums(most: AuditLimits.daysOfFeeds)
  var platforms = DaySums(most: AuditLimits.daysOfFeeds)
  var versions = DaySums(most: AuditLimits.daysOfFeeds)

  init() {}

  mutating func add(_ other: FeedSums) throws(SumsError) {
    try eventsOfUsers.add(other.eventsOfUsers)
    try kinds.add(other.kinds)
    try platforms.add(other.platforms)
    try versions.add(other.versions)
  }

  /// Users with an event up to as_of.
  var users: Int64 { eventsOfUsers.count }
}

extension FeedSums {
  private static let emptyKinds = DaySums.emptyTable("feed_kinds", key: "kind", column: "events")
  private static let emptyPlatforms = DaySums.emptyTable("feed_platforms", key: "platform", column: "events")
  private static let emptyVersions = DaySums.emptyTable("feed_versions", key: "app_version", column: "events")

  /// How many tables `tables` has.
  static let tableCount = 5

  var tables: [SumTable] {
    eventsOfUsers.tables + [
      kinds.table(Self.emptyKinds), platforms.table(Self.emptyPlatforms), versions.table(Self.emptyVersions),
    ]
  }

  /// - Parameter tables: those of `tables`, among others.
  init(tables: [SumTable]) throws(SumsError) {
    eventsOfUsers = try EventsOfUsers(tables)
    kinds = try DaySums(tables, like: Self.emptyKinds, most: AuditLimits.daysOfFeeds)
    platforms = try DaySums(tables, like: Self.emptyPlatforms, most: AuditLimits.daysOfFeeds)
    versions = try DaySums(tables, like: Self.emptyVersions, most: AuditLimits.daysOfFeeds)
    let known = Set(EventKind.names.map { Array($0.utf8) })
    guard !kinds.areTooMany, kinds.counts.keys.allSatisfy(known.contains) else {
      throw SumsError(.damaged, "table feed_kinds has a kind that this version does not know")
    }
  }

  /// Throws if tables contradict each other, as those that a file brought may.
  func check() throws(SumsError) {
    guard users <= SumKeys.mostUsers else {
      throw SumsError(.overflow, "there are more users than figures are made of")
    }
    let all = kinds.all
    for (name, feed) in [("feed_platforms", platforms), ("feed_versions", versions)] {
      guard feed.all.allSatisfy({ $0.value <= all[$0.key] ?? 0 }) else {
        throw SumsError(.damaged, "table \(name) has more events of a day than table feed_kinds")
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
      throw SumsError(.damaged, "table events_of_users has other events than table feed_kinds")
    }
    for count in Set(eventsOfUsers.largest.map(\.events)) {
      let ids = eventsOfUsers.largest.count { $0.events == count }
      guard ids <= eventsOfUsers.users[count] ?? 0 else {
        throw SumsError(.damaged, "table largest_users has more users than table events_of_users")
      }
    }
  }
}
