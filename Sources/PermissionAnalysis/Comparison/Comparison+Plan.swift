// The parts of a comparison about its size, the other metrics, and the segments.

import Statistics

extension Comparison {
  /// How many users more it takes, and what those there are can show.
  public struct Needed: Sendable {
    public internal(set) var minimumEffect: Double
    /// Users that each message still needs, for one look at the end.
    public internal(set) var perVariant: Int?
    /// Days that takes at the exposures a day of the last 28 days.
    public internal(set) var days: Int?
    /// The same for deciding by the always-valid interval at its planned number.
    public internal(set) var perVariantAlwaysValid: Int?
    public internal(set) var daysAlwaysValid: Int?
    /// Of finding the minimum effect with the users there are, at one look.
    public internal(set) var power: Double?
    /// The smallest differences found with 80 % power by the users there are, at one look; as sizes, above 0.
    public internal(set) var detectableUp: Double?
    public internal(set) var detectableDown: Double?
  }

  /// A metric beside the primary one.
  public struct Secondary: Sendable {
    /// What is compared.
    public enum Measure: Sendable, Hashable {
      case metric(ComparisonMetric)
      /// The median, in milliseconds.
      case timeToAnswer
      /// Shares by Kaplan and Meier, within 28 days.
      case enabledAfterDenial, enabledAfterSkip, enabledAfterNoAnswer

      /// Its name in JSON.
      public var name: String {
        switch self {
        case .metric(let metric): metric.rawValue
        case .timeToAnswer: "time_to_answer_ms"
        case .enabledAfterDenial: "enabled_later_denied"
        case .enabledAfterSkip: "enabled_later_skipped"
        case .enabledAfterNoAnswer: "enabled_later_dropped_off"
        }
      }

      /// What its values are counted in.
      public var unit: Unit { self == .timeToAnswer ? .milliseconds : .share }
    }

    /// A share of 1, or a time.
    public enum Unit: Sendable { case share, milliseconds }

    public internal(set) var measure: Measure
    public internal(set) var a: Double?
    public internal(set) var b: Double?
    public internal(set) var difference: Estimate?
    public internal(set) var pValue: Double?
    public internal(set) var log10PValue: Double?
    public internal(set) var adjustedPValue: Double?
    /// `z`, `fisher_mid_p`, `mann_whitney` or `log_rank`.
    public internal(set) var test: String?
    /// P(a value of B is greater) + ½ P(equal), of Mann and Whitney.
    public internal(set) var probabilityBGreater: Double?
    /// Conditioned on something that the message changes.
    public internal(set) var isDescriptive: Bool
  }

  /// The primary metric within each value of a property.
  public struct Segments: Sendable {
    public struct Segment: Sendable {
      /// nil if the exposure has none.
      public internal(set) var value: String?
      public internal(set) var a: Tally
      public internal(set) var b: Tally
      /// Miettinen–Nurminen 95 %, for one look.
      public internal(set) var difference: Estimate?
      public internal(set) var pValue: Double?
      /// Benjamini–Hochberg over the segments.
      public internal(set) var adjustedPValue: Double?
      public internal(set) var sampleRatioPValue: Double?
    }
    public internal(set) var property: String
    /// By value, bytewise; none first.
    public internal(set) var segments: [Segment]
    /// nil if fewer than two segments have users in both arms. Only this says that segments differ.
    public internal(set) var heterogeneity: Heterogeneity?
  }
}
