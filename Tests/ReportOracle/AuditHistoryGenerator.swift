// Random histories on the edges of an audit's findings, from a seeded generator.

import Foundation

private let second = 1000
private let minute = 60 * second
private let window = 30 * minute
private let day = millisecondsPerDay

/// Users who are asked at once, again, too often and never again: gaps of exactly 60 s, half an hour, a day, 7 and 28 days, and a
/// millisecond beside them; ties within a millisecond; installs and changes of version in between.
public struct AuditHistoryGenerator: Sendable {
  public let seed: UInt64
  /// Whether most logs have requests that return at once, answers without screens, and the like.
  public let hasCalls: Bool

  public init(seed: UInt64, hasCalls: Bool = false) { (self.seed, self.hasCalls) = (seed, hasCalls) }

  private static let start = 20_520 * day
  private static let days = 75

  /// - Returns: events in the order of ingestion.
  public func history(users: Int) -> [OracleEvent] {
    var random = SplitMix64(seed: seed)
    let end = Self.start + Self.days * day + random.pick([0, 1, -1, 7 * minute], or: 0)
    // Some logs lack a kind altogether.
    let lacking: Set<String> =
      random.once(in: 3)
      ? [random.pick(["explanation_shown", "settings_prompt_shown", "settings_opened", "status_checked"], or: "")] : []
    let few = random.once(in: 2)
    var events: [OracleEvent] = []
    for user in 0..<users {
      var writer = UserWriter(user: "u\(user)", random: random, start: Self.start, end: end)
      events += writer.history(fewPermissions: few)
      random = writer.random
    }
    if hasCalls {
      let calls = HistoryCalls(&random)
      events = calls.unusual(calls.withCalls(events, &random), &random)
    }
    // The newest and the oldest moment are the same whatever the users do.
    events.append(OracleEvent(userID: "last", eventID: "last", timestamp: end, event: "app_active"))
    events.append(OracleEvent(userID: "first", eventID: "first", timestamp: Self.start, event: "app_active"))
    events = events.filter { $0.timestamp <= end && $0.timestamp >= Self.start && !lacking.contains($0.event) }
    events += events.filter { _ in random.once(in: 12) }
    return events.shuffled(using: &random)
  }

  /// Options to look at a history with.
  public func options(for events: [OracleEvent]) -> OracleAuditOptions {
    var random = SplitMix64(seed: seed &+ 0x9E37)
    var options = OracleAuditOptions()
    let times = events.map(\.timestamp)
    if random.once(in: 2) {
      options.asOf =
        random.pick(times, or: 0) + random.pick([0, window, 7 * day, 28 * day, day], or: 0)
        + random.pick([-1, 0, 1], or: 0)
    }
    if random.once(in: 3) {
      options.logStart = random.pick(times, or: 0) - 28 * day + random.pick([-1, 0, 1, 20 * day], or: 0)
    }
    let calendar = OracleCalendar(options.timeZone)
    if random.once(in: 4) {
      let first = calendar.day(of: random.pick(times, or: 0))
      options.from = String(rfc3339(first * day).prefix(10))
      if random.once(in: 2) { options.to = String(rfc3339((first + 30) * day).prefix(10)) }
    }
    if random.once(in: 3) {
      options.conditions = [OracleCondition("country", random.once(in: 2) ? "!=" : "=", ["AT", ""])]
    }
    if options.conditions.count == 1, random.once(in: 2) {
      options.conditions.append(OracleCondition("app_version", random.pick([">=", "<"], or: "<"), ["1.10"]))
    }
    if random.once(in: 5) { options.permission = random.pick(["camera", "photo_library"], or: "camera") }
    if random.once(in: 2) {
      for check in ["cold_ask", "asked_after_denial", "no_way_back", "pestering"] where random.once(in: 2) {
        options.thresholds[check] = random.pick([0, 1, 200_000, 500_000, 1_000_000], or: 0)
      }
    }
    options.examples = random.pick([0, 0, 1, 3, 100], or: 0)
    return options
  }
}

/// Writes the history of one user.
private struct UserWriter {
  let user: String
  var random: SplitMix64
  let start, end: Int
  private var events: [OracleEvent] = []
  /// From when on the app has which version.
  private var versions: [(time: Int, version: String?)] = []
  /// Moments of interest, which events of other permissions are put beside.
  private var moments: [Int] = []

  init(user: String, random: SplitMix64, start: Int, end: Int) {
    (self.user, self.random, self.start, self.end) = (user, random, start, end)
  }

  /// 0, or a millisecond before or after.
  private mutating func beside() -> Int { random.pick([-1, 0, 0, 1], or: 0) }

  private mutating func add(_ time: Int, _ event: String, _ permission: String? = nil, status: String? = nil) {
    let country = random.pick(["DE", "AT", nil], or: nil)
    events.append(
      OracleEvent(
        userID: user, eventID: "\(user)-\(events.count)", timestamp: time, event: event, permission: permission,
        status: status, country: country))
    moments.append(time)
  }

  mutating func history(fewPermissions: Bool) -> [OracleEvent] {
    let usual = ["camera", "photo_library", "notifications"]
    let all = usual + ["location_always", "calendars_write_only", "health_read", "mail", "caf\u{E9}", "cafe\u{301}"]
    let names = (fewPermissions ? usual : all).shuffled(using: &random)
    var time = start + Int.random(in: 0..<(end - start), using: &random)
    let gap = random.pick([0, minute, minute, 28 * day, 3 * day], or: 0) + beside()
    if random.once(in: 2) { add(time - max(0, gap), random.pick(["app_installed", "app_active"], or: "app_active")) }
    for permission in names.prefix(random.pick([1, 2, 3, 3, 4], or: 1)) {
      journey(permission, time)
      time += random.pick([0, second, 30 * second, minute - second, minute, 2 * window], or: 0) + beside()
    }
    if random.once(in: 3) { add(random.pick(moments, or: start) + beside(), "app_installed") }
    addVersions(names)
    // So many that other folds read them in another way.
    if random.once(in: 20) { for number in 0..<80 { add(time + number, "status_checked", names[0], status: "denied") } }
    return events.map { event in
      var event = event
      event.appVersion = versions.last { $0.time <= event.timestamp }?.version
      return event
    }
  }

  private mutating func journey(_ permission: String, _ time: Int) {
    if random.once(in: 10) {
      return add(time, random.pick(["granted", "skipped", "revoked"], or: "granted"), permission)
    }
    if random.once(in: 12) { add(time - minute, "settings_prompt_shown", permission) }
    let isExplained = random.once(in: 2)
    add(time, isExplained ? "explanation_shown" : "prompt_shown", permission)
    if isExplained, random.once(in: 2) {
      add(time + random.pick([0, 2 * second, window], or: 0) + abs(beside()), "prompt_shown", permission)
    }
    var answered = time
    if !random.once(in: 8) {
      answered += random.pick([0, 1, 4 * second, window - 1, window, window + 1], or: 0)
      answer(permission, answered)
    }
    for _ in 0..<random.pick([0, 0, 1, 2, 4], or: 0) { follow(permission, answered) }
    if random.once(in: 4) { pester(permission, answered) }
  }

  private mutating func answer(_ permission: String, _ time: Int) {
    let kind = random.pick(
      ["granted", "granted", "denied", "denied", "denied", "skipped", "re_enabled"], or: "granted")
    let grants = [nil, "authorized", "limited", "provisional", "when_in_use", "write_only", "allowed_once"]
    let status =
      kind == "denied"
      ? random.pick([nil, nil, "restricted"], or: nil)
      : kind == "skipped" ? nil : random.pick(grants, or: nil)
    add(time, kind, permission, status: status)
  }

  /// Something later, on an edge of something before.
  private mutating func follow(_ permission: String, _ answered: Int) {
    let gaps = [0, minute, window, day, 7 * day, 28 * day, 2 * day]
    let from = random.once(in: 3) ? random.pick(moments, or: answered) : answered
    let time = from + random.pick(gaps, or: 0) + beside()
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      add(time, "settings_prompt_shown", permission)
      if random.once(in: 2) {
        add(time + random.pick([0, minute, window], or: 0) + beside(), "settings_opened", permission)
      }
    case 2, 3: add(time, "prompt_shown", permission, status: random.once(in: 6) ? "not_determined" : nil)
    case 4: add(time, "explanation_shown", permission, status: random.once(in: 6) ? "not_determined" : nil)
    case 5, 6:
      let statuses = [
        "denied", "restricted", "authorized", "limited", "not_determined", nil, "when_in_use", "declined_sharing",
      ]
      add(time, "status_checked", permission, status: random.pick(statuses, or: nil))
    case 7: answer(permission, time)
    default: add(time, "revoked", permission)
    }
  }

  /// Asks one after the other, the fourth about a week after the first.
  private mutating func pester(_ permission: String, _ time: Int) {
    let kinds = ["explanation_shown", "prompt_shown", "settings_prompt_shown"]
    let last = time + 7 * day + beside()
    for moment in [time, time + day, time + day + random.pick([window, second, day], or: 0) + beside(), last] {
      add(moment, random.pick(kinds, or: "prompt_shown"), permission)
    }
  }

  private mutating func addVersions(_ names: [String]) {
    let known = ["1.9", "1.10", "1.9.0", "2", "beta", nil, "1.2"]
    versions = [(start, random.pick(known, or: nil))]
    for _ in 0..<random.pick([0, 1, 2, 3], or: 0) {
      let time = random.pick(moments, or: start) + random.pick([0, minute, day, 2 * day], or: 0) + beside()
      versions.append((time, random.pick(known, or: nil)))
      // An event that tells of it, and the look at what is allowed.
      if random.once(in: 2) { add(time, random.pick(["app_active", "feature_used"], or: "app_active")) }
      if random.once(in: 2) {
        let look = time + random.pick([0, minute, day], or: 0) + beside()
        add(look, "status_checked", names[0], status: random.pick([nil, "denied", "authorized"], or: nil))
      }
    }
    versions.sort { $0.time < $1.time }
  }
}
