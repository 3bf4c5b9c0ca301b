// Why a comparison is decided as it is: cases with their numbers. Whoever shows them writes the sentences.

import PermissionEvents
import Statistics

/// A reason for the decision of a comparison. Shares and differences are shares of 1, differences are B minus A.
public enum Reason: Sendable, Hashable {
  // MARK: Invalid

  /// A message has no users.
  /// - Parameter isExcluded: some did see it, and all are left out because they saw several messages.
  case nobodySaw(variant: String, isExcluded: Bool)
  /// The users are not divided as planned.
  /// - Parameter observed: users by message, control first.
  case notAsPlanned(observed: [Int], pValue: Double)
  /// The users of some days are not divided as planned.
  /// - Parameters:
  ///   - day: the first of these days; `observed` and `pValue`, which is adjusted, are its own.
  ///   - otherDays: how many more there are.
  case notAsPlannedOnDays(day: DayNumber, otherDays: Int, observed: [Int], pValue: Double)
  /// Too many of the users saw several messages.
  case contaminated(share: Double)

  // MARK: Too early

  /// The always-valid statement, which decides, is refused.
  case refused(Comparison.Refusal)
  /// Exposures lie on too few days.
  case fewDays(have: Int, need: Int)
  /// Too many journeys are still open.
  /// - Parameter most: the share that a decision puts up with.
  case pending(share: Double, most: Double)

  // MARK: Review

  /// Without the users who saw several messages the difference has the other sign.
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
  case intervalAboveZero(DecidingInterval)
  /// The whole deciding interval lies below 0.
  case intervalBelowZero(DecidingInterval)
  /// The whole deciding interval lies within ± the smallest effect that matters.
  case intervalWithinEffect(DecidingInterval, effect: Double)
  /// The deciding interval still holds 0.
  case intervalHoldsZero(DecidingInterval)
  /// A guardrail that harms nobody as far as is known, and is not shown to be safe.
  case guardrailNotSafe(ComparisonMetric, margin: Double, state: Comparison.Guardrail.State)
  /// Users that each message still needs to find the effect with 80 % power, and days at the present traffic.
  case needed(effect: Double, users: Int, days: Int?)
  /// The first of the declared looks is still to come, at so many users with an outcome.
  case firstLookAhead(declared: Int, at: Int, have: Int)
  /// A later one of the declared looks is still to come.
  case nextLookAhead(declared: Int, at: Int)
  /// All declared looks are over and none crossed its bound.
  case looksOver(declared: Int)
  /// Users enough for all declared looks, and none of them could be made.
  case noLook

  /// An interval of the difference, and what makes it decide.
  public struct DecidingInterval: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
      case alwaysValid
      /// Of the declared look that decides.
      case look
    }
    public let low: Double
    public let high: Double
    public let kind: Kind
  }
}
