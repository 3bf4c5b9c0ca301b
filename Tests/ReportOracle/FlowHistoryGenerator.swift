// Random histories of users who are asked for several permissions one after the other, from a seeded generator.

import Foundation

private let minute = 60_000
private let window = 30 * minute

/// Histories on the edges of flows: gaps of exactly the window and a millisecond beside it, screens of one millisecond, more than
/// eight steps, restricted and pending ones, weeks that end between two steps.
public struct FlowHistoryGenerator: Sendable {
  public let seed: UInt64
  /// Whether most logs have requests that return at once, answers without screens, and the like.
  public let hasCalls: Bool

  public init(seed: UInt64, hasCalls: Bool = false) { (self.seed, self.hasCalls) = (seed, hasCalls) }

  private static let permissions = [
    "notifications", "camera", "photo_library", "tracking", "location_when_in_use", "microphone", "contacts",
    "calendars",
    "motion", "reminders", "speech", "bluetooth",
  ]
  private static let start = 20_520 * millisecondsPerDay
  private static let days = 24

  /// - Returns: events in the order of ingestion.
  public func history(users: Int) -> [OracleEvent] {
    var random = SplitMix64(seed: seed)
    var events: [OracleEvent] = []
    let end = Self.start + Self.days * millisecondsPerDay + random.pick([0, 1, -1, 7 * minute], or: 0)
    for user in 0..<users { events += history(of: "u\(user)", end: end, &random) }
    if hasCalls {
      let calls = HistoryCalls(&random)
      events = calls.unusual(calls.withCalls(events, &random), &random)
    }
    // The newest moment is the same whatever the users do.
    events.append(OracleEvent(userID: "last", eventID: "last", timestamp: end, event: "app_active"))
    events = events.filter { $0.timestamp <= end }
    events += events.filter { _ in random.once(in: 12) }
    return events.shuffled(using: &random)
  }

  private func history(of user: String, end: Int, _ random: inout SplitMix64) -> [OracleEvent] {
    // Custom permissions whose names look alike, and one that sorts before all others.
    let names = Self.permissions + ["caf\u{E9}", "cafe\u{301}", "A"]
    // The same few for most users, so that many have the same list.
    let most = random.pick([3, 3, 3, 4, 6, names.count], or: 3)
    let asked = random.once(in: 2) ? Array(names.prefix(most)) : names.prefix(most).shuffled(using: &random)
    let count = random.pick([1, 2, 3, 3, 3, asked.count], or: 1)
    var events: [OracleEvent] = []
    func add(_ time: Int, _ event: String, _ permission: String?, status: String? = nil) {
      events.append(
        OracleEvent(
          userID: user, eventID: "\(user)-\(events.count)", timestamp: time, event: event, permission: permission,
          status: status, appVersion: random.pick(["3.1", "3.2", nil], or: nil),
          country: random.pick(["DE", "AT", "", nil], or: nil)))
    }
    var time = moment(end, &random)
    if random.once(in: 9) { add(time - minute, "granted", asked[0]) }
    for permission in asked.prefix(count) {
      let screen = random.pick(["explanation_shown", "prompt_shown"], or: "prompt_shown")
      add(time, screen, permission)
      if screen == "explanation_shown", random.once(in: 2) { add(time + 2000, "prompt_shown", permission) }
      if random.once(in: 6) {
        add(time + random.pick([0, window, window * 3], or: 0), "explanation_shown", permission)
      }
      if !random.once(in: 6) {
        let answer = random.pick(["granted", "granted", "denied", "denied", "skipped", "re_enabled"], or: "granted")
        let wait = random.pick([0, 1, 4000, 9000, window - 1, window, window + 1], or: 4000)
        let status = answer == "denied" && random.once(in: 3) ? "restricted" : nil
        add(time + wait, answer, permission, status: status)
      }
      if random.once(in: 8) { add(time + 3000, "feature_used", nil) }
      time += random.pick(
        [0, 0, 1, 5000, 60_000, window - 1, window, window + 1, 2 * window, millisecondsPerDay], or: 1)
    }
    // Long histories have another way through the fold.
    if random.once(in: 10) { for number in 0..<80 { add(time + number, "status_checked", asked[0], status: "denied") } }
    return events
  }

  /// Any moment, the end of a week, or a window before the newest moment, and a millisecond beside it.
  private func moment(_ end: Int, _ random: inout SplitMix64) -> Int {
    let plain = Int.random(in: Self.start..<end, using: &random)
    let beside = random.pick([-1, 0, 1], or: 0)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return end - random.pick([0, 1, 2], or: 1) * window + beside
    case 1: return (plain / millisecondsPerDay - 3) / 7 * 7 * millisecondsPerDay + 4 * millisecondsPerDay + beside
    default: return plain
    }
  }

  /// Options to look at a history with.
  public func options(for events: [OracleEvent]) -> OracleFlowOptions {
    var random = SplitMix64(seed: seed &+ 0x9E37)
    var options = OracleFlowOptions()
    let times = events.map(\.timestamp)
    if random.once(in: 2) {
      options.asOf = random.pick(times, or: 0) + random.pick([0, window, window - 1, window + 1, -1], or: 0)
    }
    if random.once(in: 4) { options.responseWindow = random.pick([minute, 1, 2 * window], or: minute) }
    let calendar = OracleCalendar(options.timeZone)
    if random.once(in: 4) { options.week = calendar.week(of: random.pick(times, or: 0)).name }
    if options.week == nil, random.once(in: 4) {
      let day = calendar.day(of: random.pick(times, or: 0))
      options.from = String(rfc3339(day * millisecondsPerDay).prefix(10))
      if random.once(in: 2) { options.to = String(rfc3339((day + 5) * millisecondsPerDay).prefix(10)) }
    }
    if random.once(in: 3) {
      let countries = random.pick([["AT", "DE"], [""]], or: [])
      options.conditions = [OracleCondition("country", random.once(in: 2) ? "!=" : "=", countries)]
    }
    if options.conditions.count == 1, random.once(in: 2) {
      options.conditions.append(OracleCondition("app_version", random.pick(["=", ">=", "<"], or: "="), ["3.2"]))
    }
    let names = Array(Set(events.compactMap(\.permission).map(Bytes.init))).sorted()
      .map { String(decoding: $0.utf8, as: UTF8.self) }
    if !random.once(in: 3) {
      let usual = Array(Self.permissions.prefix(random.pick([1, 2, 3], or: 3))).filter { names.contains($0) }
      options.steps = random.once(in: 3) ? Array(names.shuffled(using: &random).prefix(8)) : usual
    }
    if random.once(in: 4) { options.permission = random.pick(names, or: "") }
    if hasCalls { options.atOnce = random.pick([250, 250, 250, 0, 1000], or: 250) }
    return options
  }
}
