// Writes one random history, journey by journey.

import Foundation

private let second = 1000
private let minute = 60 * second
private let hour = 60 * minute
private let window = 30 * minute
private let settings = 7 * millisecondsPerDay
private let followUp = 28 * millisecondsPerDay

struct HistoryWriter {
  var random: SplitMix64
  private var ids = HistoryEventIDs()
  private var events: [OracleEvent] = []
  private let start: Int
  private let end: Int
  /// Nil in logs whose calls are as they come.
  private var calls: HistoryCalls?
  let calendars: [OracleCalendar]

  init(seed: UInt64, hasCalls: Bool) {
    random = SplitMix64(seed: seed)
    calendars = ["UTC", "America/New_York", "Pacific/Chatham"].compactMap { TimeZone(identifier: $0) }
      .map { OracleCalendar($0) }
    // Seasons with both zones' changes of clock (2026-03-08 and 04-05; 2025-11-02 and 09-28), a leap day, and an
    // ISO year of 53 weeks.
    let seasons = [
      ("2026-02-23", 77), ("2025-09-20", 80), ("2020-11-20", 80), ("2024-02-12", 70), ("2026-03-01", 40),
    ]
    let season = random.pick(seasons, or: ("2026-02-23", 77))
    let firstDay = OracleCalendar(.gmt).day(named: season.0) ?? 20_000
    start = firstDay * millisecondsPerDay
    let wholeDays = start + season.1 * millisecondsPerDay
    // The newest moment: the first moment of a day, the last one, or any.
    end = wholeDays + random.pick([0, -1, 1, 13 * hour + 7, -5 * hour - 45 * minute], or: 0)
    if hasCalls { calls = HistoryCalls(&random) }
  }

  /// All events up to the newest moment, one there for certain, mixed, with copies.
  mutating func finished() -> [OracleEvent] {
    events = events.filter { $0.timestamp >= start - 40 * millisecondsPerDay && $0.timestamp <= end }
    leaveOut()
    if let calls { events = calls.unusual(events, &random) }
    if let last = events.last, !events.contains(where: { $0.timestamp == end }) {
      add(last.userID, end, "settings_prompt_shown", "speech")
    }
    addCopies()
    return events.shuffled(using: &random)
  }

  /// Half of the apps do not log everything, so that figures lack their evidence.
  private mutating func leaveOut() {
    let groups = [
      ["feature_used", "app_active"], ["feature_used"], ["status_checked", "re_enabled"],
      ["status_checked", "revoked"],
      ["settings_opened"], ["re_enabled", "status_checked", "granted"], ["app_installed"],
    ]
    guard random.once(in: 2) else { return }
    let kinds = Set(groups.filter { _ in random.once(in: 3) }.flatMap { $0 })
    events.removeAll { kinds.contains($0.event) }
  }

  mutating func writeUser(_ number: Int) {
    let user = historyUserID(number, &random)
    let permissions = [
      "notifications", "camera", "location_always", "location_when_in_use", "calendars", "calendars_write_only",
      "health_read", "tracking", "photo_library",
    ].shuffled(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      // One event alone, of any kind.
      add(user, anyMoment(), random.pick(oracleKinds, or: "granted"), permissions[0])
    case 1:
      // Answers without a screen.
      let moment = anyMoment()
      add(user, moment, random.pick(["granted", "denied", "skipped", "re_enabled"], or: "granted"), permissions[0])
      add(
        user, moment + gap(), random.pick(["status_checked", "revoked", "re_enabled"], or: "revoked"), permissions[0])
    case 2:
      // Engagement alone.
      writeEngagement(user, anyMoment())
    default:
      // Users meet in a few permissions, so that rows have more than one journey.
      let common = ["notifications", "notifications", "notifications", "location_always", "calendars_write_only"]
      let own = Array(permissions.prefix(Int.random(in: 0...2, using: &random)))
      let t0 = anyMoment()
      for permission in Set(own + [random.pick(common, or: "notifications")]).sorted() {
        writeJourney(user, permission, random.once(in: 2) ? t0 : anyMoment())
      }
      writeEngagement(user, t0)
      writePast(user, t0)
    }
    if let calls { writeCalls(user, calls) }
  }

  /// Within the season, often on an edge: the first moment of a day or week in one of the zones, the day of a change of
  /// clock, or a window before the newest moment; and a millisecond beside these.
  mutating func anyMoment() -> Int {
    let plain = Int.random(in: start...end, using: &random)
    guard let calendar = calendars.randomElement(using: &random) else { return plain }
    let day = calendar.day(of: plain)
    let beside = random.pick([-1, 0, 0, 1], or: 0)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return calendar.firstMoment(ofDay: day) + beside
    case 1: return calendar.end(of: calendar.week(of: plain)) + beside
    case 2:
      let changes = [20_520, 20_548, 20_359, 20_394, 19_782, 19_792].filter { abs($0 - day) < 80 }
      return calendar.firstMoment(ofDay: random.pick(changes, or: day))
        + Int.random(in: 0..<(26 * hour), using: &random)
    case 3:
      let windows = [window, window, settings, followUp, followUp + window, millisecondsPerDay]
      return end - random.pick(windows, or: window) + beside
    case 4: return calendar.firstMoment(ofDay: calendar.day(of: end) - random.pick([28, 2, 8, 31], or: 28)) + beside
    default: return plain
    }
  }

  /// A time between two events: nothing, a moment, some minutes, or exactly a window, or a millisecond beside it.
  mutating func gap() -> Int {
    let edges = [window, settings, followUp, millisecondsPerDay, 7 * millisecondsPerDay, 0]
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return 0
    case 1: return max(0, random.pick(edges, or: 0) + random.pick([-1, 0, 1], or: 0))
    case 2: return Int.random(in: 1...(40 * millisecondsPerDay), using: &random)
    case 3: return Int.random(in: 1...(40 * minute), using: &random)
    default: return Int.random(in: 1...(20 * second), using: &random)
    }
  }

  private mutating func writeJourney(_ user: String, _ permission: String, _ t0: Int) {
    let begin = random.pick(["explanation_shown", "prompt_shown", "prompt_shown"], or: "prompt_shown")
    add(user, t0, begin, permission)
    var moment = t0
    if begin == "explanation_shown", !random.once(in: 3) {
      moment += gap()
      add(user, moment, "prompt_shown", permission)
    }
    if random.once(in: 8) { add(user, t0 + gap(), "explanation_shown", permission) }
    var answer = ""
    if !random.once(in: 5) {
      // Most answers come soon; some exactly at the window's end from t0.
      let answers = ["granted", "granted", "granted", "denied", "denied", "denied", "skipped", "re_enabled"]
      if random.once(in: 6) {
        moment = t0 + window + random.pick([-1, 0, 0, 1], or: 0)
      } else {
        moment += gap() % hour
      }
      answer = random.pick(answers, or: "denied")
      add(user, moment, answer, permission)
      if random.once(in: 8) { add(user, moment, random.pick(answers, or: "denied"), permission) }
    }
    if random.once(in: answer == "denied" ? 2 : 6) {
      let shown = moment + gap()
      add(user, shown, "settings_prompt_shown", permission)
      if random.once(in: 2) { add(user, shown + gap() % (2 * window), "settings_opened", permission) }
      if random.once(in: 2) {
        let enabled = shown + random.pick([0, 1, settings - 1, settings, settings + 1, hour], or: 0)
        add(user, enabled, random.pick(["re_enabled", "granted"], or: "granted"), permission)
      }
      if random.once(in: 4) { add(user, shown + gap(), "settings_prompt_shown", permission) }
    }
    if answer == "denied" { writeUse(user, after: moment) }
    // Afterwards: what counts from the answer, and from the end of the window if there was none.
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let kinds = ["re_enabled", "granted", "revoked", "status_checked", "status_checked", "denied", "prompt_shown"]
      let from = random.pick([moment, t0 + window, t0], or: moment)
      let edges = [followUp - 1, followUp, followUp + 1, millisecondsPerDay - 1, millisecondsPerDay, 0, 1]
      let later = random.once(in: 2) ? random.pick(edges, or: 0) : gap()
      add(user, from + later, random.pick(kinds, or: "revoked"), permission)
    }
    if random.once(in: 10) { add(user, t0 - gap(), random.pick(oracleKinds, or: "denied"), permission) }
  }

  /// Engagement on days after an answer, and beside the ends of these days and the events of others.
  private mutating func writeUse(_ user: String, after answer: Int) {
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let day = answer + Int.random(in: 0...29, using: &random) * millisecondsPerDay
      let from = random.pick([day, day, day + gap() % millisecondsPerDay, events.last?.timestamp ?? day], or: day)
      let moment = from + random.pick([-minute - 1, -minute, -1, 0, 0, 1], or: 0)
      add(user, moment, random.pick(["app_active", "feature_used"], or: "app_active"), nil)
    }
  }

  /// Engagement around the days that decide: the day of t0 (also before it), 1, 7, 27, 28, 30 and 31.
  mutating func writeEngagement(_ user: String, _ t0: Int) {
    guard let calendar = calendars.randomElement(using: &random) else { return }
    for offset in [-1, 0, 0, 1, 2, 7, 8, 27, 28, 29, 30, 31] where random.once(in: 2) {
      let first = calendar.firstMoment(ofDay: calendar.day(of: t0) + offset)
      let next = calendar.firstMoment(ofDay: calendar.day(of: t0) + offset + 1)
      let moment = random.pick([first, next - 1, Int.random(in: first..<next, using: &random)], or: first)
      let kind = random.pick(["feature_used", "app_active"], or: "app_active")
      let carried = random.once(in: 6) ? "camera" : nil
      for _ in 0...Int.random(in: 0...1, using: &random) { add(user, moment, kind, carried) }
    }
  }

  /// - Parameter status: nil for any.
  mutating func add(_ user: String, _ moment: Int, _ kind: String, _ permission: String?, status: String? = nil) {
    let needsNone = ["feature_used", "app_active", "app_installed"].contains(kind)
    events.append(
      OracleEvent(
        userID: user, eventID: ids.next(&random), timestamp: moment, event: kind,
        permission: needsNone && !random.once(in: 4) ? nil : permission, status: status ?? self.status(kind),
        variant: random.pick([nil, "A", "B", "B", "\u{E9}", "e\u{301}"], or: nil),
        experiment: random.pick([nil, nil, "exp-1"], or: nil),
        surface: random.pick([nil, "onboarding", "settings"], or: nil),
        feature: random.pick([nil, nil, "map"], or: nil),
        appVersion: random.pick([nil, "1.10", "1.9", "2.0"], or: nil), osVersion: random.pick([nil, "26.1"], or: nil),
        platform: random.pick([nil, "ios"], or: nil), locale: random.pick([nil, "de_DE", "en-US"], or: nil),
        country: random.pick([nil, "DE", "US", "de"], or: nil)))
  }

  private mutating func status(_ kind: String) -> String? {
    let any = [
      "not_determined", "restricted", "denied", "authorized", "limited", "provisional", "ephemeral", "full_access",
      "write_only", "when_in_use", "always", "reduced_accuracy", "allowed_once", "declined_sharing",
      "approved_with_data_access",
    ]
    switch kind {
    case "granted", "re_enabled":
      return random.pick(
        [nil, nil, "authorized", "limited", "provisional", "write_only", "when_in_use"] + any.map { $0 }, or: nil)
    case "denied", "revoked": return random.pick([nil, "denied", "denied", "restricted", "authorized"], or: nil)
    case "status_checked": return random.pick([nil] + any.map { $0 }, or: nil)
    default: return random.once(in: 8) ? random.pick(any.map { $0 }, or: nil) : nil
    }
  }

  /// Copies of events: as they are, with another time, status, kind or variant, or the same id for another user.
  private mutating func addCopies() {
    for event in events where random.once(in: 8) {
      var copy = event
      switch Int.random(in: 0..<6, using: &random) {
      case 0: copy.timestamp = min(end, copy.timestamp + random.pick([1, -1, hour, -millisecondsPerDay], or: 1))
      case 1: copy.status = "restricted"
      case 2: copy.event = copy.permission == nil ? "feature_used" : random.pick(oracleKinds, or: "denied")
      case 3: copy.variant = "C"
      case 4: copy.userID = random.pick(events.map(\.userID), or: copy.userID)
      default: break
      }
      events.append(copy)
    }
  }
}
