// The parts of a comparison that say whether it can be trusted.

import PermissionEvents
import Statistics

extension Comparison {
  /// Whether users were divided as planned, over all exposed, before the contamination policy.
  public struct SampleRatio: Sendable {
    /// By arm, control first; of all messages of the comparison.
    public internal(set) var expected: [Double]
    public internal(set) var observed: [Int]
    public internal(set) var pValue: Double?
    /// Of those whom the contamination policy leaves; leaving out may unbalance what was balanced.
    public internal(set) var countedPValue: Double?
    /// Below 0.001 over all, or on a day after Holm.
    public internal(set) var isMismatch: Bool
    /// By day of exposure, oldest first, p adjusted by Holm over the days.
    public internal(set) var days: [DayRatio]
    /// The smallest of the days' adjusted p-values.
    public var worstDay: DayRatio? { days.min { ($0.adjustedPValue ?? 1) < ($1.adjustedPValue ?? 1) } }

    public var isMismatchOverall: Bool { (pValue ?? 1) < Self.alarm }
    public var mismatchedDays: [DayRatio] { days.filter { ($0.adjustedPValue ?? 1) < Self.alarm } }

    public static let alarm = 0.001
  }

  /// The sample ratio of one day of exposure.
  public struct DayRatio: Sendable {
    public internal(set) var day: DayNumber
    public internal(set) var observed: [Int]
    public internal(set) var pValue: Double?
    public internal(set) var adjustedPValue: Double?
  }

  /// Users who saw more than one message.
  public struct Contamination: Sendable {
    public internal(set) var users: Int
    /// Of all exposed.
    public internal(set) var share: Double?
    public internal(set) var policy: ContaminationPolicy
    /// Of the primary metric without them, B minus A.
    public internal(set) var differenceExcluding: Estimate?
    /// Of the primary metric with each counted for the first message, B minus A.
    public internal(set) var differenceFirst: Estimate?
    /// By the message seen first: A, then B, of `exposedByFirst`.
    public internal(set) var usersByFirst: [Int]
    public internal(set) var exposedByFirst: [Int]
    /// That contamination is as frequent whichever message came first.
    public internal(set) var asymmetryPValue: Double?

    public static let invalidShare = 0.1
    public static let warningShare = 0.01
    public var isAsymmetric: Bool { (asymmetryPValue ?? 1) < SampleRatio.alarm }
  }

  /// One property of the exposure: the result within its values, and whether pooling them misleads.
  public struct PropertyCheck: Sendable {
    /// Its name, such as `platform`.
    public internal(set) var property: String
    /// Strata with users in both arms, and all strata.
    public internal(set) var usedStrata: Int
    public internal(set) var allStrata: Int
    /// Weighted by each stratum's share of the users, with the normal 95 % interval.
    public internal(set) var postStratified: Estimate?
    public internal(set) var mantelHaenszel: Double?
    /// Cochran–Mantel–Haenszel.
    public internal(set) var associationPValue: Double?
    /// Cochran's Q over the strata.
    public internal(set) var heterogeneity: Heterogeneity?
    /// The pooled difference has the sign opposite to the post-stratified one, or to every stratum's.
    public internal(set) var isReversed: Bool
    /// Reversed by so much that it matters; see docs/statistics.md.
    public internal(set) var isFlagged: Bool
    /// The smallest sample-ratio p-value of any value, by Bonferroni over the values of all properties looked at.
    public internal(set) var sampleRatioPValue: Double?
    /// The value that it belongs to; nil inside is "none".
    public internal(set) var sampleRatioValue: String??
    public var isRatioMismatched: Bool { (sampleRatioPValue ?? 1) < SampleRatio.alarm }
  }

  /// Whether the values of a property differ, by Cochran's Q.
  public struct Heterogeneity: Sendable {
    public internal(set) var q: Double
    public internal(set) var degreesOfFreedom: Int
    public internal(set) var pValue: Double
    /// Benjamini–Hochberg over the properties looked at; only this makes a claim.
    public internal(set) var adjustedPValue: Double
    public var areDifferent: Bool { adjustedPValue < 0.05 }
  }

  /// Whether the effect fades with the days.
  public struct Novelty: Sendable {
    /// Finished days with trials in both arms.
    public internal(set) var days: Int
    /// Change of the difference per day, weighted by the days' users.
    public internal(set) var slope: Double?
    public internal(set) var pValue: Double?
    /// Differences of the earlier and the later half of those days.
    public internal(set) var firstHalf: Estimate?
    public internal(set) var secondHalf: Estimate?
    /// p below 0.05 and a slope against the sign of the difference.
    public internal(set) var isFading: Bool
    /// Why there is no trend; nil if there is one.
    public internal(set) var refused: NoveltyRefusal?
  }

  /// A metric that must not become worse by more than a margin.
  public struct Guardrail: Sendable {
    /// By the always-valid interval: "not significant" is never safe.
    public enum State: String, Sendable { case safe, harmed, worse, undecided }
    public enum Method: String, Sendable {
      case asymptoticSequence = "asymptotic_sequence"
      /// Where the asymptotic gate refuses.
      case exactSequence = "exact_sequence"
    }
    public internal(set) var metric: ComparisonMetric
    /// The loss still put up with, a share of 1, above 0.
    public internal(set) var margin: Double
    public internal(set) var a: Tally
    public internal(set) var b: Tally
    /// B minus A, Miettinen–Nurminen 95 %.
    public internal(set) var difference: Estimate?
    /// The score test that B is worse by the margin or more, one-sided, for one look.
    public internal(set) var pValue: Double?
    /// B minus A: each end holds at every look with 95 %.
    public internal(set) var low: Double?
    public internal(set) var high: Double?
    public internal(set) var method: Method?
    public internal(set) var state: State
  }
}
