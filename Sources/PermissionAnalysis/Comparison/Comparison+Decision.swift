// The decision and its reasons. The first state that applies is the decision. The rule's first crossing decides and stays;
// fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents
import Statistics

extension Comparison {
  /// A reason for the decision of a comparison. Shares and differences are shares of 1, differences are B minus A.
  public enum Reason: Sendable, Hashable {
    // MARK: Invalid

    /// A variant has no users.
    /// - Parameter isExcluded: whether users did see it, but all are left out because they saw several variants.
    case nobodySaw(variant: String, isExcluded: Bool)
    /// The users are not divided as expected, by the test that holds at every look.
    /// - Parameters:
    ///   - observed: users by variant, control first.
    ///   - since: the day of the first alarm.
    ///   - isAssumed: an even split was expected, and none was declared.
    case notAsPlanned(observed: [Int], pValue: Double, since: DayNumber, isAssumed: Bool)
    /// None of an arm's users answered: their answers are not logged, or the message leads nowhere.
    case nobodyAnswered(variant: String, of: Int)
    /// The division changed on a day, and that was not declared: the ways in which the users were divided, oldest first.
    case divisionChanged([DivisionChange])
    /// Where the imbalance is: these values of a property, or these days (nil), and nowhere else.
    case imbalanceAmong(property: String?, Imbalance)
    /// Too many of the users saw several variants.
    case contaminated(share: Double)

    /// The previous decision of the rule. Do not rely on it.
    case wasDecided(isBetterB: Bool, day: DayNumber, dayNumber: Int)

    // MARK: Review

    /// The intervals since the decision have no difference in common.
    case intervalsDisagree(since: DayNumber, until: DayNumber)
    /// The interval of one look is now on the other side of 0.
    case turned(low: Double, high: Double)
    /// Without the users who saw several variants the difference has the other sign, by a gap that matters.
    case signTurns(difference: Double)
    /// Simpson's paradox: the difference in all, and within the property's values weighted by their users.
    case simpsonsParadox(property: String, inAll: Double, within: Double)
    /// The difference shrinks with the days of exposure.
    /// - Parameters:
    ///   - slope: its change a day.
    ///   - recent: the difference of the last two weeks alone.
    case fading(slope: Double, pValue: Double, recent: Estimate?)
    /// A guardrail's metric is worse under B by more than its margin.
    case guardrailHarmed(ComparisonMetric, margin: Double)
    /// The recorded decision, or its absence, differs from the decision by the log as it is now.
    case recordDiffers(RecordDifference)

    // MARK: Decided

    /// The rule's first crossing.
    case crossed(Crossed)
    /// The result of the same rule at the latest look, if there was one after the decision.
    case since(day: DayNumber, Estimate)
    /// The values of a property differ, and with this one the winner loses by an effect that matters.
    case losesWithin(property: String, value: String?, difference: Double)
    /// There is a difference, and it is smaller than matters.
    /// - Parameter day: the end of this day excluded any larger one.
    case differsByLess(effect: Double, day: DayNumber)
    /// Both one-sided sequences are within ± the smallest effect that matters.
    case withinEffect(low: Double, high: Double, effect: Double, day: DayNumber)
    /// B lost, and harms a guardrail too: one more reason for A.
    case loserHarmsGuardrail(ComparisonMetric, margin: Double)
    /// A guardrail that is not known to be harmed, but not shown to be safe.
    case guardrailNotSafe(ComparisonMetric, margin: Double, state: Comparison.Guardrail.State)
    /// A guardrail that is unknown, because the log lacks the events.
    case guardrailUnknown(ComparisonMetric, Evidence)

    // MARK: Too early

    /// There are exposures on too few days.
    /// - Parameter earliest: the first day whose end may be a look, if there are exposures on every day to come: there are enough days,
    ///   and the metric is settled for the first.
    case fewDays(have: Int, need: Int, earliest: DayNumber)
    /// Too many journeys are still open.
    /// - Parameters:
    ///   - most: the share that a decision tolerates.
    ///   - until: when the journeys pending now are settled.
    case pending(share: Double, most: Double, until: Milliseconds)

    // MARK: Not yet

    /// No finished day was a look yet.
    case noLook
    /// Events, or non-events, that are expected in the smaller arm are too few for a look of this rule.
    case fewEvents(expected: Double, need: Double)
    /// The always-valid sequence is the rule, but is refused.
    case refused(Comparison.AlwaysValidRefusal)
    /// The rule has not crossed at any look.
    case notCrossed(Headline)
    /// What can be found at the present pace.
    case outlook(Needed.Outlook)
    /// What is known without a decision: B is not better, and not worse, by more than these. Above 0; nil is not excluded.
    case notBetterBy(better: Double?, worse: Double?)
    /// No users have been exposed for a week or more, so no more are expected.
    /// - Parameter last: the day of the last exposure.
    case noNewUsers(last: DayNumber)
    /// The progress towards the planned users.
    case planProgress(Needed.Progress)
    /// The first declared look is still to come, at this number of users with an outcome.
    case firstLookAhead(declared: Int, at: Int, have: Int)
    /// A later one of the declared looks is still to come.
    case nextLookAhead(declared: Int, at: Int)
    /// All declared looks are over and none crossed its bound.
    case looksOver(declared: Int)
  }

  /// How a decision was made.
  public struct Crossed: Sendable, Hashable {
    /// By exact tests of few events.
    public let isExact: Bool
    /// Whether the rate of B is above that of A.
    public let isHigher: Bool
    public let day: DayNumber
    public let dayNumber: Int
    /// B minus A with the rule's interval at that look.
    public let estimate: Estimate
    public let pValue: Double
  }

  /// Why there is no always-valid statement.
  public enum AlwaysValidRefusal: Sendable, Hashable {
    case fewUsers(variant: String, have: Int, need: Int)
    /// Too few users with the outcome.
    case fewEvents(variant: String, have: Int, need: Int)
    /// Too few users without the outcome.
    case fewNonEvents(variant: String, have: Int, need: Int)
    /// The outcome varies in neither arm.
    case noVariance

    /// - Parameter refusal: of a sequence that took B first.
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

  // MARK: From the counts to the decision, the first state that applies

  /// The share of journeys that may still be open.
  private static let mostPending = 0.2

  /// The decision, the day on which it was made, and its reasons.
  func decide(exposureDays: [DayNumber]) -> (Decision, DayNumber?, [Reason]) {
    guard isOfMessages else { return describe(exposureDays) }
    let invalid = invalidReasons()
    let recorded = monitoring.recordDiffers.map { [Reason.recordDiffers($0)] } ?? []
    if !invalid.isEmpty { return (.invalid, nil, invalid + earlierDecision() + recorded) }
    let day = monitoring.decidedOn
    if day != nil {
      let review = reviewReasons()
      let decided = decidedReasons()
      if !review.isEmpty { return (.review, day, review + decided + recorded) }
      if monitoring.crossing != nil { return (isBetterB ? .bWins : .aWins, day, decided + recorded) }
      return (.noDifference, day, decided + recorded)
    }
    if course == .tooEarly { return (.tooEarly, nil, tooEarlyReasons(exposureDays) + recorded) }
    return (course == .onCourse ? .keepRunning : .stopOutOfReach, nil, waitingReasons() + recorded)
  }

  /// How an undecided test stands, invalid or not; nil if it is decided.
  func findCourse(_ exposureDays: [DayNumber]) -> Course? {
    guard monitoring.decidedOn == nil else { return nil }
    if !tooEarlyReasons(exposureDays).isEmpty { return .tooEarly }
    if endedOn != nil { return .outOfReach }
    let areUsersIn = monitoring.declared.map { $0.nextAt == nil } ?? ((monitoring.looks.last?.time ?? 0) >= 1)
    if areUsersIn || needed.outlook?.daysForEffect == 0 { return .spent }
    // Without an outlook nothing is known to be out of reach.
    let asOfDay = zone.lastBegunDay(at: windows.asOf)
    guard let outlook = needed.outlook, let first = exposureDays.first, asOfDay - first >= Course.firstDay else {
      return .onCourse
    }
    return (outlook.daysForEffect ?? .max) <= Course.mostDays ? .onCourse : .outOfReach
  }

  /// For values of a property, to which users were not assigned: no winner, and doubts are listed among the reasons.
  private func describe(_ exposureDays: [DayNumber]) -> (Decision, DayNumber?, [Reason]) {
    let missing = [a, b].filter { $0.counts.exposed == 0 }
    if !missing.isEmpty { return (.notClear, nil, missing.map { .nobodySaw(variant: $0.variant, isExcluded: false) }) }
    if let day = monitoring.decidedOn {
      return (monitoring.crossing == nil ? .noDifference : .differs, day, decidedReasons() + reviewReasons())
    }
    return (.notClear, nil, course == .tooEarly ? tooEarlyReasons(exposureDays) : waitingReasons())
  }

  /// Whether the crossing shows B better than A, in the metric's good direction.
  private var isBetterB: Bool { monitoring.crossing?.isHigher == metric.isGoodWhenHigh }

  private func invalidReasons() -> [Reason] {
    var reasons: [Reason] = []
    for arm in [a, b] where arm.counts.exposed == 0 {
      let isExcluded = sampleRatio?.observed.contains { $0 > 0 } == true && contamination?.policy == .exclude
      reasons.append(.nobodySaw(variant: arm.variant, isExcluded: isExcluded))
    }
    if reasons.isEmpty, let sampleRatio, let day = sampleRatio.invalidSince ?? sampleRatio.changedSince {
      let p = sampleRatio.sequential.pValue
      reasons.append(
        .notAsPlanned(observed: sampleRatio.observed, pValue: p, since: day, isAssumed: !sampleRatio.isDeclared))
      if sampleRatio.divisions.count > 1 { reasons.append(.divisionChanged(sampleRatio.divisions)) }
      let places =
        strata.compactMap { check in check.imbalance.map { (property: Optional(check.property), imbalance: $0) } }
        + (sampleRatio.imbalance.map { [(property: nil, imbalance: $0)] } ?? [])
      // The place with the fewest users says most about the cause.
      if let place = places.min(by: { $0.imbalance.among.reduce(0, +) < $1.imbalance.among.reduce(0, +) }) {
        reasons.append(.imbalanceAmong(property: place.property, place.imbalance))
      }
    }
    reasons += [a, b].filter(\.hasNoAnswers).map { .nobodyAnswered(variant: $0.variant, of: $0.base) }
    if let share = contamination?.share, share >= Contamination.invalidShare {
      reasons.append(.contaminated(share: share))
    }
    return reasons
  }

  /// The decision before the numbers turned out to be invalid.
  private func earlierDecision() -> [Reason] {
    monitoring.crossing.map {
      [.wasDecided(isBetterB: isBetterB, day: $0.day, dayNumber: $0.look.dayNumber)]
    } ?? []
  }

  private func reviewReasons() -> [Reason] {
    var reasons: [Reason] = []
    switch monitoring.contradiction {
    case .intervalsDisagree(let since, let until): reasons.append(.intervalsDisagree(since: since, until: until))
    case .otherSide(let low, let high): reasons.append(.turned(low: low, high: high))
    case nil: break
    }
    if let difference = contamination?.turnedDifference(effect: needed.minimumEffect) {
      reasons.append(.signTurns(difference: difference))
    }
    for check in misleading {
      guard let pooled = difference?.value, let post = check.postStratified?.value else { continue }
      reasons.append(.simpsonsParadox(property: check.property, inAll: pooled, within: post))
    }
    guard monitoring.crossing != nil else { return reasons }
    if novelty.isFading, let slope = novelty.slope, let p = novelty.pValue {
      reasons.append(.fading(slope: slope, pValue: p, recent: novelty.recent))
    }
    // Keeping the control harms no users who have it.
    for guardrail in guardrails where guardrail.state == .harmed && isBetterB {
      reasons.append(.guardrailHarmed(guardrail.metric, margin: guardrail.margin))
    }
    return reasons
  }

  /// Properties within whose values the sign turns round by a gap that matters, and that are not adjusted for.
  var misleading: [PropertyCheck] { strata.filter { $0.isFlagged && !monitoring.adjustedBy.contains($0.property) } }

  private func decidedReasons() -> [Reason] {
    var reasons: [Reason] = []
    let effect = needed.minimumEffect
    if let crossing = monitoring.crossing {
      let look = crossing.look
      let isExact = if case .events = look.boundary { true } else { false }
      reasons.append(
        .crossed(
          Crossed(
            isExact: isExact, isHigher: look.isHigher, day: look.day, dayNumber: look.dayNumber,
            estimate: look.estimate, pValue: crossing.pValue)))
      if let last = monitoring.looks.last, last.day > look.day { reasons.append(.since(day: last.day, last.estimate)) }
      for check in strata {
        if let loss = losing(check, isHigher: crossing.isHigher) {
          reasons.append(.losesWithin(property: check.property, value: loss.value, difference: loss.difference))
        }
      }
      if let smaller = monitoring.noDifference { reasons.append(.differsByLess(effect: effect, day: smaller.day)) }
    } else if let none = monitoring.noDifference {
      reasons.append(.withinEffect(low: none.low, high: none.high, effect: effect, day: none.day))
    }
    if monitoring.crossing != nil, !isBetterB {
      // No users will get B: whether it is safe does not matter, and its harm only confirms the decision.
      return reasons
        + guardrails.filter { $0.state == .harmed }.map { .loserHarmsGuardrail($0.metric, margin: $0.margin) }
    }
    for guardrail in guardrails where guardrail.state != .safe {
      if let evidence = guardrail.noEvidence {
        reasons.append(.guardrailUnknown(guardrail.metric, evidence))
      } else if guardrail.state != .harmed {
        reasons.append(.guardrailNotSafe(guardrail.metric, margin: guardrail.margin, state: guardrail.state))
      } else if monitoring.crossing == nil {
        reasons.append(.guardrailHarmed(guardrail.metric, margin: guardrail.margin))
      }
    }
    return reasons
  }

  /// The value with which the winner loses most, by the effect that matters at least; nil unless values differ beyond chance.
  private func losing(_ check: PropertyCheck, isHigher: Bool) -> (value: String?, difference: Double)? {
    guard check.heterogeneity?.areDifferent == true, let end = isHigher ? check.lowest : check.highest,
      isHigher ? end.difference <= -needed.minimumEffect : end.difference >= needed.minimumEffect
    else { return nil }
    return end
  }

  private func tooEarlyReasons(_ days: [DayNumber]) -> [Reason] {
    var reasons: [Reason] = []
    let need = LookPlan.minimumDays
    if days.count < need {
      // Today may still bring the next day with exposures, unless it has been one already.
      let next = max(zone.day(of: windows.asOf), (days.last ?? .min) &+ 1)
      let enough = next + DayNumber(need - days.count - 1)
      reasons.append(
        .fewDays(have: days.count, need: need, earliest: max(enough, firstSettled(of: days.first ?? next))))
    }
    let exposed = a.counts.exposed + b.counts.exposed
    let pending = a.counts.pending + b.counts.pending
    // In whole numbers: one journey more than a fifth is too many, however many there are.
    if exposed > 0, pending * 5 > exposed {
      reasons.append(
        .pending(
          share: Double(pending) / Double(exposed), most: Self.mostPending, until: windows.asOf + windows.response))
    }
    if !reasons.isEmpty, let last = endedOn { reasons.append(.noNewUsers(last: last)) }
    return reasons
  }

  /// The first day by whose end users who were exposed on a day may have an outcome.
  private func firstSettled(of day: DayNumber) -> DayNumber {
    let start = zone.firstMoment(of: day)
    return switch metric {
    case .grantedByDay28: zone.day(of: start + max(windows.followUp, windows.response))
    case .keptByDay28: zone.day(of: start + windows.keeping)
    case .settingsEnabled: zone.day(of: start + max(windows.settings, windows.response))
    case .retentionDay7: max(day + 7, zone.day(of: start + windows.response))
    default: zone.day(of: start + windows.response)
    }
  }

  /// Expected events that are too few for a look of declared looks or of an adjustment; nil if they do not hold one back.
  private var tooFewEvents: Double? {
    guard monitoring.looks.isEmpty, monitoring.declared != nil || !monitoring.adjustedBy.isEmpty else { return nil }
    let expected = SettledDay(day: 0, a: a.tally, b: b.tally).expectedEvents
    return expected < LookPlan.enoughEvents ? expected : nil
  }

  /// What the latest interval of the rule excludes, in the metric's good direction; nil without an interval.
  private var knownBounds: Reason? {
    guard let headline, headline.kind != .oneLook else { return nil }
    let (better, worse) =
      metric.isGoodWhenHigh ? (headline.high, -headline.low) : (-headline.low, headline.high)
    func bound(_ size: Double) -> Double? { size >= 0 && size < 1 ? size : nil }
    let known = (better: bound(better), worse: bound(worse))
    return known == (nil, nil) ? nil : .notBetterBy(better: known.better, worse: known.worse)
  }

  private func waitingReasons() -> [Reason] {
    var reasons: [Reason] = []
    if course != .onCourse, isOfMessages, let known = knownBounds { reasons.append(known) }
    if let headline, headline.kind != .oneLook {
      reasons.append(.notCrossed(headline))
    } else if monitoring.rule == .alwaysValid, let refused = alwaysValidRefused {
      reasons.append(.refused(refused))
    } else if let expected = tooFewEvents {
      reasons.append(.fewEvents(expected: expected, need: LookPlan.enoughEvents))
    } else if monitoring.declared == nil {
      reasons.append(.noLook)
    }
    if let declared = monitoring.declared, tooFewEvents == nil {
      switch (declared.nextAt, monitoring.looks.isEmpty) {
      case (let at?, true):
        reasons.append(.firstLookAhead(declared: declared.count, at: at, have: a.trials + b.trials))
      case (let at?, false): reasons.append(.nextLookAhead(declared: declared.count, at: at))
      case (nil, _): reasons.append(.looksOver(declared: declared.count))
      }
    }
    if let progress = needed.progress { reasons.append(.planProgress(progress)) }
    if let outlook = needed.outlook { reasons.append(.outlook(outlook)) }
    return (endedOn.map { [.noNewUsers(last: $0)] } ?? []) + reasons
  }
}
