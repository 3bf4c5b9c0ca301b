// The decision, by the always-valid sequence alone, and its reasons in sentences. The first state that
// applies is the decision; fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents

extension Comparison {
  /// Days on which exposures must lie before anything is decided: a whole week, with its weekend.
  private static let minimumDays = 7

  func decide(_ fold: ComparisonFold) -> (Decision, [String]) {
    let invalid = invalidReasons()
    if !invalid.isEmpty { return (.invalid, invalid) }
    let early = tooEarlyReasons(days: fold.days.count)
    if !early.isEmpty { return (.tooEarly, early) }
    if let now = difference?.value, let clean = contamination.differenceExcluding?.value, now * clean < 0 {
      return (
        .review,
        ["Without the users who saw both messages the difference has the other sign (\(points(clean)) points)."]
      )
    }
    guard let sequence = alwaysValid else { return (.tooEarly, [alwaysValidRefused ?? ""]) }
    let range = "\(points(sequence.low)) to \(points(sequence.high)) points"
    if sequence.low > 0 || sequence.high < 0 {
      let isHigher = sequence.low > 0
      let direction = metric.isGoodWhenHigh ? "higher is better" : "lower is better"
      return (
        isHigher == metric.isGoodWhenHigh ? .bWins : .aWins,
        [
          "The whole always-valid interval of the difference, \(range), lies \(isHigher ? "above" : "below") 0; for the \(metric.title) \(direction)."
        ]
      )
    }
    let effect = needed.minimumEffect
    if sequence.low >= -effect, sequence.high <= effect {
      return (
        .noDifference,
        [
          "The whole always-valid interval, \(range), lies within ± \(points(effect)) points, the smallest effect that matters."
        ]
      )
    }
    var reasons = ["The always-valid interval of the difference, \(range), still holds 0."]
    if let users = needed.perVariant, users > 0 {
      let days = needed.days.map { ", about \($0) days at the present traffic" } ?? ""
      reasons.append(
        "To see \(points(effect)) points with 80 % power takes some \(users) more users for each message\(days).")
    }
    return (.keepRunning, reasons)
  }

  private func invalidReasons() -> [String] {
    var reasons: [String] = []
    for arm in [a, b] where arm.counts.exposed == 0 {
      reasons.append("Nobody was shown \(arm.variant).")
    }
    if reasons.isEmpty, sampleRatio.isMismatch, let p = sampleRatio.pValue {
      let observed = sampleRatio.observed.map(String.init).joined(separator: " : ")
      reasons.append(
        "The users are not divided as planned (\(observed), p = \(Self.short(p))): assignment or logging is broken.")
    }
    if let share = contamination.share, share >= 0.1 {
      reasons.append("\(percent(share)) of the users saw both messages; from 10 % on a comparison says nothing.")
    }
    return reasons
  }

  private func tooEarlyReasons(days: Int) -> [String] {
    var reasons: [String] = []
    if let refused = alwaysValidRefused { reasons.append(refused) }
    if days < Self.minimumDays {
      reasons.append(
        "There are exposures on \(days) \(days == 1 ? "day" : "days"); a decision takes \(Self.minimumDays), weekend included."
      )
    }
    let exposed = a.counts.exposed + b.counts.exposed
    let pending = a.counts.pending + b.counts.pending
    if exposed > 0, Double(pending) > 0.2 * Double(exposed) {
      reasons.append(
        "\(percent(Double(pending) / Double(exposed))) of the journeys are pending; a decision takes at most 20 %.")
    }
    return reasons
  }

  private func points(_ value: Double) -> String {
    let text = Self.decimal(value * 100, 2)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : text
  }

  private func percent(_ value: Double) -> String { Self.decimal(value * 100, 1) + " %" }

  private static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 1 ? 10 : 100
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let rest = String(scaled % scale)
    return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)."
      + String(repeating: "0", count: places - rest.utf8.count) + rest
  }

  /// A p-value in two significant digits.
  private static func short(_ p: Double) -> String {
    guard p > 0 else { return "below 1e-300" }
    var exponent = 0
    var mantissa = p
    while mantissa < 1 {
      mantissa *= 10
      exponent -= 1
    }
    return "\(decimal(mantissa, 1))e\(exponent)"
  }
}
