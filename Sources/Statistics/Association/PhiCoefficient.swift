// The correlation of two yes-or-no properties.

/// The phi coefficient of a fourfold table: Pearson's correlation of two 0/1 variables.
public struct PhiCoefficient: Sendable, Hashable {
  public let value: Double
  /// Fisher's z interval; nil below 4 observations or at ±1.
  public let interval: Interval?
  /// N φ², Pearson's chi-square without correction.
  public let chiSquare: Double
  public let pValue: Double

  /// The table a b / c d by rows; nil for a negative count or where a margin is 0, because then a side does not vary.
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
      value: value,
      interval: FisherTransform.interval(value, count: n, confidence: confidence),
      chiSquare: chiSquare,
      pValue: ChiSquareDistribution.upperTail(chiSquare, degreesOfFreedom: 1)
    )
  }
}
