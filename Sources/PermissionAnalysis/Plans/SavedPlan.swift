// A plan of an experiment as it is saved before the first exposure: all that a comparison takes from it, so no part
// of the decision is chosen after outcomes were seen.

import PermissionEvents

/// The choices of a comparison that a saved plan fixes. Shares, rates and effects are shares of 1, times are milliseconds.
public struct SavedPlan: Sendable, Hashable {
  public var permission: String
  /// The experiment of the screens. Nil for any.
  public var experiment: String?
  /// The control, then the others.
  public var variants: [String]
  /// The screens that show the messages. The file of a plan names them only if they are not the usual ones.
  public var screen = MessageScreen.permission
  public var metric: ComparisonMetric = .grantRate
  /// IANA name of the zone of days.
  public var timeZone = "UTC"
  /// Answers faster than this do not come from a person. Nil in plans from before version 0.4.0, which do not fix it.
  public var atOnce: Milliseconds?
  /// W: how long after the exposure an answer counts.
  public var responseWindow: Milliseconds = 30 * 60_000
  /// H: how long a journey is followed.
  public var followUp: Milliseconds = 28 * millisecondsPerDay
  /// Planned parts of the users, one for each variant, in any unit, and how they change.
  public var split: MessageSplit
  /// The first day of the test, and the day after the last, in the zone; nil without one. A plan's file names the dates and
  /// the changes of the split only if there are any.
  public var from, to: DayNumber?
  /// N*: users of a pair of messages together, at an even split, by which one look at the end finds the effect.
  public var plannedUsers: Int
  /// r of the spending function α tʳ/(1 + tʳ).
  public var exponent = Self.plannedExponent
  /// Two-sided, of all comparisons with the control together: each spends its even part of it.
  public var alpha = Self.familyAlpha
  /// Properties of the exposure that the decision is adjusted for.
  public var adjust: [StringField] = []
  public var contaminated: ContaminationPolicy = .first
  /// Smallest difference that matters.
  public var minimumEffect: Double
  public var guardrails: [GuardrailQuestion] = []
  /// The difference that the plan is for, above 0.
  public var effect: Double
  /// The control's rate at the start.
  public var baseline: Double
  /// The chance of finding the effect.
  public var power: Double
  /// When it was saved, by the clock of the machine.
  public var savedAt: Milliseconds

  /// r of a plan that was made beforehand: steep, so little error is spent before N* is near.
  public static let plannedExponent = 3.0
  public static let familyAlpha = 0.05

  public init(
    permission: String, variants: [String], split: MessageSplit, plannedUsers: Int, effect: Double, baseline: Double,
    power: Double, savedAt: Milliseconds
  ) {
    (self.permission, self.variants, self.split) = (permission, variants, split)
    (self.plannedUsers, self.effect, self.baseline, self.power) = (plannedUsers, effect, baseline, power)
    minimumEffect = effect
    self.savedAt = savedAt
  }

  /// The facts for a comparison's decision.
  package var facts: PlanFacts { PlanFacts(savedAt: savedAt, plannedUsers: plannedUsers, exponent: exponent) }
}
