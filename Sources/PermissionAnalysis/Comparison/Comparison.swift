// A comparison of one message with the control, ready to be rendered: every number, check and reason of it.
//
// Shares, rates and differences are shares of 1 (not percent), times are milliseconds, differences and ratios are B
// against A, the control. nil is unknown: a method that was refused, a rate without a denominator.

import PermissionEvents
import Statistics

/// B against A. A comparison of more messages is a `ComparisonSet` of these.
///
/// A renderer needs nothing else: `headline` is the interval to draw against 0 and ± `needed.minimumEffect`, `series` the
/// same interval day after day, `reasons` and `cautions` are finished sentences.
package struct Comparison: Sendable {
  package enum Decision: String, Sendable, CaseIterable {
    case invalid
    case tooEarly = "too_early"
    case review
    case aWins = "a_wins"
    case bWins = "b_wins"
    case noDifference = "no_difference"
    case keepRunning = "keep_running"
  }

  // MARK: What was asked

  package var permission: String
  package var experiment: String?
  package var metric: ComparisonMetric
  package var zone: ZoneTable
  package var windows: AnalysisWindows
  /// Comparisons with the same control, this one included: all intervals and alphas are shared out among them.
  package var familySize: Int
  /// Of `difference`, `ratio` and `alwaysValid`: 0.95, or more where several messages are compared.
  package var confidence: Double
  /// Users in both arms together at which a decision is expected.
  package var plannedUsers: Int

  // MARK: Who was counted

  package var a: Arm
  package var b: Arm

  // MARK: The primary metric

  /// Miettinen–Nurminen, for one look.
  package var difference: Estimate?
  /// Miettinen–Nurminen, for one look. `high` is nil where there is no upper limit.
  package var ratio: Estimate?
  /// For one look; with `log10PValue`, which stays finite where the p-value is below the smallest double.
  package var test: EqualityTest?
  /// The p-value after Holm over the family; the p-value itself where the family is one.
  package var adjustedPValue: Double?
  /// The asymptotic confidence sequence, which decides unless looks were declared; nil where its gate refused.
  package var alwaysValid: AlwaysValid?
  /// Why, in a sentence.
  package var alwaysValidRefused: String?
  /// Of the difference, exact and valid at every look, wider: two Bernoulli sequences. nil without users in an arm.
  package var exactSequence: Interval?
  /// With `--looks`: the group-sequential design, which then decides.
  package var looks: Looks?
  package var bayes: Bayes?
  /// The primary metric by day of exposure, oldest first, finished days only, with the sequence up to each.
  package var series: [SeriesPoint]

  // MARK: Whether it can be trusted

  package var sampleRatio: SampleRatio
  package var contamination: Contamination
  /// One for each property that was looked at.
  package var strata: [PropertyCheck]
  package var novelty: Novelty
  package var guardrails: [Guardrail]

  // MARK: The rest

  package var needed: Needed
  /// Adjusted together by Benjamini and Hochberg.
  package var secondary: [Secondary]
  /// Unadjusted, and conditioned on what the message has chosen: descriptions, not effects.
  package var observations: [Secondary]
  /// With `--by`.
  package var segments: Segments?

  // MARK: What follows

  package var decision: Decision
  /// Sentences: why this decision.
  package var reasons: [String]
  /// Sentences that change no decision and should be read with it.
  package var cautions: [String]

  package var timeZone: String { zone.name }
}

extension Comparison {
  /// The interval that the decision goes by, and what it is. Where the sequence is refused, the interval of one look,
  /// which decides nothing.
  package struct Headline: Sendable {
    package enum Kind: Sendable { case alwaysValid, look, oneLook }
    package var kind: Kind
    package var value: Double
    package var low: Double
    package var high: Double
  }

  package var headline: Headline? {
    if let look = looks?.deciding {
      return Headline(kind: .look, value: look.difference, low: look.low, high: look.high)
    }
    guard let difference else { return nil }
    if looks == nil, let sequence = alwaysValid {
      return Headline(kind: .alwaysValid, value: difference.value, low: sequence.low, high: sequence.high)
    }
    guard let low = difference.low, let high = difference.high else { return nil }
    return Headline(kind: .oneLook, value: difference.value, low: low, high: high)
  }
}

/// Several messages, each compared with the first.
public struct ComparisonSet: Sendable {
  /// At least one; the same control in each.
  package var pairs: [Comparison]
  /// P(each arm's rate is the best, in the metric's good direction), control first; nil where an arm has no trials.
  package var probabilityBest: [Double]?

  /// The arms, control first.
  package var arms: [Comparison.Arm] { pairs.prefix(1).map(\.a) + pairs.map(\.b) }
}
