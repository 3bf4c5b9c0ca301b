// Non-inferiority by the score test.

/// The score test of H₀: rate(first) − rate(second) ≤ margin, for a margin below 0.
///
/// z = (d̂ − margin)/√V(margin), V Miettinen and Nurminen's variance (C. P. Farrington and G. Manning, Statistics in
/// Medicine 9 (1990) 1447, without N/(N − 1)). p ≤ α exactly where the two-sided 1 − 2α interval starts at the margin
/// or above it.
public struct NonInferiority: Sendable, Hashable {
  public let z: Double
  public let oneSidedP: Double

  /// nil where either has no trials, the margin is outside (−1, 1), or nothing could vary at the margin.
  public static func test(_ first: BinomialSample, _ second: BinomialSample, margin: Double) -> NonInferiority? {
    guard abs(margin) < 1, let difference = BinomialSample.exactDifference(first, second),
      let variance = MiettinenNurminen.restrictedVariance(first, second, difference: margin), variance > 0
    else { return nil }
    let z = (difference - margin) / variance.squareRoot()
    return NonInferiority(z: z, oneSidedP: NormalDistribution.upperTail(z))
  }

  /// What an interval of the difference says about a guardrail. "Not significant" is never `safe`.
  public enum State: String, Sendable {
    /// The whole interval lies above the margin.
    case safe
    /// The whole interval lies below the margin.
    case harmed
    /// The whole interval lies below 0, but the margin is inside it.
    case worse
    case undecided
  }

  /// `margin` is below 0: the loss still put up with.
  public static func state(_ interval: Interval, margin: Double) -> State {
    if interval.low > margin { return .safe }
    if interval.high < margin { return .harmed }
    return interval.high < 0 ? .worse : .undecided
  }
}
