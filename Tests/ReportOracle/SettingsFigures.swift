// Figure 5: the "Open Settings" alert after a denial.

import Foundation

/// `settings_prompt` of a row.
func settingsPrompt(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  let denied = base.of(.denied)
  let shown = denied.filter { settingsTime($0, terms) != nil }
  // "opened = a `settings_opened` in [ts, ts + W]".
  let opened = shown.filter { journey in
    guard let ts = settingsTime(journey, terms) else { return false }
    return journey.events.contains {
      $0.event == "settings_opened" && $0.timestamp >= ts && $0.timestamp <= ts + terms.responseWindow
    }
  }
  // "eligible = ts + S ≤ as_of; enabled = eligible with te in (ts, ts + S]".
  let eligible = shown.filter { journey in
    settingsTime(journey, terms).map { $0 + terms.settingsWindow <= terms.asOf } ?? false
  }
  let enabled = eligible.filter { enabledInSettingsWindow($0, terms) }
  return [
    "shown": .int(shown.count), "opened": .int(opened.count), "eligible": .int(eligible.count),
    "enabled": .int(enabled.count), "partial": .int(enabled.filter { $0.isEnabledInPart(terms) }.count),
    "trials": trials(denied, terms),
  ]
}

/// ts: "a `settings_prompt_shown` after t1 (the first, at ts)".
private func settingsTime(_ journey: OracleJourney, _ terms: Terms) -> Int? {
  journey.events.first { $0.event == "settings_prompt_shown" && $0.timestamp > journey.tr(terms) }?.timestamp
}

/// Whether te is in (ts, ts + S].
private func enabledInSettingsWindow(_ journey: OracleJourney, _ terms: Terms) -> Bool {
  guard let ts = settingsTime(journey, terms), let te = journey.te(terms) else { return false }
  return te > ts && te <= ts + terms.settingsWindow
}

/// One user's part in the trial of one day.
private struct Trial {
  let day: Int
  let isPrompted: Bool
  let isEnabled: Bool
  let isPromptedLater: Bool
}

/// The trials of one denied journey, day by day as they are defined.
private func trials(of journey: OracleJourney, _ terms: Terms) -> [Trial] {
  let t1 = journey.tr(terms)
  let (te, ts, window) = (journey.te(terms) ?? .max, settingsTime(journey, terms), terms.settingsWindow)
  return (0..<28).compactMap { d in
    let day = t1 + d * millisecondsPerDay..<t1 + (d + 1) * millisecondsPerDay
    // "Was not prompted on an earlier day."
    if let ts, ts < day.lowerBound { return nil }
    let isPrompted = ts.map(day.contains) ?? false
    // "Prompted if ts is on d, from ts; else not prompted, with an engagement event on d after t1, from the first such."
    let uses = journey.engagement.map(\.time).filter { day.contains($0) && $0 > t1 }
    guard let start = isPrompted ? ts : uses.min(), start + window <= terms.asOf else { return nil }
    // "It is off (no te so far)"; "left out if te ≤ o + 60 s".
    guard te > (isPrompted ? start : start + 60_000) else { return nil }
    return Trial(
      day: d, isPrompted: isPrompted, isEnabled: te <= start + window,
      isPromptedLater: !isPrompted && ts.map { $0 > start && $0 <= start + window } ?? false)
  }
}

private func trials(_ denied: [OracleJourney], _ terms: Terms) -> OracleJSON {
  let journeys = denied.map { trials(of: $0, terms) }
  let all = journeys.flatMap { $0 }
  func group(_ isPrompted: Bool) -> [Trial] { all.filter { $0.isPrompted == isPrompted } }
  var (p, q, varianceP, varianceQ) = (0.0, 0.0, 0.0, 0.0)
  for day in 0..<28 {
    let (prompted, others) = (group(true).filter { $0.day == day }, group(false).filter { $0.day == day })
    guard !prompted.isEmpty, !others.isEmpty else { continue }
    let (n, m) = (Double(prompted.count), Double(others.count))
    let (x, y) = (Double(prompted.filter(\.isEnabled).count), Double(others.filter(\.isEnabled).count))
    p += x * m / (n + m)
    q += y * n / (n + m)
    varianceP += x * pow(m / (n + m), 2)
    varianceQ += y * pow(n / (n + m), 2)
  }
  let returns = journeys.map { journey in Double(journey.filter { !$0.isPrompted && $0.isEnabled }.count) }
  var ratio: OracleEstimate?
  if q > 0 {
    ratio = OracleEstimate(value: p / q)
    if p > 0 {
      let phi = returns.map { $0 * $0 }.reduce(0, +) / returns.reduce(0, +)
      let half = z95 * (varianceP / (p * p) + phi * varianceQ / (q * q)).squareRoot()
      ratio = OracleEstimate(value: p / q, low: exp(log(p / q) - half), high: exp(log(p / q) + half))
    }
  }
  func counts(_ isPrompted: Bool) -> [OracleMember] {
    [
      OracleMember(key: "n", value: .int(group(isPrompted).count)),
      OracleMember(key: "enabled", value: .int(group(isPrompted).filter(\.isEnabled).count)),
    ]
  }
  let later = OracleMember(key: "prompted_later", value: .int(all.filter(\.isPromptedLater).count))
  return [
    "prompted": .object(counts(true)), "not_prompted": .object(counts(false) + [later]),
    "risk_ratio": OracleEstimate.json(ratio),
  ]
}
