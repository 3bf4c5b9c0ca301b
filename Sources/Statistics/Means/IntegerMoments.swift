// Exact sums of integer observations.

/// Count, sum and sum of squares of integer observations, kept exactly.
///
/// Moments come from products of 128 bits, so nothing cancels: a variance of 0 is exactly 0. Sums past the range of
/// `Int` stay at its end.
public struct IntegerMoments: Sendable, Hashable {
  public let count: Int
  public let sum: Int
  public let sumOfSquares: Int

  public init(count: Int, sum: Int, sumOfSquares: Int) {
    self.count = count
    self.sum = sum
    self.sumOfSquares = sumOfSquares
  }

  /// The moments of the observations themselves.
  public init(_ observations: some Sequence<Int>) {
    var count = 0
    var sum = 0
    var squares = 0
    for value in observations {
      count += 1
      sum = sum.clampedSum(value)
      let (square, overflow) = value.multipliedReportingOverflow(by: value)
      squares = squares.clampedSum(overflow ? .max : square)
    }
    self.init(count: count, sum: sum, sumOfSquares: squares)
  }

  public static func + (left: IntegerMoments, right: IntegerMoments) -> IntegerMoments {
    IntegerMoments(
      count: left.count.clampedSum(right.count),
      sum: left.sum.clampedSum(right.sum),
      sumOfSquares: left.sumOfSquares.clampedSum(right.sumOfSquares)
    )
  }

  public static func += (left: inout IntegerMoments, right: IntegerMoments) { left = left + right }

  /// nil for no observation.
  public var mean: Double? { count > 0 ? Double(sum) / Double(count) : nil }

  /// Σ(x − x̄)²/(n − 1); nil below 2 observations.
  public var sampleVariance: Double? {
    guard count > 1 else { return nil }
    return max(0, Double(scatter)) / Double(count) / Double(count - 1)
  }

  /// n Σx² − (Σx)², exactly; n² times the variance with divisor n.
  var scatter: Int128 {
    let (product, high) = Int128(count).multipliedReportingOverflow(by: Int128(sumOfSquares))
    let (square, alsoHigh) = Int128(sum).multipliedReportingOverflow(by: Int128(sum))
    return high || alsoHigh ? .max : product - square
  }
}
