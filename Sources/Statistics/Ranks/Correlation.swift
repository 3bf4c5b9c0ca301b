// Correlations: of a group with an observation, by value and by rank, and of two yes-or-no properties.

/// Point-biserial correlation: Pearson's between membership (1 = first group) and the observation.
///
/// An observation, not an effect: users who choose a group may differ in everything else.
public enum PointBiserial {
  /// The correlation; nil below 2 observations together or if a side does not vary. The interval (Fisher's z) is nil
  /// below 4 observations or at ±1.
  public static func correlation(
    _ first: IntegerMoments, _ second: IntegerMoments, confidence: Double = 0.95
  ) -> (value: Double, interval: Interval?)? {
    let both = first + second
    guard first.count > 0, second.count > 0, both.scatter > 0 else { return nil }
    let n1 = Double(first.count)
    let n2 = Double(second.count)
    let gap = Int128(second.count) * Int128(first.sum) - Int128(first.count) * Int128(second.sum)
    // There is no variance inside the groups: the correlation is exactly ±1, and rounding must not turn it into 0.99….
    if first.scatter <= 0, second.scatter <= 0 { return (gap < 0 ? -1 : 1, nil) }
    let raw = Double(gap) / (n1 * n2).squareRoot() / Double(both.scatter).squareRoot()
    let value = min(1, max(-1, raw))
    return (value, FisherTransform.interval(value, count: n1 + n2, confidence: confidence))
  }

  /// The two-sided p-value of no correlation (t with n − 2 degrees of freedom); nil if `correlation` is, and below
  /// 3 observations.
  public static func pValue(_ first: IntegerMoments, _ second: IntegerMoments) -> Double? {
    guard let value = correlation(first, second)?.value else { return nil }
    return FisherTransform.pValue(value, count: Double(first.count) + Double(second.count))
  }
}

/// Spearman's correlation of membership (1 = first group) with the observation, ties at mid-ranks.
public enum RankCorrelation {
  /// From two histograms; nil below 2 observations together or if a side does not vary.
  public static func membership(_ first: Histogram, _ second: Histogram) -> Double? {
    // Pearson's of the doubled mid-ranks, which are integers, so the sums are exact.
    var before = 0
    var one = IntegerMoments(count: 0, sum: 0, sumOfSquares: 0)
    var two = one
    for group in Histogram.merged(first, second) {
      let size = group.first.clampedSum(group.second)
      let rank = (2 * Int128(before)) + Int128(size) + 1
      one += moments(rank, group.first)
      two += moments(rank, group.second)
      before = before.clampedSum(size)
    }
    return PointBiserial.correlation(one, two)?.value
  }

  private static func moments(_ rank: Int128, _ count: Int) -> IntegerMoments {
    IntegerMoments(
      count: count, sum: Int(clamping: rank * Int128(count)), sumOfSquares: Int(clamping: rank * rank * Int128(count)))
  }
}

/// The phi coefficient of a fourfold table: Pearson's correlation of two 0/1 variables.
public struct PhiCoefficient: Sendable, Hashable {
  public let value: Double
  /// Fisher's z interval; nil below 4 observations or at ±1.
  public let interval: Interval?
  /// N φ², Pearson's chi-square without correction.
  public let chiSquare: Double
  public let pValue: Double

  /// The table a b / c d by rows; nil for a negative count or if a margin is 0, because then a side does not vary.
  public static func table(_ a: Int, _ b: Int, _ c: Int, _ d: Int, confidence: Double = 0.95) -> PhiCoefficient? {
    guard min(a, b, c, d) >= 0 else { return nil }
    let cross = Int128(a) * Int128(d) - Int128(b) * Int128(c)
    let (a, b, c, d) = (Double(a), Double(b), Double(c), Double(d))
    let rows = (a + b) * (c + d)
    let columns = (a + c) * (b + d)
    guard rows > 0, columns > 0 else { return nil }
    let value = min(1, max(-1, Double(cross) / rows.squareRoot() / columns.squareRoot()))
    let n = a + b + c + d
    let chiSquare = n * value * value
    return PhiCoefficient(
      value: value, interval: FisherTransform.interval(value, count: n, confidence: confidence), chiSquare: chiSquare,
      pValue: ChiSquareDistribution.upperTail(chiSquare, degreesOfFreedom: 1))
  }
}

/// Fisher's transformation of a correlation.
enum FisherTransform {
  /// tanh(atanh r ± z/√(n − 3)); nil below 4 observations or at |r| ≥ 1. Source: R. A. Fisher, Metron 1 (1921).
  static func interval(_ r: Double, count: Double, confidence: Double) -> Interval? {
    guard count >= 4, abs(r) < 1, let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    let centre = Elementary.atanh(r)
    let reach = z / (count - 3).squareRoot()
    return Interval(low: Elementary.tanh(centre - reach), high: Elementary.tanh(centre + reach))
  }

  /// The two-sided t-test of no correlation with n − 2 degrees of freedom; nil below 3 observations.
  static func pValue(_ r: Double, count: Double) -> Double? {
    guard count >= 3 else { return nil }
    guard abs(r) < 1 else { return 0 }
    let t = r * ((count - 2) / ((1 - r) * (1 + r))).squareRoot()
    return StudentT.twoSidedP(t, degreesOfFreedom: count - 2)
  }
}
