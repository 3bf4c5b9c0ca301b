// Sufficient statistics of means: exact sums of integers, and moments of real observations.

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

/// Count, mean and sum of squared deviations of real observations, mergeable (T. Chan, G. Golub and R. LeVeque 1979).
public struct SampleMoments: Sendable, Hashable {
  public let count: Int
  private let centre: Double
  private let deviations: Double

  private init(count: Int, centre: Double, deviations: Double) {
    self.count = count
    self.centre = centre
    self.deviations = deviations
  }

  /// From the observations, in two passes.
  public init(_ observations: [Double]) {
    count = observations.count
    let mean = observations.isEmpty ? 0 : observations.reduce(0, +) / Double(observations.count)
    centre = mean
    deviations = observations.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// From integer sums.
  public init(_ moments: IntegerMoments) {
    count = moments.count
    centre = moments.mean ?? 0
    deviations = moments.count > 0 ? max(0, Double(moments.scatter)) / Double(moments.count) : 0
  }

  /// From a mean and a sample variance (divisor n − 1).
  public init(count: Int, mean: Double, sampleVariance: Double) {
    self.init(count: max(0, count), centre: mean, deviations: max(0, sampleVariance) * Double(max(0, count - 1)))
  }

  public static func + (left: SampleMoments, right: SampleMoments) -> SampleMoments {
    let count = left.count.clampedSum(right.count)
    guard count > 0 else { return left }
    let share = Double(right.count) / Double(count)
    let gap = right.centre - left.centre
    return SampleMoments(
      count: count,
      centre: left.centre + gap * share,
      deviations: left.deviations + right.deviations + gap * gap * Double(left.count) * share
    )
  }

  /// nil for no observation.
  public var mean: Double? { count > 0 ? centre : nil }

  /// nil below 2 observations.
  public var sampleVariance: Double? { count > 1 ? deviations / Double(count - 1) : nil }
}
