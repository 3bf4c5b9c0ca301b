// The decision, by the always-valid sequence (or declared looks) alone, and its reasons. The first state that applies is
// the decision; fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents

extension Comparison {
  /// Days on which exposures must lie before anything is decided: a whole week, with its weekend.
  private static let minimumDays = 7
  /// Of the journeys, those that may still be open.
  private static let mostPending = 0.2

  func decide(exposureDays: Int) -> (Decision, [Reason]) {
    let invalid = invalidReasons()
    if !invalid.isEmpty { return (.invalid, invalid) }
    let early = tooEarlyReasons(days: exposureDays)
    if !early.isEmpty { return (.tooEarly, early) }
    let review = reviewReasons()
    if !review.isEmpty { return (.review, review) }
    if let looks, looks.deciding == nil { return (.keepRunning, [waitingReason(looks)]) }
    guard let interval = headline?.deciding else { return (.tooEarly, alwaysValidRefused.map { [.refused($0)] } ?? []) }
    if interval.low > 0 || interval.high < 0 {
      let isHigher = interval.low > 0
      let reason: Reason = isHigher ? .intervalAboveZero(interval) : .intervalBelowZero(interval)
      return (isHigher == metric.isGoodWhenHigh ? .bWins : .aWins, [reason] + unsafeGuardrails())
    }
    let effect = needed.minimumEffect
    if interval.low >= -effect, interval.high <= effect {
      return (.noDifference, [.intervalWithinEffect(interval, effect: effect)] + unsafeGuardrails())
    }
    return (.keepRunning, [.intervalHoldsZero(interval)] + neededReasons())
  }

  private func waitingReason(_ looks: Looks) -> Reason {
    looks.nextAt.map { .firstLookAhead(declared: looks.declared, at: $0, have: a.trials + b.trials) } ?? .noLook
  }

  private func neededReasons() -> [Reason] {
    if let looks {
      return [
        looks.nextAt.map { .nextLookAhead(declared: looks.declared, at: $0) } ?? .looksOver(declared: looks.declared)
      ]
    }
    guard let users = needed.perVariantAlwaysValid, users > 0 else { return [] }
    return [.needed(effect: needed.minimumEffect, users: users, days: needed.daysAlwaysValid)]
  }

  private func invalidReasons() -> [Reason] {
    var reasons: [Reason] = []
    for arm in [a, b] where arm.counts.exposed == 0 {
      let isExcluded = sampleRatio.observed.contains { $0 > 0 } && contamination.policy == .exclude
      reasons.append(.nobodySaw(variant: arm.variant, isExcluded: isExcluded))
    }
    if reasons.isEmpty, sampleRatio.isMismatchOverall, let p = sampleRatio.pValue {
      reasons.append(.notAsPlanned(observed: sampleRatio.observed, pValue: p))
    } else if reasons.isEmpty, let day = sampleRatio.mismatchedDays.first, let p = day.adjustedPValue {
      let others = sampleRatio.mismatchedDays.count - 1
      reasons.append(.notAsPlannedOnDays(day: day.day, otherDays: others, observed: day.observed, pValue: p))
    }
    if let share = contamination.share, share >= Contamination.invalidShare {
      reasons.append(.contaminated(share: share))
    }
    return reasons
  }

  private func tooEarlyReasons(days: Int) -> [Reason] {
    var reasons: [Reason] = []
    if let refused = alwaysValidRefused { reasons.append(.refused(refused)) }
    if days < Self.minimumDays { reasons.append(.fewDays(have: days, need: Self.minimumDays)) }
    let exposed = a.counts.exposed + b.counts.exposed
    let pending = a.counts.pending + b.counts.pending
    // In whole numbers: one journey more than a fifth is too many, however many there are.
    if exposed > 0, pending * 5 > exposed {
      reasons.append(.pending(share: Double(pending) / Double(exposed), most: Self.mostPending))
    }
    return reasons
  }

  private func reviewReasons() -> [Reason] {
    var reasons: [Reason] = []
    if let first = contamination.differenceFirst?.value, let clean = contamination.differenceExcluding?.value,
      first * clean < 0
    {
      reasons.append(.signTurns(difference: clean))
    }
    for check in strata where check.isFlagged {
      guard let pooled = difference?.value, let post = check.postStratified?.value else { continue }
      reasons.append(.simpsonsParadox(property: check.property, inAll: pooled, within: post))
    }
    if novelty.isFading, let slope = novelty.slope, let p = novelty.pValue {
      reasons.append(.fading(slope: slope, pValue: p))
    }
    for guardrail in guardrails where guardrail.state == .harmed {
      reasons.append(.guardrailHarmed(guardrail.metric, margin: guardrail.margin))
    }
    return reasons
  }

  private func unsafeGuardrails() -> [Reason] {
    guardrails.filter { $0.state != .safe }.map {
      .guardrailNotSafe($0.metric, margin: $0.margin, state: $0.state)
    }
  }
}

extension Comparison.Headline {
  /// The interval as one that decides; nil for that of one look.
  fileprivate var deciding: Reason.DecidingInterval? {
    switch kind {
    case .alwaysValid: Reason.DecidingInterval(low: low, high: high, kind: .alwaysValid)
    case .look: Reason.DecidingInterval(low: low, high: high, kind: .look)
    case .oneLook: nil
    }
  }
}
