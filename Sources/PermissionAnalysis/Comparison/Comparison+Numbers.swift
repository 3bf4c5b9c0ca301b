// The parts of a comparison that are about the primary metric.

import PermissionEvents
import Statistics

extension Comparison {
  /// One message and its users.
  public struct Arm: Sendable {
    public internal(set) var variant: String
    /// Under the contamination policy.
    package var counts: ArmCounts
    /// Of the primary metric, those that count as a success.
    public internal(set) var successes: Int
    public internal(set) var trials: Int
    /// With Wilson's 95 % interval; nil without trials.
    public internal(set) var rate: Estimate?

    /// Journeys under the contamination policy: all, those whose window is open, those without a say, and the rest.
    public var exposed: Int { counts.exposed }
    public var pending: Int { counts.pending }
    public var restricted: Int { counts.restricted }
    public var base: Int { counts.base }
  }

  /// What the asymptotic confidence sequence says of the difference, at every look.
  public struct AlwaysValid: Sendable {
    public internal(set) var pValue: Double
    public internal(set) var log10PValue: Double
    public internal(set) var low: Double
    public internal(set) var high: Double
  }

  /// A second lens, from flat priors; it never decides.
  public struct Bayes: Sendable {
    /// P(rate of B > rate of A).
    public internal(set) var probabilityBGreater: Double
    /// What is lost on average by choosing A or B, in the metric's good direction.
    public internal(set) var expectedLossA: Double
    public internal(set) var expectedLossB: Double
    /// Posterior mean and 95 % credible interval.
    public internal(set) var difference: Estimate
  }

  /// A group-sequential design of declared looks (Lan and DeMets, O'Brien–Fleming spending).
  ///
  /// A look is the end of the first day of exposure by which its share of the planned users had an outcome, so reading
  /// the log more often adds no looks.
  public struct Looks: Sendable {
    public internal(set) var declared: Int
    public internal(set) var plannedUsers: Int
    /// Those reached, oldest first. Two that fall on one day are one.
    public internal(set) var reached: [Look]
    /// Users of the look to come; nil after the last.
    public internal(set) var nextAt: Int?
    /// There are more users than were planned; those behind the last look are not looked at.
    public internal(set) var isOverrun: Bool
    /// Why no look can be made, arm 1 being B; nil if one can.
    public internal(set) var refused: AsymptoticConfidenceSequence.Refusal?

    /// The look that decides: the first that crossed its bound, else the last reached.
    public var deciding: Look? { reached.first(where: \.isCrossed) ?? reached.last }
  }

  /// One declared look that was reached.
  public struct Look: Sendable {
    /// 1 is the first.
    public internal(set) var number: Int
    public internal(set) var day: DayNumber
    public internal(set) var users: Int
    /// Share of the planned users.
    public internal(set) var fraction: Double
    /// |z| to reach.
    public internal(set) var bound: Double
    public internal(set) var z: Double
    public internal(set) var difference: Double
    /// difference ± bound · standard error.
    public internal(set) var low: Double
    public internal(set) var high: Double
    public var isCrossed: Bool { abs(z) >= bound }
  }

  /// The primary metric of one day's exposures, and of all up to it.
  public struct SeriesPoint: Sendable {
    public internal(set) var day: DayNumber
    /// Of this day alone.
    public internal(set) var a: Tally
    public internal(set) var b: Tally
    /// Of all days up to this one; nil while an arm has no trials.
    public internal(set) var difference: Double?
    /// The always-valid interval of all days up to this one; nil while its gate refuses.
    public internal(set) var interval: Interval?
  }

  /// Exposures, and of those the trials and successes of the primary metric.
  public struct Tally: Sendable, Equatable {
    public internal(set) var exposed = 0
    public internal(set) var trials = 0
    public internal(set) var successes = 0

    package init(exposed: Int = 0, trials: Int = 0, successes: Int = 0) {
      self.exposed = exposed
      self.trials = trials
      self.successes = successes
    }

    public static func + (a: Self, b: Self) -> Self {
      Tally(exposed: a.exposed + b.exposed, trials: a.trials + b.trials, successes: a.successes + b.successes)
    }

    /// Successes over trials; nil without trials.
    public var rate: Double? { trials > 0 ? Double(successes) / Double(trials) : nil }

    var sample: BinomialSample? { try? BinomialSample(successes: successes, trials: trials) }
  }
}
