// The figures of a comparison, ready to be rendered. B is compared against A, the control. Shares of 1.

import PermissionEvents
import Statistics

package struct Comparison: Sendable {
  package struct Arm: Sendable {
    package var variant: String
    package var counts: ArmCounts
    package var successes: Int
    package var trials: Int
    package var rate: Estimate?
  }

  package struct AlwaysValid: Sendable {
    package var pValue: Double
    package var low: Double
    package var high: Double
  }

  package struct Bayes: Sendable {
    /// P(rate of B > rate of A).
    package var probabilityBGreater: Double
    /// What is lost on average by choosing A or B, in the metric's good direction.
    package var expectedLossA: Double
    package var expectedLossB: Double
    /// Posterior mean and credible interval.
    package var difference: Estimate
  }

  package struct SampleRatio: Sendable {
    package var expected: [Double]
    package var observed: [Int]
    package var pValue: Double?
    package var isMismatch: Bool
  }

  package struct Contamination: Sendable {
    package var users: Int
    package var share: Double?
    package var policy: ContaminationPolicy
    package var differenceExcluding: Estimate?
  }

  package struct Needed: Sendable {
    package var minimumEffect: Double
    /// Users that each message still needs.
    package var perVariant: Int?
    /// Days that takes at the exposures a day of the last 28 days.
    package var days: Int?
  }

  package struct Secondary: Sendable {
    package var metric: String
    package var a: Double?
    package var b: Double?
    package var difference: Estimate?
    package var pValue: Double?
    package var adjustedPValue: Double?
    package var isDescriptive: Bool
  }

  package enum Decision: String, Sendable {
    case invalid
    case tooEarly = "too_early"
    case review
    case aWins = "a_wins"
    case bWins = "b_wins"
    case noDifference = "no_difference"
    case keepRunning = "keep_running"
  }

  package var permission: String
  package var experiment: String?
  package var metric: ComparisonMetric
  package var timeZone: String
  package var windows: AnalysisWindows
  package var a: Arm
  package var b: Arm
  package var difference: Estimate?
  package var ratio: Estimate?
  package var test: EqualityTest?
  package var plannedUsers: Int
  package var alwaysValid: AlwaysValid?
  package var alwaysValidRefused: String?
  package var bayes: Bayes?
  package var sampleRatio: SampleRatio
  package var contamination: Contamination
  package var needed: Needed
  package var secondary: [Secondary]
  package var decision: Decision
  package var reasons: [String]
}
