// The parts of a comparison that say whether it can be trusted.

import PermissionEvents
import Statistics

extension Comparison {
  /// Whether users were divided as planned, over all exposed, before the contamination policy.
  package struct SampleRatio: Sendable {
    /// By arm, control first; of all messages of the comparison.
    package var expected: [Double]
    package var observed: [Int]
    package var pValue: Double?
    /// Of those whom the contamination policy leaves; leaving out may unbalance what was balanced.
    package var countedPValue: Double?
    /// Below 0.001 over all, or on a day after Holm.
    package var isMismatch: Bool
    /// By day of exposure, oldest first, p adjusted by Holm over the days.
    package var days: [DayRatio]
    /// The smallest of the days' adjusted p-values.
    package var worstDay: DayRatio? { days.min { ($0.adjustedPValue ?? 1) < ($1.adjustedPValue ?? 1) } }

    package var isMismatchOverall: Bool { (pValue ?? 1) < Self.alarm }
    package var mismatchedDays: [DayRatio] { days.filter { ($0.adjustedPValue ?? 1) < Self.alarm } }

    package static let alarm = 0.001
  }

  package struct DayRatio: Sendable {
    package var day: DayNumber
    package var observed: [Int]
    package var pValue: Double?
    package var adjustedPValue: Double?
  }

  /// Users who saw more than one message.
  package struct Contamination: Sendable {
    package var users: Int
    /// Of all exposed.
    package var share: Double?
    package var policy: ContaminationPolicy
    /// Of the primary metric without them, B minus A.
    package var differenceExcluding: Estimate?
    /// Of the primary metric with each counted for the first message, B minus A.
    package var differenceFirst: Estimate?
    /// By the message seen first: A, then B, of `exposedByFirst`.
    package var usersByFirst: [Int]
    package var exposedByFirst: [Int]
    /// That contamination is as frequent whichever message came first.
    package var asymmetryPValue: Double?

    package static let invalidShare = 0.1
    package static let warningShare = 0.01
    package var isAsymmetric: Bool { (asymmetryPValue ?? 1) < SampleRatio.alarm }
  }

  /// One property of the exposure: the result within its values, and whether pooling them misleads.
  package struct PropertyCheck: Sendable {
    /// Its name, such as `platform`.
    package var property: String
    /// Strata with users in both arms, and all strata.
    package var usedStrata: Int
    package var allStrata: Int
    /// Weighted by each stratum's share of the users, with the normal 95 % interval.
    package var postStratified: Estimate?
    package var mantelHaenszel: Double?
    /// Cochran–Mantel–Haenszel.
    package var associationPValue: Double?
    /// Cochran's Q over the strata.
    package var heterogeneity: Heterogeneity?
    /// The pooled difference has the sign opposite to the post-stratified one, or to every stratum's.
    package var isReversed: Bool
    /// Reversed by so much that it matters; see docs/statistics.md.
    package var isFlagged: Bool
    /// The smallest sample-ratio p-value of any value, by Bonferroni over the values of all properties looked at.
    package var sampleRatioPValue: Double?
    /// The value that it belongs to; nil inside is "none".
    package var sampleRatioValue: String??
    package var isRatioMismatched: Bool { (sampleRatioPValue ?? 1) < SampleRatio.alarm }
  }

  package struct Heterogeneity: Sendable {
    package var q: Double
    package var degreesOfFreedom: Int
    package var pValue: Double
    /// Benjamini–Hochberg over the properties looked at; only this makes a claim.
    package var adjustedPValue: Double
    package var areDifferent: Bool { adjustedPValue < 0.05 }
  }

  /// Whether the effect fades with the days.
  package struct Novelty: Sendable {
    /// Finished days with trials in both arms.
    package var days: Int
    /// Change of the difference per day, weighted by the days' users.
    package var slope: Double?
    package var pValue: Double?
    /// Differences of the earlier and the later half of those days.
    package var firstHalf: Estimate?
    package var secondHalf: Estimate?
    /// p below 0.05 and a slope against the sign of the difference.
    package var isFading: Bool
    /// Why there is no trend, in a sentence.
    package var refused: String?
  }

  /// A metric that must not become worse by more than a margin.
  package struct Guardrail: Sendable {
    /// By the always-valid interval: "not significant" is never safe.
    package enum State: String, Sendable { case safe, harmed, worse, undecided }
    package enum Method: String, Sendable {
      case asymptoticSequence = "asymptotic_sequence"
      /// Where the asymptotic gate refuses.
      case exactSequence = "exact_sequence"
    }
    package var metric: ComparisonMetric
    /// The loss still put up with, a share of 1, above 0.
    package var margin: Double
    package var a: Tally
    package var b: Tally
    /// B minus A, Miettinen–Nurminen 95 %.
    package var difference: Estimate?
    /// The score test that B is worse by the margin or more, one-sided, for one look.
    package var pValue: Double?
    /// B minus A: each end holds at every look with 95 %.
    package var low: Double?
    package var high: Double?
    package var method: Method?
    package var state: State
  }
}
