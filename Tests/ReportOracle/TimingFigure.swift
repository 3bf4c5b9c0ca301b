// Figure 12: how early users were asked.

import Foundation

/// "For all weeks together (journeys chosen by `--from`, `--to`; not under `--by`): base and granted by time from install to t0, by
/// active days before, by `feature_used` before." Reading: an element for each permission that has a row.
///
/// - Parameters:
///   - events: stored events up to as_of.
///   - shown: exposed journeys that the report chooses.
///   - logStart: "`--log-start M`, default the oldest timestamp in the log".
func timing(
  _ events: [OracleEvent], _ shown: [OracleJourney], logStart: Int, _ terms: Terms,
  _ evidence: (String) -> OracleEvidence
) -> OracleJSON {
  let hasInstall = events.contains { $0.event == "app_installed" }
  let hasActivity = events.contains(where: \.isEngagement)
  let hasFeature = events.contains { $0.event == "feature_used" }
  return .array(
    names(shown.map(\.permission)).map { permission in
      let base = shown.filter { Bytes($0.permission) == Bytes(permission) && $0.isInBase }
      let placed = base.map { journey in
        (
          journey.outcome == .granted,
          Timing(journey, events.filter { Bytes($0.userID) == Bytes(journey.exposure.userID) }, logStart, terms)
        )
      }
      // "Every rate and figure by outcome" rests on answers.
      func known(_ scale: OracleJSON) -> OracleJSON {
        guard evidence(permission).missing.contains("answers") else { return scale }
        return ["classes.*.granted", "classes.*.rate", "trend_p"].reduce(scale) { $0.null(at: $1) }
      }
      return [
        "permission": .string(permission),
        "by_install": hasInstall
          ? known(
            classification(["under_1m", "1m_1h", "1h_1d", "1d_7d", "7d_up"], placed.map { ($0.0, $0.1.install) }))
          : .null,
        "by_active_days": hasActivity
          ? known(classification(["0", "1", "2_3", "4_7", "8_up"], placed.map { ($0.0, $0.1.activeDays) })) : .null,
        "by_feature_used": hasFeature
          ? known(classification(["0", "1_2", "3_9", "10_up"], placed.map { ($0.0, $0.1.featureUsed) })) : .null,
      ]
    })
}

/// The classes of one journey.
private struct Timing {
  var install = "unknown"
  var activeDays = "unknown"
  var featureUsed = "unknown"

  /// - Parameter events: all of the user.
  init(_ journey: OracleJourney, _ events: [OracleEvent], _ logStart: Int, _ terms: Terms) {
    let t0 = journey.t0
    let fourWeeks = 28 * millisecondsPerDay
    // "`unknown`: no `app_installed` at or before t0; the latest one counts", "lower end included".
    let installs = events.filter { $0.event == "app_installed" && $0.timestamp <= t0 }.map(\.timestamp)
    if let latest = installs.max() {
      switch t0 - latest {
      case ..<60_000: install = "under_1m"
      case ..<3_600_000: install = "1m_1h"
      case ..<86_400_000: install = "1h_1d"
      case ..<604_800_000: install = "1d_7d"
      default: install = "7d_up"
      }
    }
    // "`unknown` where t0 − 28 days lies before the log start and the user has no `app_installed` in the log at or before t0."
    if t0 - fourWeeks < logStart, installs.isEmpty { return }
    // "Days −27 to −1 in the report's zone, day 0 never, with engagement."
    let days = Set(events.filter(\.isEngagement).map { terms.calendar.day(of: $0.timestamp) - journey.day0 })
    switch days.filter({ (-27...(-1)).contains($0) }).count {
    case 0: activeDays = "0"
    case 1: activeDays = "1"
    case 2...3: activeDays = "2_3"
    case 4...7: activeDays = "4_7"
    default: activeDays = "8_up"
    }
    // "By `feature_used` in [t0 − 28 days, t0)."
    let uses = events.filter { $0.event == "feature_used" && $0.timestamp >= t0 - fourWeeks && $0.timestamp < t0 }
    switch uses.count {
    case 0: featureUsed = "0"
    case 1...2: featureUsed = "1_2"
    case 3...9: featureUsed = "3_9"
    default: featureUsed = "10_up"
    }
  }
}

private func classification(_ known: [String], _ placed: [(isGranted: Bool, name: String)]) -> OracleJSON {
  func group(_ name: String) -> (base: Int, granted: Int) {
    let own = placed.filter { $0.name == name }
    return (own.count, own.filter(\.isGranted).count)
  }
  return [
    "classes": .array(
      (known + ["unknown"]).map { name in
        let (base, granted) = group(name)
        return [
          "class": .string(name), "base": .int(base), "granted": .int(granted),
          "rate": OracleEstimate.json(wilson(granted, of: base)),
        ]
      }),
    "trend_p": .real(trendPValue(known.map(group))),
  ]
}

/// "Cochran–Armitage over the known classes: scores 0, 1, 2 … (an empty class keeps its score),
/// z = Σ sᵢ(gᵢ − nᵢp̄)/√(p̄(1−p̄)(Σnᵢsᵢ² − (Σnᵢsᵢ)²/N)), two-sided; null below two known classes with a base, or where none or all
/// granted."
private func trendPValue(_ classes: [(base: Int, granted: Int)]) -> Double? {
  let all = classes.reduce(0) { $0 + $1.base }
  let granted = classes.reduce(0) { $0 + $1.granted }
  guard classes.filter({ $0.base > 0 }).count >= 2, granted > 0, granted < all else { return nil }
  let (n, p) = (Double(all), Double(granted) / Double(all))
  var (above, first, second) = (0.0, 0.0, 0.0)
  for (score, group) in classes.enumerated() {
    let s = Double(score)
    above += s * (Double(group.granted) - Double(group.base) * p)
    first += Double(group.base) * s
    second += Double(group.base) * s * s
  }
  let z = above / (p * (1 - p) * (second - first * first / n)).squareRoot()
  return erfc(abs(z) / 2.0.squareRoot())
}
