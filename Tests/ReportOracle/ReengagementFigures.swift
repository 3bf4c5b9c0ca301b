// Figure 4: who turned a permission on after saying no.

import Foundation

/// `enabled_later`: for denied, skipped and dropped off.
func enabledLater(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  [
    "denied": enabledLater(of: base.of(.denied), terms), "skipped": enabledLater(of: base.of(.skipped), terms),
    "dropped_off": enabledLater(of: base.of(.droppedOff), terms),
  ]
}

private func enabledLater(of journeys: [OracleJourney], _ terms: Terms) -> OracleJSON {
  // "eligible = tr + H ≤ as_of; enabled = eligible with te ≤ tr + H".
  let eligible = journeys.filter { $0.tr(terms) + terms.followUp <= terms.asOf }
  let enabled = eligible.filter { journey in
    journey.te(terms).map { $0 <= journey.tr(terms) + terms.followUp } ?? false
  }
  let lives = journeys.map { life($0, terms) }
  return [
    "eligible": .int(eligible.count), "enabled": .int(enabled.count),
    "rate": OracleEstimate.json(wilson(enabled.count, of: eligible.count)),
    "partial": .int(enabled.filter { $0.isEnabledInPart(terms) }.count),
    "kaplan_meier": .array([1, 7, 28].map { kaplanMeier(lives, days: $0) }),
  ]
}

/// "Whole days since tr; censored at as_of."
private func life(_ journey: OracleJourney, _ terms: Terms) -> (day: Int, enabled: Bool) {
  let tr = journey.tr(terms)
  if let te = journey.te(terms) { return ((te - tr) / millisecondsPerDay, true) }
  return ((terms.asOf - tr) / millisecondsPerDay, false)
}

/// "The share enabled by day n, that is within the first n days 0 … n − 1, with the number at risk at the start of the
/// last of them; null where that is 0." Those censored on a day are at risk on that day.
func kaplanMeier(_ lives: [(day: Int, enabled: Bool)], days: Int) -> OracleJSON {
  var survival = 1.0
  var greenwood = 0.0
  for day in 0..<days {
    let atRisk = Double(lives.filter { $0.day >= day }.count)
    let enabled = Double(lives.filter { $0.day == day && $0.enabled }.count)
    if enabled > 0 {
      survival *= 1 - enabled / atRisk
      greenwood += enabled / (atRisk * (atRisk - enabled))
    }
  }
  let atRiskOnLastDay = lives.filter { $0.day >= days - 1 }.count
  var low: Double?
  var high: Double?
  // "Log–log Greenwood interval, none where the share is 0 or 1": S^exp(±z √G / ln S), turned round for the share.
  if survival > 0, survival < 1 {
    let width = z95 * greenwood.squareRoot() / log(survival)
    let bounds = [1 - pow(survival, exp(width)), 1 - pow(survival, exp(-width))]
    low = bounds.min()
    high = bounds.max()
  }
  let known = atRiskOnLastDay > 0
  return [
    "day": .int(days), "at_risk": .int(atRiskOnLastDay), "value": .real(known ? 1 - survival : nil),
    "low": .real(known ? low : nil), "high": .real(known ? high : nil),
  ]
}
