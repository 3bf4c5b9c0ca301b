// The parts of a comparison that are about the primary metric.

import PermissionEvents
import Statistics

extension Comparison {
  /// One message and its users.
  package struct Arm: Sendable {
    package var variant: String
    /// Under the contamination policy.
    package var counts: ArmCounts
    /// Of the primary metric.
    package var successes: Int
    package var trials: Int
    /// With Wilson's 95 % interval; nil without trials.
    package var rate: Estimate?
  }

  package struct AlwaysValid: Sendable {
    package var pValue: Double
    package var log10PValue: Double
    package var low: Double
    package var high: Double
  }

  package struct Bayes: Sendable {
    /// P(rate of B > rate of A).
    package var probabilityBGreater: Double
    /// What is lost on average by choosing A or B, in the metric's good direction.
    package var expectedLossA: Double
    package var expectedLossB: Double
    /// Posterior mean and 95 % credible interval.
    package var difference: Estimate
  }

  /// A group-sequential design of declared looks (Lan and DeMets, O'Brien–Fleming spending).
  ///
  /// A look is the end of the first day of exposure by which its share of the planned users had an outcome, so reading
  /// the log more often adds no looks.
  package struct Looks: Sendable {
    package var declared: Int
    package var plannedUsers: Int
    /// Those reached, oldest first. Two that fall on one day are one.
    package var reached: [Look]
    /// Users of the look to come; nil behind the last.
    package var nextAt: Int?
    /// There are more users than were planned; those behind the last look are not looked at.
    package var isOverrun: Bool
    /// Why no look can be made, in a sentence.
    package var refused: String?

    /// The look that decides: the first that crossed its bound, else the last reached.
    package var deciding: Look? { reached.first(where: \.isCrossed) ?? reached.last }
  }

  package struct Look: Sendable {
    /// 1 is the first.
    package var number: Int
    package var day: DayNumber
    package var users: Int
    /// Share of the planned users.
    package var fraction: Double
    /// |z| to reach.
    package var bound: Double
    package var z: Double
    package var difference: Double
    /// difference ± bound · standard error.
    package var low: Double
    package var high: Double
    package var isCrossed: Bool { abs(z) >= bound }
  }

  /// The primary metric of one day's exposures, and of all up to it.
  package struct SeriesPoint: Sendable {
    package var day: DayNumber
    /// Of this day alone.
    package var a: Tally
    package var b: Tally
    /// Of all days up to this one; nil while an arm has no trials.
    package var difference: Double?
    /// The always-valid interval of all days up to this one; nil while its gate refuses.
    package var interval: Interval?
  }

  /// Exposures, and of those the trials and successes of the primary metric.
  package struct Tally: Sendable, Equatable {
    package var exposed = 0
    package var trials = 0
    package var successes = 0

    package init(exposed: Int = 0, trials: Int = 0, successes: Int = 0) {
      self.exposed = exposed
      self.trials = trials
      self.successes = successes
    }

    package static func + (a: Self, b: Self) -> Self {
      Tally(exposed: a.exposed + b.exposed, trials: a.trials + b.trials, successes: a.successes + b.successes)
    }

    /// Successes over trials; nil without trials.
    package var rate: Double? { trials > 0 ? Double(successes) / Double(trials) : nil }

    var sample: BinomialSample? { try? BinomialSample(successes: successes, trials: trials) }
  }
}
