// The decision, by the always-valid sequence (or declared looks) alone, and its reasons. The first state that applies is
// the decision; fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents
import Statistics

extension Comparison {
  /// A reason for the decision of a comparison. Shares and differences are shares of 1, differences are B minus A.
  public enum Reason: Sendable, Hashable {
    // MARK: Invalid

    /// A variant has no users.
    /// - Parameter isExcluded: some did see it, and all are left out because they saw several variants.
    case nobodySaw(variant: String, isExcluded: Bool)
    /// The users are not divided as planned.
    /// - Parameter observed: users by variant, control first.
    case notAsPlanned(observed: [Int], pValue: Double)
    /// The users of some days are not divided as planned.
    /// - Parameters:
    ///   - day: the first of these days; `observed` and `pValue`, which is adjusted, are its own.
    ///   - otherDays: how many more there are.
    case notAsPlannedOnDays(day: DayNumber, otherDays: Int, observed: [Int], pValue: Double)
    /// Too many of the users saw several variants.
    case contaminated(share: Double)

    // MARK: Too early

    /// The always-valid statement, which decides, is refused.
    case refused(Comparison.AlwaysValidRefusal)
    /// Exposures lie on too few days.
    case fewDays(have: Int, need: Int)
    /// Too many journeys are still open.
    /// - Parameter most: the share that a decision tolerates.
    case pending(share: Double, most: Double)

    // MARK: Review

    /// Without the users who saw several variants the difference has the other sign.
    case signTurns(difference: Double)
    /// Simpson's paradox: the difference in all, and within the property's values weighted by their users.
    case simpsonsParadox(property: String, inAll: Double, within: Double)
    /// The difference shrinks with the days of exposure.
    /// - Parameter slope: its change a day.
    case fading(slope: Double, pValue: Double)
    /// A guardrail's metric is worse by more than its margin.
    case guardrailHarmed(ComparisonMetric, margin: Double)

    // MARK: Decided, or not yet

    /// The whole deciding interval lies above 0.
    case intervalAboveZero(Headline)
    /// The whole deciding interval lies below 0.
    case intervalBelowZero(Headline)
    /// The whole deciding interval lies within ± the smallest effect that matters.
    case intervalWithinEffect(Headline, effect: Double)
    /// The deciding interval still holds 0.
    case intervalHoldsZero(Headline)
    /// A guardrail that harms nobody as far as is known, and is not shown to be safe.
    case guardrailNotSafe(ComparisonMetric, margin: Double, state: Comparison.Guardrail.State)
    /// Users that each arm still needs to find the effect with 80 % power, and days at the present traffic.
    case needed(effect: Double, users: Int, days: Int?)
    /// The first of the declared looks is still to come, at so many users with an outcome.
    case firstLookAhead(declared: Int, at: Int, have: Int)
    /// A later one of the declared looks is still to come.
    case nextLookAhead(declared: Int, at: Int)
    /// All declared looks are over and none crossed its bound.
    case looksOver(declared: Int)
    /// Users enough for all declared looks, and none of them could be made.
    case noLook
  }

  /// Why there is no always-valid statement.
  public enum AlwaysValidRefusal: Sendable, Hashable {
    case fewUsers(variant: String, have: Int, need: Int)
    /// Too few with the outcome.
    case fewEvents(variant: String, have: Int, need: Int)
    /// Too few without it.
    case fewNonEvents(variant: String, have: Int, need: Int)
    /// The outcome varies in neither arm.
    case noVariance

    /// - Parameters:
    ///   - refusal: of a sequence that took B first.
    ///   - a: name of the control.
    ///   - b: name of the other variant.
    init(_ refusal: AsymptoticConfidenceSequence.Refusal, a: String, b: String) {
      func name(_ arm: Int) -> String { arm == 1 ? b : a }
      self =
        switch refusal {
        case .tooFewUsers(let arm, let have, let need): .fewUsers(variant: name(arm), have: have, need: need)
        case .tooFewEvents(let arm, let have, let need): .fewEvents(variant: name(arm), have: have, need: need)
        case .tooFewNonEvents(let arm, let have, let need): .fewNonEvents(variant: name(arm), have: have, need: need)
        case .noVariance: .noVariance
        }
    }
  }
}

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
    guard let interval = headline, interval.kind != .oneLook else {
      return (.tooEarly, alwaysValidRefused.map { [.refused($0)] } ?? [])
    }
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
