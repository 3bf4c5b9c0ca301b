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

  let follows = denied.map { settingsFollowUp($0, terms) }
  let exposed = SettingsRate(
    milliseconds: follows.map(\.exposed).reduce(0, +), enabled: follows.filter(\.enabledExposed).count)
  let unexposed = SettingsRate(
    milliseconds: follows.map(\.unexposed).reduce(0, +), enabled: follows.filter(\.enabledUnexposed).count)
  return [
    "shown": .int(shown.count), "opened": .int(opened.count), "eligible": .int(eligible.count),
    "enabled": .int(enabled.count), "partial": .int(enabled.filter { $0.isEnabledInPart(terms) }.count),
    "exposed": exposed.json, "unexposed": unexposed.json,
    "rate_ratio": OracleEstimate.json(rateRatio(exposed, unexposed)),
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

/// One journey's time with and without a recent settings prompt, in milliseconds.
private struct SettingsFollowUp {
  var exposed: Int
  var unexposed: Int
  var enabledExposed: Bool
  var enabledUnexposed: Bool
}

/// "Follow each denied journey from t1 to min(te, t1 + H, as_of); time in (ts, ts + S] is exposed, the rest is not."
/// A te at the very end of the follow-up is an enabling, as it is in figure 4.
private func settingsFollowUp(_ journey: OracleJourney, _ terms: Terms) -> SettingsFollowUp {
  let t1 = journey.tr(terms)
  let horizon = min(t1 + terms.followUp, terms.asOf)
  let te = journey.te(terms)
  let end = min(te ?? horizon, horizon)
  var exposed = 0
  if let ts = settingsTime(journey, terms) {
    exposed = max(0, min(end, ts + terms.settingsWindow) - min(end, ts))
  }
  let enabled = te.map { $0 <= horizon } ?? false
  let whileExposed = enabled && enabledInSettingsWindow(journey, terms)
  return SettingsFollowUp(
    exposed: exposed, unexposed: end - t1 - exposed, enabledExposed: whileExposed,
    enabledUnexposed: enabled && !whileExposed)
}

/// Enablings over person-time.
struct SettingsRate {
  var milliseconds: Int
  var enabled: Int

  var personDays: Double { Double(milliseconds) / Double(millisecondsPerDay) }
  /// Null if there is no person-time.
  var per100PersonDays: Double? { milliseconds > 0 ? 100 * Double(enabled) / personDays : nil }

  var json: OracleJSON {
    [
      "person_days": .double(personDays), "enabled": .int(enabled), "per_100_person_days": .real(per100PersonDays),
    ]
  }
}

/// "Their ratio and its log-normal interval (exp(ln r ± z √(1/a + 1/b))). Null only where a person-time or the
/// unexposed rate is 0; with no exposed enabling it is 0, without interval."
func rateRatio(_ exposed: SettingsRate, _ unexposed: SettingsRate) -> OracleEstimate? {
  guard let above = exposed.per100PersonDays, let below = unexposed.per100PersonDays, below > 0 else { return nil }
  if exposed.enabled == 0 { return OracleEstimate(value: 0) }
  let ratio = above / below
  let half = z95 * (1 / Double(exposed.enabled) + 1 / Double(unexposed.enabled)).squareRoot()
  return OracleEstimate(value: ratio, low: exp(log(ratio) - half), high: exp(log(ratio) + half))
}
