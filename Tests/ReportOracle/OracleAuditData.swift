// What an audit says of the data themselves, read in the plainest way: loops over all events, days by Foundation's calendar.

import Foundation

/// A platform, version or kind that stopped sending events.
public struct OracleStopped: Hashable, Sendable, Comparable {
  /// `kind`, `platform` or `version`.
  public var what: String
  public var name: String
  /// Days since 1970-01-01.
  public var last: Int
  public var daysSince: Int
  public var longestGap: Int

  public init(what: String, name: String, last: Int, daysSince: Int, longestGap: Int) {
    (self.what, self.name, self.last, self.daysSince, self.longestGap) = (what, name, last, daysSince, longestGap)
  }

  public static func < (a: Self, b: Self) -> Bool { (a.what, a.name) < (b.what, b.name) }
}

/// The findings about the data of one history.
public struct OracleAuditData: Sendable {
  public var users = 0
  public var hasActivity = false
  /// Events of the median user (lower middle) and of the one with the most; 0 without a user.
  public var median = 0
  public var most = 0
  /// Ids of "users with over 1,000 times the median events a user": those with the most events first, then in the log's order
  /// (a reading), which here is that of whoever asks.
  public var shared: [String] = []
  public var stopped: [OracleStopped] = []
  /// By the bytes of a user's id "their latest change of version c (first event with an `app_version` numerically above all
  /// before)".
  public var versionChanges: [[UInt8]: Int] = [:]

  /// - Parameters:
  ///   - events: in the order of ingestion, duplicates and all.
  ///   - isBefore: the log's order of two ids of users.
  public init(_ events: [OracleEvent], asOf: Int, timeZone: TimeZone, isBefore: (String, String) -> Bool) {
    let calendar = OracleCalendar(timeZone)
    let seen = withoutDuplicates(events).filter { $0.timestamp <= asOf }
    hasActivity = seen.contains { $0.event == "feature_used" || $0.event == "app_active" }
    let byUser = Dictionary(grouping: seen) { Bytes($0.userID) }.mapValues { $0.sorted(by: isEarlier) }
    users = byUser.count
    let counts = byUser.values.map(\.count).sorted()
    if !counts.isEmpty {
      median = counts[(counts.count - 1) / 2]
      most = counts[counts.count - 1]
    }
    let sharing = byUser.filter { $0.value.count > 1000 * median }
    shared = sharing.map { (id: $0.key.text, count: $0.value.count) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : isBefore($0.id, $1.id)
    }.map(\.id)
    for (user, own) in byUser { versionChanges[user.utf8] = Self.versionChange(own) }
    stopped = Self.stopped(seen, today: calendar.day(of: asOf), calendar)
  }

  private static func versionChange(_ events: [OracleEvent]) -> Int? {
    var before: [[Int]] = []
    var change: Int?
    for event in events {
      guard let version = event.property("app_version").flatMap(numbers) else { continue }
      if !before.isEmpty, before.allSatisfy({ isHigher(version, $0) }) { change = event.timestamp }
      before.append(version)
    }
    return change
  }

  private static func stopped(_ events: [OracleEvent], today: Int, _ calendar: OracleCalendar) -> [OracleStopped] {
    let dated = events.map { (event: $0, day: calendar.day(of: $0.timestamp)) }
    var found: [OracleStopped] = []
    func look(_ what: String, _ name: String, _ days: Set<Int>) {
      guard days.count >= 14, let first = days.min(), let last = days.max() else { return }
      var (longest, run) = (0, 0)
      for day in first...last {
        run = days.contains(day) ? 0 : run + 1
        longest = max(longest, run)
      }
      if today - last >= 3 * max(1, longest) {
        found.append(OracleStopped(what: what, name: name, last: last, daysSince: today - last, longestGap: longest))
      }
    }
    for kind in oracleKinds { look("kind", kind, Set(dated.filter { $0.event.event == kind }.map(\.day))) }
    for platform in Set(events.compactMap { $0.property("platform").map(Bytes.init) }) {
      let own = dated.filter { $0.event.property("platform").map(Bytes.init) == platform }
      look("platform", platform.text, Set(own.map(\.day)))
    }
    for version in Set(events.compactMap { $0.property("app_version").map(Bytes.init) }) {
      let own = dated.filter { $0.event.property("app_version").map(Bytes.init) == version }.map(\.day)
      guard let last = own.max() else { continue }
      // "version with ≥ 5 % of the events of the 28 days before its last": the day of its last among them (a reading).
      let month = last - 27...last
      let all = dated.count { month.contains($0.day) }
      guard own.count(where: month.contains) * 100 >= 5 * all else { continue }
      // "not a version with a higher one after it": on a later day (a reading).
      let isFollowed = dated.contains { other in
        guard other.day > last, let number = other.event.property("app_version").flatMap(numbers),
          let mine = numbers(version.text)
        else { return false }
        return isHigher(number, mine)
      }
      if !isFollowed { look("version", version.text, Set(own)) }
    }
    return found.sorted()
  }

  /// The components of a version; nil if it is none. A `v` before them is left out (a reading).
  private static func numbers(_ text: String) -> [Int]? {
    let digits = text.hasPrefix("v") || text.hasPrefix("V") ? String(text.dropFirst()) : text
    let parts = digits.components(separatedBy: ".")
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { "0123456789".contains($0) } }) else { return nil }
    return parts.compactMap { Int($0) }
  }

  private static func isHigher(_ a: [Int], _ b: [Int]) -> Bool {
    for place in 0..<max(a.count, b.count) {
      let (left, right) = (place < a.count ? a[place] : 0, place < b.count ? b[place] : 0)
      if left != right { return left > right }
    }
    return false
  }
}

/// Histories of a few users over some months in which feeds stop and go on, at the edges of the definitions.
public struct FeedHistoryGenerator: Sendable {
  public let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  /// Moments from which to look: the last day and the days around three times each gap after it, before and after midnight.
  public func moments(_ events: [OracleEvent], _ timeZone: TimeZone) -> [Int] {
    let calendar = OracleCalendar(timeZone)
    var random = SplitMix64(seed: seed &+ 77)
    let last = calendar.day(of: events.map(\.timestamp).max() ?? 0)
    return (0..<3).map { _ in
      let day = last + random.pick([-9, -3, -1, 0, 2, 3, 4, 5, 6, 8, 9, 11, 12, 15], or: 0)
      return calendar.firstMoment(ofDay: day) + random.pick([-1, 0, 1, 43_200_000], or: 0)
    }
  }

  public func history() -> [OracleEvent] {
    var random = SplitMix64(seed: seed)
    let versions = ["3.9", "3.10", "v3.10", "3.10.0", "beta", "4", "", "3"]
    var events: [OracleEvent] = []
    // So that days of changing clocks are among them.
    let start = random.pick([1_772_000_000_000, 1_790_000_000_000, 1_775_000_000_000], or: 0)
    func event(_ user: String, _ time: Int, _ kind: String, _ version: String, _ platform: String?) -> OracleEvent {
      OracleEvent(
        userID: user, eventID: "e\(events.count)-" + random.pick(["a", "b", "é"], or: "a"), timestamp: time,
        event: kind,
        permission: ["feature_used", "app_active", "app_installed"].contains(kind)
          ? nil : random.pick(["camera", "mail"], or: "mail"),
        appVersion: version, platform: platform, country: random.pick([nil, "DE"], or: nil))
    }
    let feeds = (0..<random.pick([1, 2, 4, 6], or: 2)).map { _ in
      (
        version: random.pick(versions, or: ""), platform: random.pick([nil, "ios", "ipados", "IOS"], or: nil),
        kinds: random.pick(
          [["app_active"], ["feature_used", "app_active"], ["granted", "prompt_shown"], oracleKinds], or: []),
        days: random.pick([13, 14, 15, 30, 45], or: 14), gap: random.pick([1, 1, 2, 3, 4], or: 1),
        first: random.pick([0, 0, 3, 10, 20], or: 0), perDay: random.pick([1, 1, 2, 12], or: 1)
      )
    }
    for feed in feeds {
      var day = feed.first
      for number in 0..<feed.days {
        for _ in 0..<feed.perDay {
          let hour = random.pick([0, 1, 2, 12, 23], or: 0) * 3_600_000 + random.pick([0, -1, 1, 1800_000], or: 0)
          let user = "user-\(random.pick([0, 1, 2, 3, 4, 5, 6], or: 0))"
          let kind = random.pick(feed.kinds, or: "granted")
          events.append(event(user, start + day * 86_400_000 + hour, kind, feed.version, feed.platform))
          // In the same millisecond, with another version and kind.
          if random.once(in: 4) {
            let kind = random.pick(oracleKinds, or: "granted")
            let time = start + day * 86_400_000 + hour
            events.append(event(user, time, kind, random.pick(versions, or: ""), feed.platform))
            events.append(event(user, time, kind, random.pick(versions, or: ""), feed.platform))
          }
        }
        day += number % 5 == 4 ? feed.gap : 1
      }
    }
    if random.once(in: 3) {
      // An id that many share, and users with as many events to stand beside it.
      for number in 0..<random.pick([1000, 1001, 1002, 2001], or: 1001) {
        let user = random.once(in: 900) ? "shared-b" : "shared-a"
        events.append(event(user, start + number * 60_000, "app_active", "4", "ios"))
      }
      for number in 0..<random.pick([0, 3, 40], or: 0) {
        events.append(event("other-\(number)", start + number, "app_active", "4", nil))
      }
    }
    if random.once(in: 3) { events += events.prefix(20) }
    return events.shuffled(using: &random)
  }
}
