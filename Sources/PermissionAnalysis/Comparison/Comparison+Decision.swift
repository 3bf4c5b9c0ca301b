// The decision and its reasons. The first state that applies is the decision. The rule's first crossing decides and stays;
// fixed-horizon and Bayesian numbers are shown and never decide.

import PermissionEvents
import Statistics

extension Comparison {
  /// A reason for the decision of a comparison. Shares and differences are shares of 1, differences are B minus A.
  public enum Reason: Sendable, Hashable {
    // MARK: Invalid

    /// A variant has no users.
    /// - Parameter isExcluded: some did see it, and all are left out because they saw several variants.
    case nobodySaw(variant: String, isExcluded: Bool)
    /// The users are not divided as planned, by the test that holds at every look.
    /// - Parameters:
    ///   - observed: users by variant, control first.
    ///   - since: the day of the first alarm.
    case notAsPlanned(observed: [Int], pValue: Double, since: DayNumber)
    /// Too many of the users saw several variants.
    case contaminated(share: Double)

    /// What the rule had decided before: it is not to be relied on.
    case wasDecided(isBetterB: Bool, day: DayNumber, dayNumber: Int)

    // MARK: Review

    /// No difference agrees with all days since the decision.
    case intervalsDisagree(since: DayNumber, until: DayNumber)
    /// The interval of one look lies on the other side of 0 now.
    case turned(low: Double, high: Double)
    /// Without the users who saw several variants the difference has the other sign, by a gap that matters.
    case signTurns(difference: Double)
    /// Simpson's paradox: the difference in all, and within the property's values weighted by their users.
    case simpsonsParadox(property: String, inAll: Double, within: Double)
    /// The difference shrinks with the days of exposure.
    /// - Parameter slope: its change a day.
    case fading(slope: Double, pValue: Double)
    /// A guardrail's metric is worse under B by more than its margin.
    case guardrailHarmed(ComparisonMetric, margin: Double)
    /// A recorded decision, or none, is not what the log says now of the same days.
    case recordDiffers(RecordDifference)

    // MARK: Decided

    /// The rule's first crossing.
    case crossed(Crossed)
    /// What the same rule says at the latest look, if there was one after the decision.
    case since(day: DayNumber, Estimate)
    /// There is a difference, and it is smaller than matters.
    /// - Parameter day: the end of this day excluded any larger one.
    case differsByLess(effect: Double, day: DayNumber)
    /// Both one-sided sequences lie within ± the smallest effect that matters.
    case withinEffect(low: Double, high: Double, effect: Double, day: DayNumber)
    /// B lost, and harms a guardrail too: one more reason for A.
    case loserHarmsGuardrail(ComparisonMetric, margin: Double)
    /// A guardrail that harms nobody as far as is known, and is not shown to be safe.
    case guardrailNotSafe(ComparisonMetric, margin: Double, state: Comparison.Guardrail.State)
    /// A guardrail of which nothing is known, for what the log does not hold.
    case guardrailUnknown(ComparisonMetric, Evidence)

    // MARK: Too early

    /// Exposures lie on too few days.
    /// - Parameter earliest: the first day whose end may be a look, if there are exposures on every day to come.
    case fewDays(have: Int, need: Int, earliest: DayNumber)
    /// Too many journeys are still open.
    /// - Parameters:
    ///   - most: the share that a decision tolerates.
    ///   - until: when those of now will be settled.
    case pending(share: Double, most: Double, until: Milliseconds)

    // MARK: Not yet

    /// No finished day was a look yet.
    case noLook
    /// Events, or non-events, that are expected in the smaller arm are too few for a look of this rule.
    case fewEvents(expected: Double, need: Double)
    /// The sequence, which was asked to decide, is refused.
    case refused(Comparison.AlwaysValidRefusal)
    /// The rule has not crossed at any look.
    case notCrossed(Headline)
    /// What can be found at the present pace.
    case outlook(Needed.Outlook)
    /// Nobody has been exposed for a week or more: nothing more is to be expected.
    /// - Parameter last: the day of the last exposure.
    case noNewUsers(last: DayNumber)
    /// How far the users of a plan are there.
    case planProgress(Needed.Progress)
    /// The first of the declared looks is still to come, at so many users with an outcome.
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
    /// The rate of B lies above that of A.
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
