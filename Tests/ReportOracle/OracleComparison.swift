// A comparison of messages in the plainest way: loops over all users, nothing shared with the product.

import Foundation

/// What a comparison was asked for. Durations are milliseconds.
public struct OracleComparisonOptions: Sendable {
  public var permission: String
  /// A property's JSON name, whose values are compared.
  public var property = "variant"
  /// Values of it, the control first.
  public var variants: [String]
  public var experiment: String?
  /// `permission` or `settings`.
  public var screen = "permission"
  public var metric = "grant_rate"
  /// `first` or `exclude`.
  public var policy = "first"
  /// A property's JSON name.
  public var by: String?
  /// Conditions on the exposure, which all hold.
  public var conditions: [OracleCondition] = []
  /// Days as `2026-03-02` in the zone: t0 in [from, to).
  public var from, to: String?
  public var timeZone: TimeZone = .gmt
  public var asOf: Int?
  public var responseWindow = 1_800_000
  public var followUp = 28 * 86_400_000
  public var atOnce = 250

  public init(permission: String, variants: [String]) {
    self.permission = permission
    self.variants = variants
  }
}

extension OracleComparisonOptions {
  func isBefore(_ event: OracleEvent, _ terms: Terms) -> Bool {
    from.map { event.timestamp < terms.calendar.firstMoment(ofDay: terms.calendar.day(named: $0) ?? 0) } ?? false
  }

  func isAfter(_ event: OracleEvent, _ terms: Terms) -> Bool {
    to.map { event.timestamp >= terms.calendar.firstMoment(ofDay: terms.calendar.day(named: $0) ?? 0) } ?? false
  }

  /// "Users exposed to any variant of the experiment (without `--experiment`: to A or B)."
  func isOfTest(_ event: OracleEvent) -> Bool {
    if experiment != nil, isOfMessages { return event.variant?.isEmpty == false }
    return variants.contains { Bytes($0) == event.property(property).map(Bytes.init) }
  }

  /// "For another property than variant nothing was assigned at random."
  var isOfMessages: Bool { property == "variant" }
}

/// A journey of one of the arms.
struct ComparedJourney {
  let journey: OracleJourney
  let arm: Int
  /// "Users with screen events of both A and B (in that experiment), up to as_of": of Settings messages, with Settings prompts of both.
  let isContaminated: Bool
}

/// The counts of a comparison, and the numbers that follow from them with a line each.
///
/// - Parameter events: in the order of ingestion, duplicates and all.
/// - Returns: keys of `compare --format json`, those that the oracle knows.
public func oracleComparison(_ events: [OracleEvent], _ options: OracleComparisonOptions) -> OracleJSON {
  let history = OracleComparedHistory(events, options)
  let terms = history.terms
  var before = 0
  let all = comparedJourneys(history.events, history.reading, options, terms, exposedBefore: &before)
  let counted = all.filter { options.policy == "first" || !$0.isContaminated }
  let others = options.variants.count - 1
  let looks = oracleLooks(events, options)
  let evidence = history.evidence(options)
  let first = pair(all, counted, 1, looks, evidence, options, terms)
  let rest = others > 1 ? (2...others).map { pair(all, counted, $0, looks, evidence, options, terms) } : []
  let conditions = OracleMember(key: "where", value: options.conditions.json)
  let dates = OracleMember(key: "exposed_before", value: options.from == nil ? .null : .int(before))
  return .object(first + [conditions, dates, OracleMember(key: "others", value: .array(rest.map { .object($0) }))])
}

/// What a comparison looks at: events up to as_of, as questions read them.
struct OracleComparedHistory {
  let terms: Terms
  let reading: OracleReading
  let events: [OracleEvent]

  init(_ events: [OracleEvent], _ options: OracleComparisonOptions) {
    let stored = withoutDuplicates(events)
    terms = Terms(
      asOf: options.asOf ?? usualMoment(stored, OracleCalendar(options.timeZone)) ?? 0,
      responseWindow: options.responseWindow,
      followUp: options.followUp, calendar: OracleCalendar(options.timeZone), atOnce: options.atOnce)
    let asOf = terms.asOf
    let seen = stored.filter { $0.timestamp <= asOf }.sorted(by: isEarlier)
    reading = OracleReading(seen, terms)
    self.events = reading.read(seen)
  }

  func evidence(_ options: OracleComparisonOptions) -> OracleEvidence {
    let all = journeys(events, reading, permission: options.permission, terms).exposed
    return OracleEvidence(events, reading, all, options.permission, terms)
  }
}

func comparedJourneys(
  _ events: [OracleEvent], _ reading: OracleReading, _ options: OracleComparisonOptions, _ terms: Terms
) -> [ComparedJourney] {
  var before = 0
  return comparedJourneys(events, reading, options, terms, exposedBefore: &before)
}

/// - Parameter events: as questions read them.
func comparedJourneys(
  _ events: [OracleEvent], _ reading: OracleReading, _ options: OracleComparisonOptions, _ terms: Terms,
  exposedBefore: inout Int
) -> [ComparedJourney] {
  var result: [ComparedJourney] = []
  for (_, ofUser) in Dictionary(grouping: events, by: { Bytes($0.userID) }).sorted(by: { $0.key < $1.key }) {
    let engagement = ofUser.filter(\.isEngagement)
    let own = ofUser.filter {
      $0.isOfPermission && $0.permission.map(Bytes.init) == Bytes(options.permission)
    }
    if options.screen == "settings" {
      if let compared = comparedBySettingsPrompt(own, engagement, reading, options, terms, &exposedBefore) {
        result.append(compared)
      }
      continue
    }
    // "With `--experiment`: t0 is the first screen event of that experiment." What exposes a journey without a screen is one as well.
    let exposing = OracleJourney.exposure(own, isAlone: reading.isAnsweredAlone(options.permission))
    func counts(_ place: Int) -> Bool {
      (own[place].isScreen || place == exposing)
        && (options.experiment == nil || own[place].experiment.map(Bytes.init) == options.experiment.map(Bytes.init))
    }
    func arm(_ event: OracleEvent) -> Int? {
      options.variants.firstIndex { Bytes($0) == event.property(options.property).map(Bytes.init) }
    }
    guard let start = own.indices.first(where: counts) else { continue }
    if options.isBefore(own[start], terms) {
      exposedBefore += options.isOfTest(own[start]) && options.conditions.hold(own[start]) ? 1 : 0
      continue
    }
    guard !options.isAfter(own[start], terms), let first = arm(own[start]) else { continue }
    // "No contamination check (users meet several values naturally)."
    let arms = options.isOfMessages ? Set(own.indices.filter(counts).compactMap { arm(own[$0]) }) : [first]
    // Screens of other experiments after it are part of it.
    if let journey = OracleJourney(
      permission: options.permission, events: own, engagement: engagement, reading, terms: terms, exposure: start),
      options.conditions.hold(journey.exposure)
    {
      result.append(ComparedJourney(journey: journey, arm: first, isContaminated: arms.count > 1))
    }
  }
  return result
}

/// "The journeys are the denied ones, exposed at ts by the variant and properties of that `settings_prompt_shown`."
private func comparedBySettingsPrompt(
  _ own: [OracleEvent], _ engagement: [OracleEvent], _ reading: OracleReading, _ options: OracleComparisonOptions,
  _ terms: Terms, _ exposedBefore: inout Int
) -> ComparedJourney? {
  // Reading: a denial counts as one at once. Its prompt has been seen, and is pending.
  var whenever = terms
  whenever.asOf = .max
  guard
    let journey = OracleJourney(
      permission: options.permission, events: own, engagement: engagement, reading, terms: whenever),
    journey.outcome == .denied
  else { return nil }
  // "t0 = ts is the first Settings prompt of that experiment."
  let prompts = own.filter { event in
    event.event == "settings_prompt_shown"
      && (options.experiment == nil || event.experiment.map(Bytes.init) == options.experiment.map(Bytes.init))
  }
  func arm(_ event: OracleEvent) -> Int? {
    options.variants.firstIndex { Bytes($0) == event.property(options.property).map(Bytes.init) }
  }
  guard let prompt = prompts.first(where: { $0.timestamp > journey.tr(terms) }) else { return nil }
  if options.isBefore(prompt, terms) {
    exposedBefore += options.isOfTest(prompt) && options.conditions.hold(prompt) ? 1 : 0
    return nil
  }
  guard !options.isAfter(prompt, terms), let first = arm(prompt),
    options.conditions.hold(prompt)
  else { return nil }
  return ComparedJourney(
    journey: journey.exposed(by: prompt, terms), arm: first,
    isContaminated: options.isOfMessages && Set(prompts.compactMap(arm)).count > 1)
}

/// "`settings_enabled` (te in (ts, ts + S])", settled at ts + S, of denied journeys: one whose own window is open is pending.
private func enabledAfterPrompt(_ journeys: [OracleJourney], _ terms: Terms) -> (successes: Int, trials: Int) {
  let settled = journeys.filter { journey in
    journey.t0 + terms.settingsWindow <= terms.asOf && (journey.ownWindowEnd ?? .max) <= terms.asOf
  }
  let enabled = settled.filter { journey in
    guard let te = journey.te(terms) else { return false }
    return te > journey.t0 && te <= journey.t0 + terms.settingsWindow
  }
  return (enabled.count, settled.count)
}

/// "No `revoked` or `status_checked` with `denied` in (t1, t1 + H]."
private func isKept(_ journey: OracleJourney, _ terms: Terms) -> Bool {
  guard let t1 = journey.answer?.timestamp else { return false }
  return !journey.events.contains { findsOff($0) && $0.timestamp > t1 && $0.timestamp <= t1 + terms.followUp }
}

/// Successes and trials of a metric.
func metricCounts(_ name: String, _ journeys: [OracleJourney], _ terms: Terms) -> (successes: Int, trials: Int) {
  let base = journeys.filter(\.isInBase)
  switch name {
  case "settings_enabled": return enabledAfterPrompt(journeys, terms)
  case "settings_opened":
    // "A `settings_opened` in [ts, ts + W]."
    let opened = base.filter { journey in
      journey.events.contains { event in
        event.event == "settings_opened" && event.timestamp >= journey.t0
          && event.timestamp <= journey.t0 + terms.responseWindow
      }
    }
    return (opened.count, base.count)
  case "grant_rate": return (base.count(of: .granted), base.count)
  case "deny_rate": return (base.count(of: .denied), base.count)
  case "skip_rate": return (base.count(of: .skipped), base.count)
  case "drop_off_rate": return (base.count(of: .droppedOff), base.count)
  case "prompt_grant_rate":
    return (base.count(of: .granted), base.count(of: .granted) + base.count(of: .denied))
  case "granted_by_day_28":
    let eligible = base.filter { $0.t0 + terms.followUp <= terms.asOf }
    let granted = eligible.filter { $0.foundOnByFollowUp(terms) != nil }
    return (granted.count, eligible.count)
  case "kept_by_day_28":
    // "Settled at t0 + W + H for every journey."
    let settled = base.filter { $0.t0 + terms.responseWindow + terms.followUp <= terms.asOf }
    return (settled.of(.granted).filter { isKept($0, terms) }.count, settled.count)
  default:
    // retention_day_7: "eligible when the first moment of day n + 1 ≤ as_of".
    let eligible = base.filter { terms.calendar.firstMoment(ofDay: $0.day0 + 8) <= terms.asOf }
    return (eligible.filter { $0.engagement.contains { $0.dayAfterExposure == 7 } }.count, eligible.count)
  }
}
