// The findings of an audit that are about how the app asks, and about answers: counts, shares and what it seems to cost.

import Foundation

/// One check of one permission (or of none), found or not.
private struct OracleFinding {
  var id: String
  var severity: String
  var permission: String?
  var users: Int?
  var of: Int?
  var cost: OracleEstimate?
  /// Users that it holds for.
  var who: [Bytes] = []
  var leftOut: String?
}

/// "Severity: error for …, note for …, else warning."
private func usualSeverity(_ id: String) -> String {
  if ["no_way_back", "missing_purpose", "asked_after_denial"].contains(id) { return "error" }
  return ["unused_purpose", "no_activity", "answers_without_screens"].contains(id) ? "note" : "warning"
}

/// The share that each is reported from, in millionths.
private let usualThresholds = [
  "cold_ask": 100_000, "asked_at_once": 100_000, "several_at_once": 50_000, "asked_after_not_now": 20_000,
  "asked_after_denial": 20_000, "pestering": 20_000, "no_way_back": 1_000_000, "settings_prompt_ignored": 950_000,
  "not_rechecked": 500_000, "partial_left": 500_000, "answers_without_screens": 50_000,
]

/// The checks that `oracleAudit` has.
public let oracleAuditChecks = Array(usualThresholds.keys) + ["one_sided_answers"]

/// `findings` and `others` of `permlog audit --format json --all`, of the checks that are counted of journeys.
public func oracleAudit(_ events: [OracleEvent], _ options: OracleAuditOptions) -> OracleJSON {
  let stored = withoutDuplicates(events)
  let asOf = options.asOf ?? usualMoment(stored, OracleCalendar(options.timeZone)) ?? 0
  let calendar = OracleCalendar(options.timeZone)
  // "Durations here are fixed."
  let terms = Terms(
    asOf: asOf, responseWindow: 30 * 60_000, followUp: 28 * millisecondsPerDay, calendar: calendar)
  let seen = stored.filter { $0.timestamp <= asOf }.sorted(by: isEarlier)
  let reading = OracleReading(seen, terms)
  let read = Dictionary(grouping: reading.read(seen), by: { Bytes($0.userID) })
  let start = options.logStart ?? stored.map(\.timestamp).min() ?? 0
  let interval = OracleInterval(OracleOptions(timeZone: options.timeZone, from: options.from, to: options.to), calendar)
  var all: [OracleAuditJourney] = []
  var unexposed: [(user: Bytes, permission: Bytes)] = []
  for (user, own) in Dictionary(grouping: seen, by: { Bytes($0.userID) }) {
    let first = (read[user] ?? []).filter { $0.event != OracleEvent.unseenPrompt }.map(\.timestamp).min()
    let ofPermissions = (read[user] ?? []).filter { $0.isOfPermission && $0.permission != nil }
    for (name, ofOne) in Dictionary(grouping: ofPermissions, by: { Bytes($0.permission ?? "") }) {
      if let journey = OracleJourney(permission: name.text, events: ofOne, engagement: [], reading, terms: terms) {
        all.append(
          OracleAuditJourney(
            user: user, journey: journey, ofUser: own, firstEvent: first, terms: terms, logStart: start))
      } else if ofOne.contains(where: \.isAnswer) {
        unexposed.append((user, name))
      }
    }
  }
  let chosen = all.filter { one in
    one.journey.outcome != .pending && interval.contains(one.journey.t0)
      && options.conditions.hold(one.journey.exposure)
  }
  func logHas(_ kind: String) -> Bool { seen.contains { $0.event == kind } }
  var found: [OracleFinding] = []
  for name in Set(chosen.map { Bytes($0.journey.permission) }) {
    found += practice(name, chosen.filter { Bytes($0.journey.permission) == name }, options, logHas)
  }
  found.append(several(chosen, options))
  for name in Set(all.map { Bytes($0.journey.permission) } + unexposed.map(\.permission)) {
    let exposed = all.filter { Bytes($0.journey.permission) == name }
    found += answers(name, exposed, unexposed.filter { $0.permission == name }.map(\.user), options)
  }
  if let only = options.permission {
    found = found.filter { finding in finding.permission.map { Bytes($0) == Bytes(only) } ?? true }
  }
  found.sort(by: isBefore)
  return [
    "findings": .array(found.filter { $0.leftOut == nil }.map { json($0, options) }),
    "others": .array(found.filter { $0.leftOut != nil }.map { json($0, options) }),
  ]
}

private func practice(
  _ name: Bytes, _ journeys: [OracleAuditJourney], _ options: OracleAuditOptions, _ logHas: (String) -> Bool
) -> [OracleFinding] {
  func finding(
    _ id: String, _ of: [OracleAuditJourney], needs kind: String? = nil, cost: OracleEstimate? = nil,
    _ holds: (OracleAuditJourney) -> Bool
  ) -> OracleFinding {
    // "If the log holds no … at all, the finding that needs it is a note."
    let isLogged = kind.map(logHas) ?? true
    let bad = of.filter(holds)
    return OracleFinding(
      id: id, severity: isLogged ? usualSeverity(id) : "note", permission: name.text, users: bad.count, of: of.count,
      cost: cost, who: bad.map(\.user), leftOut: leftOut(id, bad.count, of.count, options))
  }
  func costs(_ with: [OracleAuditJourney], _ without: [OracleAuditJourney]) -> OracleEstimate? {
    let (a, b) = (without.map(\.journey).filter(\.isInBase), with.map(\.journey).filter(\.isInBase))
    return rateDifference(a.count(of: .granted), of: a.count, minus: b.count(of: .granted), of: b.count)
  }
  let cold = journeys.filter(\.journey.beginsWithPrompt)
  let explained = journeys.filter(\.journey.beginsWithExplanation)
  let used = journeys.filter { $0.firstUse != nil }
  var ignored = finding("settings_prompt_ignored", journeys.filter(\.isPromptedToSettings)) {
    $0.isSettingsPromptIgnored
  }
  // "Not where the log has none at all."
  if !logHas("settings_opened") { (ignored.users, ignored.who, ignored.leftOut) = (nil, [], "nothing_to_see") }
  return [
    // Without explanations in the log those who were explained are the "Not now"s alone.
    finding(
      "cold_ask", journeys, needs: "explanation_shown",
      cost: logHas("explanation_shown") ? costs(cold, explained) : costs([], [])
    ) { $0.journey.beginsWithPrompt },
    finding("asked_at_once", used, cost: costs(used.filter(\.isAtOnce), used.filter { !$0.isAtOnce })) { $0.isAtOnce },
    finding("asked_after_not_now", journeys.filter(\.hasSkip)) { $0.isAskedAfterNotNow },
    finding("asked_after_denial", journeys.filter(\.isEverOff)) { $0.isAskedAfterDenial },
    finding("pestering", journeys) { $0.isPestered },
    finding("no_way_back", journeys.filter(\.isDeniedAndFollowed), needs: "settings_prompt_shown") { $0.hasNoWayBack },
    ignored,
    finding("not_rechecked", journeys.filter(\.isUpdated), needs: "status_checked") { $0.isNotRechecked },
    finding("partial_left", journeys.filter(\.isFollowedPartial)) { $0.isPartialLeft },
  ]
}

/// "Permission null; of users with three journeys or more: three t0, the last within 60 s of the first."
private func several(_ chosen: [OracleAuditJourney], _ options: OracleAuditOptions) -> OracleFinding {
  let users = Dictionary(grouping: chosen, by: \.user).filter { $0.value.count >= 3 }
  let atOnce = users.filter { _, journeys in
    let times = journeys.map(\.journey.t0)
    return times.contains { first in times.filter { $0 >= first && $0 - first <= 60_000 }.count >= 3 }
  }
  func pairs(_ users: [Bytes: [OracleAuditJourney]]) -> [(granted: Double, base: Double)] {
    users.values.map { journeys in
      let base = journeys.map(\.journey).filter(\.isInBase)
      return (Double(base.count(of: .granted)), Double(base.count))
    }
  }
  return OracleFinding(
    id: "several_at_once", severity: "warning", permission: nil, users: atOnce.count, of: users.count,
    cost: ratioDifference(pairs(users.filter { atOnce[$0.key] == nil }), pairs(atOnce)), who: Array(atOnce.keys),
    leftOut: leftOut("several_at_once", atOnce.count, users.count, options))
}

/// The difference of two ratios of sums over users. Cochran (1977), chapter 6: v(R) = Σ(y − Rx)² / (n (n − 1) x̄²).
private func ratioDifference(
  _ first: [(granted: Double, base: Double)], _ second: [(granted: Double, base: Double)]
) -> OracleEstimate? {
  func ratio(_ users: [(granted: Double, base: Double)]) -> (value: Double, variance: Double)? {
    let base = users.map(\.base).reduce(0, +)
    guard base > 0 else { return nil }
    let value = users.map(\.granted).reduce(0, +) / base
    let squares = users.map { pow($0.granted - value * $0.base, 2) }.reduce(0, +)
    let count = Double(users.count)
    return (value, count < 2 ? 0 : squares / (count * (count - 1) * pow(base / count, 2)))
  }
  guard let a = ratio(first), let b = ratio(second) else { return nil }
  let reach = z95 * (a.variance + b.variance).squareRoot()
  let difference = a.value - b.value
  // Reading: no interval below 30 users in a group, or if nothing varies.
  guard min(first.count, second.count) >= 30, reach > 1e-9 else { return OracleEstimate(value: difference) }
  return OracleEstimate(value: difference, low: difference - reach, high: difference + reach)
}

/// Of the whole log, whatever the filters.
private func answers(
  _ name: Bytes, _ exposed: [OracleAuditJourney], _ unexposed: [Bytes], _ options: OracleAuditOptions
) -> [OracleFinding] {
  let (count, all) = (unexposed.count, unexposed.count + exposed.count)
  var found = [
    OracleFinding(
      id: "answers_without_screens", severity: "note", permission: name.text, users: count, of: all, who: unexposed,
      leftOut: leftOut("answers_without_screens", count, all, options, least: 1))
  ]
  guard !exposed.isEmpty, name.text != "health_read", name.text != "mail" else { return found }
  // "Granted + denied of the base ≥ 50 and one of them 0."
  let answered = exposed.filter { $0.journey.outcome == .granted || $0.journey.outcome == .denied }
  let granted = exposed.map(\.journey).count(of: .granted)
  let isOneSided = granted == 0 || granted == answered.count
  let why =
    answered.isEmpty ? "nothing_to_see" : answered.count < 50 ? "too_few" : isOneSided ? nil : "below_threshold"
  found.append(
    OracleFinding(
      id: "one_sided_answers", severity: "warning", permission: name.text, users: answered.count,
      who: answered.map(\.user), leftOut: why))
  return found
}

/// "Practice findings are reported from their threshold on where `of` ≥ 30." Reading: nobody is no finding.
private func leftOut(
  _ id: String, _ users: Int, _ of: Int, _ options: OracleAuditOptions, least: Int = 30
) -> String? {
  if of == 0 { return "nothing_to_see" }
  if of < least { return "too_few" }
  let threshold = options.thresholds[id] ?? usualThresholds[id] ?? 0
  return users > 0 && users * 1_000_000 >= of * threshold ? nil : "below_threshold"
}

/// "By severity, share descending, id, permission." Reading: no share is last, no permission first.
private func isBefore(_ a: OracleFinding, _ b: OracleFinding) -> Bool {
  let severities = ["error", "warning", "note"]
  func share(_ finding: OracleFinding) -> Double {
    guard let users = finding.users, let of = finding.of, of > 0 else { return -1 }
    return Double(users) / Double(of)
  }
  let (left, right) = (severities.firstIndex(of: a.severity) ?? 3, severities.firstIndex(of: b.severity) ?? 3)
  if left != right { return left < right }
  if share(a) != share(b) { return share(a) > share(b) }
  if a.id != b.id { return a.id < b.id }
  return Bytes(a.permission ?? "") < Bytes(b.permission ?? "")
}

private func json(_ finding: OracleFinding, _ options: OracleAuditOptions) -> OracleJSON {
  var examples: [OracleJSON] = []
  if let hash = options.hash {
    let order = Set(finding.who).sorted { a, b in
      let (left, right) = (hash(a.text), hash(b.text))
      return left != right ? left < right : a < b
    }
    examples = order.prefix(options.examples).map { .string($0.text) }
  }
  var share: OracleEstimate?
  if let users = finding.users, let of = finding.of { share = wilson(users, of: of) }
  let shown: OracleJSON = [
    "id": .string(finding.id), "severity": .string(finding.severity), "permission": .text(finding.permission),
    "users": .whole(finding.users), "of": .whole(finding.of), "share": OracleEstimate.json(share),
    "cost": OracleEstimate.json(finding.cost), "examples": .array(examples),
  ]
  guard case .object(let members) = shown, let why = finding.leftOut else { return shown }
  return .object(members + [OracleMember(key: "left_out", value: .string(why))])
}
