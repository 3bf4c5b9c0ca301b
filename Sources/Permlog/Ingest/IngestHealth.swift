// Whether an ingest is like those before it. A renamed event, an export without denials or ids in another spelling make no
// error: every row is read. But a share of the ingest is then far outside what the log's own past makes likely.
//
// docs/operating.md has the rule in words. It is made so that a log without a fault is silent for years: Tests/PermlogTests
// simulates them.

import EventImport
import EventLog
import PermissionEvents
import SystemCalls

/// A share of an ingest that is watched.
struct HealthMeasure: Hashable {
  enum Subject: Hashable {
    /// Lines that were rejected, of all lines.
    case rejected
    /// Lines with names that look like permission events but are not understood, of these and the events of permissions.
    case notUnderstood
    /// Users that the log did not have, of all users.
    case newUsers
    /// Users with new events of a time that the log had reached, of those with such events or with copies.
    case lateUsers
    /// Users with ids that are UUIDs in lower case, or in upper case.
    case lowercaseIDs, uppercaseIDs
    /// Events of use and installs, of all events.
    case activity
    /// Denials of a permission, of its answers.
    case denied(String)
    /// Screens of a permission, of its screens and answers.
    case screens(String)
    /// Screens that name a variant, of all screens of a permission.
    case variants(String)
    /// Users, against the same weekday: not a share of anything.
    case volume
  }

  var subject: Subject
  var count: Int
  var of: Int
  /// At most so many of them are independent of each other: one phone can send a thousand lines.
  var independent: Int

  init(_ subject: Subject, _ count: Int, of: Int, independent: Int) {
    (self.subject, self.count, self.of) = (subject, count, of)
    self.independent = min(independent, of)
  }
}

extension HealthMeasure.Subject {
  /// The name that is kept in the log, and printed in JSON.
  var name: String {
    switch self {
    case .rejected: "rejected"
    case .notUnderstood: "not_understood"
    case .newUsers: "new_users"
    case .lateUsers: "late_users"
    case .lowercaseIDs: "lowercase_ids"
    case .uppercaseIDs: "uppercase_ids"
    case .activity: "activity"
    case .denied(let permission): "denied " + permission
    case .screens(let permission): "screens " + permission
    case .variants(let permission): "variants " + permission
    case .volume: "users"
    }
  }

  /// Whether only more than usual is a fault.
  fileprivate var isOnlyHigh: Bool {
    switch self {
    case .rejected, .notUnderstood, .newUsers, .lateUsers: true
    default: false
    }
  }

  /// Whether only less than usual is a fault.
  fileprivate var isOnlyLow: Bool {
    switch self {
    case .variants, .volume: true
    default: false
    }
  }
}

/// The counts that a record keeps, by name.
struct HealthCounts {
  private let counts: [String: Int]

  init(_ measures: [String: Int]) { counts = measures }

  init(_ session: ImportSession, _ users: UserTally) {
    let read = session.counts
    var counts = [
      "lines": read.lines, "rejected": read.rejected,
      "not_understood": session.eventNames.filter { !$0.isStored && $0.looksLikePermission }.reduce(0) {
        $0 + $1.count
      },
      "users": users.users, "new_users": users.new, "late_users": users.late,
      "overlapping_users": users.overlapping, "lowercase_ids": users.lowercaseIDs, "uppercase_ids": users.uppercaseIDs,
    ]
    let permissions = session.permissionCounts
    counts["activity"] = permissions.first { $0.permission.isEmpty }?.all ?? 0
    counts["events"] = permissions.reduce(0) { $0 + $1.all }
    let shown = permissions.filter { !$0.permission.isEmpty }.sorted {
      ($1.all, $0.permission) < ($0.all, $1.permission)
    }
    for one in shown.prefix(Self.mostPermissions) {
      counts["screens " + one.permission] = one.screens
      counts["variants " + one.permission] = one.screensWithVariant
      counts["granted " + one.permission] = one.granted
      counts["denied " + one.permission] = one.denied
    }
    self.counts = counts
  }

  private static let mostPermissions = 32

  /// What the log keeps of an ingest.
  func stored(with events: IngestCounts) -> [String: Int] {
    var all = counts
    all["replaced"] = events.replaced
    all["withdrawn"] = events.withdrawn
    all["links"] = events.links
    return all.filter { $0.value > 0 }
  }

  /// Of several ingests together.
  static func + (a: Self, b: Self) -> Self { HealthCounts(a.counts.merging(b.counts, uniquingKeysWith: +)) }

  func callAsFunction(_ name: String) -> Int { counts[name] ?? 0 }

  /// The permissions that have counts.
  var permissions: Set<String> {
    Set(
      counts.keys.compactMap { key in
        guard let space = key.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        guard ["screens", "granted", "denied"].contains(key[..<space]) else { return nil }
        return String(key[key.utf8.index(after: space)...])
      })
  }

  /// A measure of these counts.
  func measure(_ subject: HealthMeasure.Subject) -> HealthMeasure {
    let users = self("users")
    switch subject {
    case .rejected:
      let lines = self("lines")
      // Without any user left only the lines say how many there were.
      return HealthMeasure(
        subject, self("rejected"), of: lines, independent: users == 0 ? lines / 50 : min(lines / 50, users))
    case .notUnderstood:
      let (unread, all) = (self("not_understood"), self("not_understood") + self("events") - self("activity"))
      return HealthMeasure(subject, unread, of: all, independent: max(users, all / 10))
    case .newUsers, .lowercaseIDs, .uppercaseIDs:
      return HealthMeasure(subject, self(subject.name), of: users, independent: users)
    case .lateUsers:
      return HealthMeasure(subject, self("late_users"), of: self("overlapping_users"), independent: users)
    case .activity: return HealthMeasure(subject, self("activity"), of: self("events"), independent: users)
    case .denied(let permission):
      let denied = self("denied " + permission)
      return HealthMeasure(subject, denied, of: denied + self("granted " + permission), independent: users)
    case .screens(let permission):
      let (screens, answers) = (
        self("screens " + permission), self("granted " + permission) + self("denied " + permission)
      )
      return HealthMeasure(subject, screens, of: screens + answers, independent: users)
    case .variants(let permission):
      return HealthMeasure(
        subject, self("variants " + permission), of: self("screens " + permission), independent: users)
    case .volume: return HealthMeasure(subject, users, of: users, independent: users)
    }
  }
}

/// The rule.
enum IngestHealth {
  /// Days before this one that the usual share is from: the newest of those without a finding about it.
  static let mostReference = 28
  /// With fewer nothing is said.
  static let leastReference = 14
  /// They span at least this long.
  static let leastSpan: Milliseconds = 7 * millisecondsPerDay
  /// Days with ingests that are looked at, and ingests.
  static let mostLookedAt = 120
  static let mostRecords = 4_000
  /// A daily job does not always begin at the same minute.
  static let lateness: Milliseconds = 1_800_000
  /// A finding is of this ingest alone, or of so many together.
  static let windows = [1, 2, 3, 7]
  /// The odds of a share may differ by this factor from the usual odds.
  static let oddsFactor = 4.0
  /// And by this one from the odds of the farthest share before.
  static let pastFactor = 2.0
  /// Shares below this, and above one minus it, are not told apart.
  static let leastShare = 0.05
  /// So unlikely is a count if the share is at its limit: one in 10^9.
  static let improbability = 9 * 2.302585092994046
  /// The users of a day may be this many times fewer than the fewest of the same weekdays.
  static let volumeFactor = 4.0

  /// What is outside the log's own past.
  /// - Parameters:
  ///   - now: the counts of an ingest, and its time.
  ///   - past: the ingests before it, oldest first, with their findings.
  static func findings(_ now: HealthCounts, at time: Milliseconds, after past: [IngestRecord]) -> [HealthFinding] {
    let all = past.filter { $0.undone == nil && $0.time <= time && $0.measures["lines"] ?? 0 > 0 }
    // A day counts as one, however often files come. From the newest back, since a log may have years of them.
    var days: [Earlier] = []
    var counts = now
    for record in all.suffix(mostRecords).reversed() {
      let one = Earlier(
        time: record.time, counts: HealthCounts(record.measures), flagged: Set(record.findings.map(\.measure)))
      if one.day == Self.day(time) {
        counts = counts + one.counts
      } else if let last = days.last, last.day == one.day {
        days[days.count - 1] = Earlier(
          time: one.time, counts: last.counts + one.counts, flagged: last.flagged.union(one.flagged))
      } else if days.count < mostLookedAt {
        days.append(one)
      }
    }
    let past = Array(days.reversed())
    guard past.count >= leastReference else { return [] }
    let now = counts
    var permissions = now.permissions
    for earlier in past { permissions.formUnion(earlier.counts.permissions) }
    var subjects: [HealthMeasure.Subject] = [
      .rejected, .notUnderstood, .newUsers, .lateUsers, .lowercaseIDs, .uppercaseIDs, .activity,
    ]
    for permission in permissions.sorted() {
      subjects += [.denied(permission), .screens(permission), .variants(permission)]
    }
    return subjects.compactMap { finding($0, now, time, past) } + [volume(now, time, past, all)].compactMap { $0 }
  }

  private static func day(_ time: Milliseconds) -> Int { Int(time / millisecondsPerDay) }

  private struct Earlier {
    var time: Milliseconds
    var day: Int { IngestHealth.day(time) }
    var counts: HealthCounts
    var flagged: Set<String>
  }

  private static func finding(
    _ subject: HealthMeasure.Subject, _ now: HealthCounts, _ time: Milliseconds, _ past: [Earlier]
  ) -> HealthFinding? {
    let today = now.measure(subject)
    guard today.of > 0 else { return nil }
    let all = past.map { (earlier: $0, measure: $0.counts.measure(subject)) }
    let known = all.filter { $0.measure.of > 0 }
    // What has been told for two weeks is the new past: it was meant, or nobody minds.
    let isFlagged = known.map { $0.earlier.flagged.contains(subject.name) }
    var (run, adopted) = (0, -1)
    for place in known.indices {
      run = isFlagged[place] ? run + 1 : 0
      if run >= leastReference { adopted = place }
    }
    let start = adopted < 0 ? 0 : adopted - leastReference + 1
    let reference = known.indices.filter { $0 >= start && ($0 <= adopted || !isFlagged[$0]) }.suffix(mostReference)
      .map { known[$0] }
    guard reference.count >= leastReference, let first = reference.first, time - first.earlier.time >= leastSpan else {
      return nil
    }
    let measures = reference.map(\.measure)
    let usual = usualShare(measures)
    let limits = limits(subject, usual, measures)
    // What is outside must be so today, not only in the days before.
    let newest = Double(today.count) / Double(today.of)
    guard newest > limits.high && !subject.isOnlyLow || newest < limits.low && !subject.isOnlyHigh else { return nil }
    // A campaign brings many new users. If ids have changed, the known ones are missing, too.
    if subject == .newUsers, !areKnownUsersMissing(now, reference.map(\.earlier)) { return nil }
    for window in windows {
      var (count, of, independent) = (0, 0, 0)
      for measure in [today] + all.suffix(window - 1).map(\.measure) {
        count += measure.count
        of += measure.of
        independent += measure.independent
      }
      let (share, limit) = (Double(count) / Double(of), newest > limits.high ? limits.high : limits.low)
      guard newest > limits.high ? share > limit : share < limit else { continue }
      guard Double(independent) * divergence(share, from: limit) > improbability else { continue }
      return HealthFinding(
        measure: subject.name, count: count, of: of, usual: usual * Double(of), ingests: min(window, past.count + 1),
        reference: reference.count)
    }
    return nil
  }

  private static func areKnownUsersMissing(_ now: HealthCounts, _ reference: [Earlier]) -> Bool {
    func known(_ counts: HealthCounts) -> Int { counts("users") - counts("new_users") }
    func median(_ count: (HealthCounts) -> Int) -> Int {
      reference.map { count($0.counts) }.sorted()[reference.count / 2]
    }
    // A part of a day's export has few users of any kind.
    return 4 * known(now) < median(known) && 2 * now("users") >= median { $0("users") }
  }

  /// The share of all together, none of which counts more than four times the median: the first ingest of a log may have years.
  private static func usualShare(_ measures: [HealthMeasure]) -> Double {
    let median = measures.map(\.of).sorted()[measures.count / 2]
    var (sum, weight) = (0.0, 0.0)
    for measure in measures {
      let scale = min(1, 4 * Double(median) / Double(measure.of))
      sum += Double(measure.count) * scale
      weight += Double(measure.of) * scale
    }
    return weight > 0 ? sum / weight : 0
  }

  private static func limits(
    _ subject: HealthMeasure.Subject, _ usual: Double, _ measures: [HealthMeasure]
  ) -> (low: Double, high: Double) {
    func odds(_ share: Double) -> Double { min(max(share, 1e-9), 1 - 1e-9) / (1 - min(max(share, 1e-9), 1 - 1e-9)) }
    func share(_ odds: Double) -> Double { odds / (1 + odds) }
    var high = share(odds(usual) * oddsFactor)
    // New users see many screens: in a campaign use of the app is a much smaller share.
    var low = share(odds(usual) / (subject == .activity ? 3 * oddsFactor : oddsFactor))
    // A share of few says little about what is possible.
    // And in a log's first days all users are new.
    for measure in measures where measure.independent >= 30 && subject != .newUsers {
      let past = odds(Double(measure.count) / Double(measure.of))
      high = max(high, share(past * pastFactor))
      low = min(low, share(past / pastFactor))
    }
    return (min(low, 1 - leastShare), max(high, leastShare))
  }

  /// The Kullback-Leibler divergence of two shares. A count of a share p or farther, of n, has at most the probability
  /// exp(-n × divergence) if the true share is q: Chernoff's bound.
  static func divergence(_ p: Double, from q: Double) -> Double {
    guard q > 0, q < 1 else { return p == q ? 0 : 1e9 }
    func term(_ a: Double, _ b: Double) -> Double { a > 0 ? a * log(a / b) : 0 }
    return term(p, q) + term(1 - p, 1 - q)
  }

  /// Far fewer users than on any of the same weekdays up to the same time of day. All ingests of a day count together.
  private static func volume(
    _ now: HealthCounts, _ time: Milliseconds, _ past: [Earlier], _ records: [IngestRecord]
  ) -> HealthFinding? {
    let subject = HealthMeasure.Subject.volume
    let (today, clock) = (day(time), time % millisecondsPerDay)
    var users: [Int: Int] = [:]
    for earlier in past { users[earlier.day] = 0 }
    for record in records where users[day(record.time)] != nil && record.time % millisecondsPerDay <= clock + lateness {
      users[day(record.time), default: 0] += record.measures["users"] ?? 0
    }
    for earlier in past where earlier.flagged.contains(subject.name) { users[earlier.day] = nil }
    let count = now("users")
    let same = users.filter { $0.key < today && ($0.key - today) % 7 == 0 }.sorted { $0.key < $1.key }.suffix(6).map(
      \.value)
    let before = users.filter { $0.key < today && $0.key >= today - 28 }.map(\.value)
    guard same.count >= 3, before.count >= leastReference, let least = same.min(), let lowest = before.min() else {
      return nil
    }
    // Fewer than on the worst day of four weeks, too: a holiday moves from one weekday to another.
    let limit = Double(min(least, 2 * lowest)) / volumeFactor
    guard Double(count) < limit else { return nil }
    let surprise = limit - Double(count) + (count > 0 ? Double(count) * log(Double(count) / limit) : 0)
    guard surprise > improbability else { return nil }
    let usual = same.sorted()[same.count / 2]
    return HealthFinding(
      measure: subject.name, count: count, of: usual, usual: Double(usual), ingests: 1, reference: same.count)
  }
}
