// The decision, by the always-valid sequence (or declared looks) alone, and its reasons in sentences. The first state
// that applies is the decision; fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents

extension Comparison {
  /// Days on which exposures must lie before anything is decided: a whole week, with its weekend.
  private static let minimumDays = 7

  func decide(exposureDays: Int) -> (Decision, [String]) {
    let invalid = invalidReasons()
    if !invalid.isEmpty { return (.invalid, invalid) }
    let early = tooEarlyReasons(days: exposureDays)
    if !early.isEmpty { return (.tooEarly, early) }
    let review = reviewReasons()
    if !review.isEmpty { return (.review, review) }
    if let looks, looks.deciding == nil { return (.keepRunning, waitingReasons(looks)) }
    guard let headline, headline.kind != .oneLook else { return (.tooEarly, [alwaysValidRefused ?? ""]) }
    let range = "\(Sentence.points(headline.low)) to \(Sentence.points(headline.high)) points"
    let interval = headline.kind == .look ? "interval of the deciding look" : "always-valid interval of the difference"
    if headline.low > 0 || headline.high < 0 {
      let isHigher = headline.low > 0
      let direction = metric.isGoodWhenHigh ? "higher is better" : "lower is better"
      let reason =
        "The whole \(interval), \(range), lies \(isHigher ? "above" : "below") 0; for \(metric.noun) \(direction)."
      return (isHigher == metric.isGoodWhenHigh ? .bWins : .aWins, [reason] + safeGuardrails())
    }
    let effect = needed.minimumEffect
    if headline.low >= -effect, headline.high <= effect {
      let reason =
        "The whole \(interval), \(range), lies within ± \(Sentence.points(effect)) points, the smallest effect that matters."
      return (.noDifference, [reason] + safeGuardrails())
    }
    return (.keepRunning, ["The \(interval), \(range), still holds 0."] + neededReasons())
  }

  private func waitingReasons(_ looks: Looks) -> [String] {
    guard let next = looks.nextAt else { return ["No declared look could be made."] }
    return [
      "The first of \(looks.declared) declared looks comes at \(next) users with an outcome; there are \(a.trials + b.trials)."
    ]
  }

  private func neededReasons() -> [String] {
    if let looks {
      guard let next = looks.nextAt else {
        return ["All \(looks.declared) declared looks are over and none crossed its bound: the plan ends undecided."]
      }
      return ["The next of \(looks.declared) declared looks comes at \(next) users with an outcome."]
    }
    guard let users = needed.perVariantAlwaysValid, users > 0 else { return [] }
    let days = needed.daysAlwaysValid.map { ", about \(Sentence.counted($0, "day")) at the present traffic" } ?? ""
    return [
      "To see \(Sentence.points(needed.minimumEffect)) points with 80 % power in this interval takes some \(users) more users for each message\(days)."
    ]
  }

  private func invalidReasons() -> [String] {
    var reasons: [String] = []
    for arm in [a, b] where arm.counts.exposed == 0 {
      let isExcluded = sampleRatio.observed.contains { $0 > 0 } && contamination.policy == .exclude
      reasons.append(
        "Nobody was shown \(arm.variant)\(isExcluded ? ", leaving out those who saw several messages" : "").")
    }
    if reasons.isEmpty, sampleRatio.isMismatchOverall, let p = sampleRatio.pValue {
      let observed = sampleRatio.observed.map(String.init).joined(separator: " : ")
      reasons.append(
        "The users are not divided as planned (\(observed), p = \(Sentence.pValue(p))): assignment or logging is broken."
      )
    } else if reasons.isEmpty, let day = sampleRatio.mismatchedDays.first, let p = day.adjustedPValue {
      let others = sampleRatio.mismatchedDays.count - 1
      let more = others > 0 ? " and on \(Sentence.counted(others, "other day"))" : ""
      let observed = day.observed.map(String.init).joined(separator: " : ")
      reasons.append(
        "On \(CivilDate(day.day).text)\(more) the users are not divided as planned (\(observed), p = \(Sentence.pValue(p)) after Holm): assignment or logging was broken."
      )
    }
    if let share = contamination.share, share >= Contamination.invalidShare {
      reasons.append(
        "\(Sentence.percent(share)) of the users saw \(familySize > 1 ? "several" : "both") messages; from 10 % on a comparison says nothing."
      )
    }
    return reasons
  }

  private func tooEarlyReasons(days: Int) -> [String] {
    var reasons: [String] = []
    if let refused = alwaysValidRefused { reasons.append(refused) }
    if days < Self.minimumDays {
      reasons.append(
        "There are exposures on \(Sentence.counted(days, "day")); a decision takes \(Self.minimumDays), weekend included."
      )
    }
    let exposed = a.counts.exposed + b.counts.exposed
    let pending = a.counts.pending + b.counts.pending
    if exposed > 0, pending * 5 > exposed {
      reasons.append(
        "\(Sentence.percent(Double(pending) / Double(exposed))) of the journeys are pending; a decision takes at most 20 %."
      )
    }
    return reasons
  }

  private func reviewReasons() -> [String] {
    var reasons: [String] = []
    if let first = contamination.differenceFirst?.value, let clean = contamination.differenceExcluding?.value,
      first * clean < 0
    {
      reasons.append(
        "Without the users who saw \(familySize > 1 ? "several" : "both") messages the difference has the other sign (\(Sentence.points(clean)) points)."
      )
    }
    for check in strata where check.isFlagged {
      guard let pooled = difference?.value, let post = check.postStratified?.value else { continue }
      reasons.append(
        "Simpson's paradox by \(check.property): \(Sentence.points(pooled)) points in all, \(Sentence.points(post)) points within its values weighted by their users."
      )
    }
    if novelty.isFading, let slope = novelty.slope, let p = novelty.pValue {
      reasons.append(
        "The difference fades: it changes by \(Sentence.points(slope)) points a day of exposure, against its sign (p = \(Sentence.pValue(p)))."
      )
    }
    for guardrail in guardrails where guardrail.state == .harmed {
      let direction = guardrail.metric.isGoodWhenHigh ? "falls" : "rises"
      reasons.append(
        "The guardrail is harmed: \(guardrail.metric.noun) \(direction) by more than \(Sentence.points(guardrail.margin)) points."
      )
    }
    return reasons
  }

  private func safeGuardrails() -> [String] {
    guardrails.filter { $0.state != .safe }.map { guardrail in
      let what = guardrail.state == .worse ? "worse, within its margin" : "not yet shown to be safe"
      return
        "Guardrail: \(guardrail.metric.noun) is \(what) (margin \(Sentence.points(guardrail.margin)) points)."
    }
  }
}
