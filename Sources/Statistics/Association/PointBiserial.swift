// The correlation of a group with an observation.

/// Point-biserial correlation: Pearson's between membership (1 = first group) and the observation.
///
/// An observation, not an effect: whoever chooses a group may differ in everything else.
public enum PointBiserial {
  /// The correlation; nil below 2 observations together or where a side does not vary. The interval (Fisher's z) is nil
  /// below 4 observations or at ±1.
  public static func correlation(
    _ first: IntegerMoments, _ second: IntegerMoments, confidence: Double = 0.95
  ) -> (value: Double, interval: Interval?)? {
    let both = first + second
    guard first.count > 0, second.count > 0, both.scatter > 0 else { return nil }
    let n1 = Double(first.count)
    let n2 = Double(second.count)
    let gap = Int128(second.count) * Int128(first.sum) - Int128(first.count) * Int128(second.sum)
    // Nothing varies inside the groups: exactly ±1, which rounding must not turn into 0.99….
    if first.scatter <= 0, second.scatter <= 0 { return (gap < 0 ? -1 : 1, nil) }
    let raw = Double(gap) / (n1 * n2).squareRoot() / Double(both.scatter).squareRoot()
    let value = min(1, max(-1, raw))
    return (value, FisherTransform.interval(value, count: n1 + n2, confidence: confidence))
  }

  /// The two-sided p-value of no correlation (t with n − 2 degrees of freedom); nil where `correlation` is, and below
  /// 3 observations.
  public static func pValue(_ first: IntegerMoments, _ second: IntegerMoments) -> Double? {
    guard let value = correlation(first, second)?.value else { return nil }
    return FisherTransform.pValue(value, count: Double(first.count) + Double(second.count))
  }
}
