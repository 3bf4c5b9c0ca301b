// The parts of a comparison about its size, the other metrics, and the segments.

import Statistics

extension Comparison {
  package struct Needed: Sendable {
    package var minimumEffect: Double
    /// Users that each message still needs, for one look at the end.
    package var perVariant: Int?
    /// Days that takes at the exposures a day of the last 28 days.
    package var days: Int?
    /// The same for deciding by the always-valid interval at its planned number.
    package var perVariantAlwaysValid: Int?
    package var daysAlwaysValid: Int?
    /// Of finding the minimum effect with the users there are, at one look.
    package var power: Double?
    /// The smallest differences found with 80 % power by the users there are, at one look; as sizes, above 0.
    package var detectableUp: Double?
    package var detectableDown: Double?
  }

  /// A metric beside the primary one.
  package struct Secondary: Sendable {
    package enum Unit: Sendable { case share, milliseconds }
    /// Its name in JSON.
    package var metric: String
    /// For people.
    package var title: String
    package var unit: Unit
    package var a: Double?
    package var b: Double?
    package var difference: Estimate?
    package var pValue: Double?
    package var log10PValue: Double?
    package var adjustedPValue: Double?
    /// `z`, `fisher_mid_p`, `mann_whitney` or `log_rank`.
    package var test: String?
    /// P(a value of B is greater) + ½ P(equal), of Mann and Whitney.
    package var probabilityBGreater: Double?
    /// Conditioned on something that the message changes.
    package var isDescriptive: Bool
  }

  /// The primary metric within each value of a property.
  package struct Segments: Sendable {
    package struct Segment: Sendable {
      /// nil where the exposure has none.
      package var value: String?
      package var a: Tally
      package var b: Tally
      /// Miettinen–Nurminen 95 %, for one look.
      package var difference: Estimate?
      package var pValue: Double?
      /// Benjamini–Hochberg over the segments.
      package var adjustedPValue: Double?
      package var sampleRatioPValue: Double?
    }
    package var property: String
    /// By value, bytewise; none first.
    package var segments: [Segment]
    /// nil where fewer than two segments have users in both arms. Only this says that segments differ.
    package var heterogeneity: Heterogeneity?
  }
}
