// The figures of one pair of messages.

import Foundation

private func ofArm(_ arm: Int, _ journeys: [ComparedJourney]) -> [OracleJourney] {
  journeys.filter { $0.arm == arm }.map(\.journey)
}

func pair(
  _ all: [ComparedJourney], _ counted: [ComparedJourney], _ treatment: Int, _ looks: [OracleLook],
  _ evidence: OracleEvidence, _ options: OracleComparisonOptions, _ terms: Terms
) -> [OracleMember] {
  let a = ofArm(0, counted)
  let b = ofArm(treatment, counted)
  let (xa, na) = metricCounts(options.metric, a, terms)
  let (xb, nb) = metricCounts(options.metric, b, terms)
  let arms = 0..<options.variants.count
  var members: [OracleMember] = []
  func add(_ key: String, _ value: OracleJSON) { members.append(OracleMember(key: key, value: value)) }
  add("permission", .string(options.permission))
  add("property", .string(options.property))
  add("experiment", .text(options.experiment))
  add("screen", .string(options.screen))
  add("metric", .string(options.metric))
  // Without screens, or without any answer, nobody is known not to have answered.
  func arm(_ json: OracleJSON) -> OracleJSON {
    evidence.missing.contains { ["screens", "answers"].contains($0) } ? json.null(at: "dropped_off") : json
  }
  add("a", arm(armJSON(options.variants[0], a, options, terms)))
  add("b", arm(armJSON(options.variants[treatment], b, options, terms)))
  if arms.count == 2 { add("difference", OracleEstimate.json(rateDifference(xb, of: nb, minus: xa, of: na))) }
  add("p_value", na > 0 && nb > 0 ? .double(equalityPValue(xb, of: nb, against: xa, of: na)) : .null)
  add("sample_ratio", options.isOfMessages ? sampleRatio(all, arms) : .null)
  add("contaminated", options.isOfMessages ? contaminated(all, treatment, options, terms) : .null)
  add("secondary", .array(secondary(a, b, options, terms).map(evidence.known)))
  add("observations", .array(observations(a, b, options, terms).map(evidence.known)))
  add(
    "strata",
    .array(
      (["platform", "os_version", "app_version"] + extra(options)).filter { $0 != options.property }.map {
        strata($0, counted, treatment, options, terms)
      }))
  add("segments", segments(all, counted, treatment, options, terms))
  add("guardrails", .array(automaticGuardrail(a, b, evidence, options, terms)))
  add("series", .array(series(looks, treatment, options)))
  return members
}

/// A property beyond those that are always looked at.
private func extra(_ options: OracleComparisonOptions) -> [String] {
  guard let by = options.by, !["platform", "os_version", "app_version"].contains(by) else { return [] }
  return [by]
}

private func sampleRatio(_ all: [ComparedJourney], _ arms: Range<Int>) -> OracleJSON {
  let days = Set(all.map(\.journey.day0)).sorted()
  return [
    "observed": .array(arms.map { .int(ofArm($0, all).count) }),
    "days": .array(
      days.map { day in
        let ofDay = all.filter { $0.journey.day0 == day }
        return ["day": .string(dayName(day)), "observed": .array(arms.map { .int(ofArm($0, ofDay).count) })]
      }),
  ]
}

private func armJSON(
  _ variant: String, _ journeys: [OracleJourney], _ options: OracleComparisonOptions, _ terms: Terms
) -> OracleJSON {
  let base = journeys.filter(\.isInBase)
  let (x, n) = metricCounts(options.metric, journeys, terms)
  return [
    "variant": .string(variant), "exposed": .int(journeys.count), "pending": .int(journeys.count(of: .pending)),
    "restricted": .int(journeys.count(of: .restricted)), "base": .int(base.count),
    "granted": .int(base.count(of: .granted)), "denied": .int(base.count(of: .denied)),
    "skipped": .int(base.count(of: .skipped)), "dropped_off": .int(base.count(of: .droppedOff)),
    "successes": .int(x), "trials": .int(n), "rate": OracleEstimate.json(wilson(x, of: n)),
  ]
}

private func contaminated(
  _ all: [ComparedJourney], _ treatment: Int, _ options: OracleComparisonOptions, _ terms: Terms
) -> OracleJSON {
  let both = all.filter(\.isContaminated)
  func difference(_ journeys: [ComparedJourney]) -> OracleJSON {
    let (xa, na) = metricCounts(options.metric, ofArm(0, journeys), terms)
    let (xb, nb) = metricCounts(options.metric, ofArm(treatment, journeys), terms)
    guard na > 0, nb > 0 else { return .null }
    return ["value": .double(Double(xb) / Double(nb) - Double(xa) / Double(na))]
  }
  return [
    "users": .int(both.count), "share": all.isEmpty ? .null : .double(Double(both.count) / Double(all.count)),
    "policy": .string(options.policy), "difference_excluding": difference(all.filter { !$0.isContaminated }),
    "difference_first": difference(all),
    "users_by_first": .array([0, treatment].map { .int(ofArm($0, both).count) }),
    "exposed_by_first": .array([0, treatment].map { .int(ofArm($0, all).count) }),
  ]
}

private func secondary(
  _ a: [OracleJourney], _ b: [OracleJourney], _ options: OracleComparisonOptions, _ terms: Terms
) -> [OracleJSON] {
  let isOfSettings = options.screen == "settings"
  let names =
    isOfSettings
    ? ["settings_enabled", "settings_opened", "retention_day_7"]
    : [
      "grant_rate", "skip_rate", "deny_rate", "drop_off_rate", "granted_by_day_28", "retention_day_7", "kept_by_day_28",
    ]
  let rates = names.filter { $0 != options.metric }.map { name -> OracleJSON in
    let (xa, na) = metricCounts(name, a, terms)
    let (xb, nb) = metricCounts(name, b, terms)
    return [
      "metric": .string(name), "a": .real(na > 0 ? Double(xa) / Double(na) : nil),
      "b": .real(nb > 0 ? Double(xb) / Double(nb) : nil),
      "difference": OracleEstimate.json(rateDifference(xb, of: nb, minus: xa, of: na)),
      "p_value": na > 0 && nb > 0 ? .double(equalityPValue(xb, of: nb, against: xa, of: na)) : .null,
    ]
  }
  return rates + (isOfSettings ? [] : [["metric": .string("time_to_answer_ms")]])
}

/// The share enabled within 28 days, by Kaplan and Meier, for each way of not granting.
private func observations(
  _ a: [OracleJourney], _ b: [OracleJourney], _ options: OracleComparisonOptions, _ terms: Terms
) -> [OracleJSON] {
  if options.screen == "settings" { return [] }
  func share(_ journeys: [OracleJourney], _ outcome: OracleOutcome) -> OracleJSON {
    let lives = journeys.of(outcome).map { journey -> (day: Int, enabled: Bool) in
      let tr = journey.tr(terms)
      let te = journey.te(terms)
      return (((te ?? terms.asOf) - tr) / millisecondsPerDay, te != nil)
    }
    return kaplanMeier(lives, days: 28)["value"] ?? .null
  }
  let returning: [(String, OracleOutcome)] = [
    ("enabled_later_denied", .denied), ("enabled_later_skipped", .skipped), ("enabled_later_dropped_off", .droppedOff),
  ]
  let (xa, na) = metricCounts("prompt_grant_rate", a, terms)
  let (xb, nb) = metricCounts("prompt_grant_rate", b, terms)
  let prompt: OracleJSON = [
    "metric": .string("prompt_grant_rate"), "a": .real(na > 0 ? Double(xa) / Double(na) : nil),
    "b": .real(nb > 0 ? Double(xb) / Double(nb) : nil),
  ]
  return (options.metric == "prompt_grant_rate" ? [] : [prompt])
    + returning.map { ["metric": .string($0.0), "a": share(a, $0.1), "b": share(b, $0.1)] }
}

/// Values of a property at the exposure, none first, then bytewise; nil is none.
private func values(_ property: String, _ journeys: [ComparedJourney]) -> [String?] {
  let named = Set(journeys.compactMap { $0.journey.exposure.property(property).map(Bytes.init) }).sorted()
  let none = journeys.contains { $0.journey.exposure.property(property) == nil }
  return (none ? [nil] : []) + named.map { String(decoding: $0.utf8, as: UTF8.self) }
}

private func with(_ value: String?, of property: String, _ journeys: [ComparedJourney]) -> [ComparedJourney] {
  journeys.filter { $0.journey.exposure.property(property).map(Bytes.init) == value.map(Bytes.init) }
}

private func strata(
  _ property: String, _ counted: [ComparedJourney], _ treatment: Int, _ options: OracleComparisonOptions, _ terms: Terms
) -> OracleJSON {
  var used = 0
  var seen = 0
  var users = 0.0
  var sum = 0.0
  for value in values(property, counted) {
    let own = with(value, of: property, counted)
    let (xa, na) = metricCounts(options.metric, ofArm(0, own), terms)
    let (xb, nb) = metricCounts(options.metric, ofArm(treatment, own), terms)
    if na + nb > 0 { seen += 1 }
    guard na > 0, nb > 0 else { continue }
    used += 1
    users += Double(na + nb)
    sum += Double(na + nb) * (Double(xb) / Double(nb) - Double(xa) / Double(na))
  }
  return [
    "property": .string(property), "strata": .int(seen), "strata_used": .int(used),
    "post_stratified": used > 0 ? ["value": .double(sum / users)] : .null,
  ]
}

private func tally(_ journeys: [OracleJourney], _ options: OracleComparisonOptions, _ terms: Terms) -> OracleJSON {
  let (x, n) = metricCounts(options.metric, journeys, terms)
  return ["exposed": .int(journeys.count), "trials": .int(n), "successes": .int(x)]
}

/// "`kept_by_day_28` is one of `grant_rate` wherever there is evidence." Reading: its margin is the minimum effect.
private func automaticGuardrail(
  _ a: [OracleJourney], _ b: [OracleJourney], _ evidence: OracleEvidence, _ options: OracleComparisonOptions,
  _ terms: Terms
) -> [OracleJSON] {
  guard options.metric == "grant_rate", options.isOfMessages,
    !OracleEvidence.of("kept_by_day_28").contains(where: evidence.missing.contains)
  else { return [] }
  var ofGuardrail = options
  ofGuardrail.metric = "kept_by_day_28"
  return [
    [
      "metric": .string("kept_by_day_28"), "margin": .double(0.01), "automatic": .bool(true),
      "a": tally(a, ofGuardrail, terms), "b": tally(b, ofGuardrail, terms),
    ]
  ]
}

private func segments(
  _ all: [ComparedJourney], _ counted: [ComparedJourney], _ treatment: Int, _ options: OracleComparisonOptions,
  _ terms: Terms
) -> OracleJSON {
  guard let by = options.by else { return .null }
  let rows = values(by, all).compactMap { value -> OracleJSON? in
    let own = with(value, of: by, counted)
    let (a, b) = (ofArm(0, own), ofArm(treatment, own))
    guard !a.isEmpty || !b.isEmpty else { return nil }
    return ["value": .text(value), "a": tally(a, options, terms), "b": tally(b, options, terms)]
  }
  return ["property": .string(by), "segments": .array(rows)]
}

/// What each finished day adds to what is known, days that add nothing left out; below 0 if users leave.
private func series(_ looks: [OracleLook], _ treatment: Int, _ options: OracleComparisonOptions) -> [OracleJSON] {
  var before = [(successes: 0, trials: 0), (successes: 0, trials: 0)]
  return looks.compactMap { look in
    let now = [0, treatment].map { look.counts(options.metric, arm: $0, policy: options.policy) }
    defer { before = now }
    guard zip(now, before).contains(where: { $0 != $1 }) else { return nil }
    let added: [OracleJSON] = zip(now, before).map {
      ["trials": .int($0.trials - $1.trials), "successes": .int($0.successes - $1.successes)]
    }
    return ["day": .string(dayName(look.day)), "a": added[0], "b": added[1]]
  }
}

private func dayName(_ day: Int) -> String { String(rfc3339(day * millisecondsPerDay).prefix(10)) }

extension OracleJSON {
  /// This value with the keys alone that another one has, all the way down.
  public func withKeys(of other: OracleJSON) -> OracleJSON {
    switch (self, other) {
    case (.object(let members), .object(let wanted)):
      return .object(
        members.compactMap { member in
          wanted.first { $0.key == member.key }.map {
            OracleMember(key: member.key, value: member.value.withKeys(of: $0.value))
          }
        })
    case (.array(let elements), .array(let wanted)) where elements.count == wanted.count:
      return .array(zip(elements, wanted).map { $0.withKeys(of: $1) })
    default: return self
    }
  }
}
