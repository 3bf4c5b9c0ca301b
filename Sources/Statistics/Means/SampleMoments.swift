// Sufficient statistics of means: exact sums of integers, and moments of real observations.

/// Count, sum and sum of squares of integer observations, kept exactly.
///
/// Moments come from products of 128 bits, so there is no cancellation: a variance of 0 is exactly 0. Sums outside the
/// range of `Int` are clamped to it.
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
      count: left.count.clampedSum(right.count), sum: left.sum.clampedSum(right.sum),
      sumOfSquares: left.sumOfSquares.clampedSum(right.sumOfSquares))
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
      count: count, centre: left.centre + gap * share,
      deviations: left.deviations + right.deviations + gap * gap * Double(left.count) * share)
  }

  /// nil for no observation.
  public var mean: Double? { count > 0 ? centre : nil }

  /// nil below 2 observations.
  public var sampleVariance: Double? { count > 1 ? deviations / Double(count - 1) : nil }
}

// MARK: Welch's comparison of two means

/// Welch's t: the difference of two means without assuming equal variances.
///
/// Source: B. L. Welch, Biometrika 34 (1947) 28; degrees of freedom by F. E. Satterthwaite (1946).
public enum Welch {
  /// The interval of the first mean minus the second; nil below 2 in a group, with no variance in both, or for a
  /// confidence outside (0, 1).
  public static func differenceInterval(
    _ first: IntegerMoments, _ second: IntegerMoments, confidence: Double = 0.95
  ) -> Interval? {
    try? test(SampleMoments(first), SampleMoments(second), confidence: confidence).get().interval
  }

  public struct Test: Sendable, Hashable {
    /// First mean minus second.
    public let difference: Double
    public let standardError: Double
    public let degreesOfFreedom: Double
    public let t: Double
    public let pValue: Double
    public let interval: Interval
  }

  /// The test and the interval of the first mean minus the second; refused below 2 in a group or with no variance in
  /// both.
  public static func test(
    _ first: SampleMoments, _ second: SampleMoments, confidence: Double = 0.95
  ) -> Result<Test, StatisticsError> {
    guard let m1 = first.mean, let m2 = second.mean, let v1 = first.sampleVariance, let v2 = second.sampleVariance
    else { return .failure(.tooFew(name: "observations in a group", have: min(first.count, second.count), need: 2)) }
    return compare(
      difference: m1 - m2, (variance: v1 / Double(first.count), count: Double(first.count)),
      (variance: v2 / Double(second.count), count: Double(second.count)), confidence: confidence)
  }

  /// The test and the interval of the first mean minus the second, from means, sample variances (divisor n − 1) and
  /// counts.
  ///
  /// Refused for fewer than 2 observations in a group, a negative variance, a mean or variance that is not finite, two
  /// variances of 0, and a confidence outside (0, 1).
  public static func test(
    means: (first: Double, second: Double), sampleVariances: (first: Double, second: Double),
    counts: (first: Int, second: Int), confidence: Double = 0.95
  ) -> Result<Test, StatisticsError> {
    guard counts.first > 1, counts.second > 1 else {
      return .failure(.tooFew(name: "observations in a group", have: min(counts.first, counts.second), need: 2))
    }
    guard means.first.isFinite, means.second.isFinite else { return .failure(.notFinite(name: "mean")) }
    for variance in [sampleVariances.first, sampleVariances.second] {
      guard variance.isFinite else { return .failure(.notFinite(name: "variance")) }
      guard variance >= 0 else { return .failure(.notPositive(name: "variance", value: variance)) }
    }
    return compare(
      difference: means.first - means.second,
      (variance: sampleVariances.first / Double(counts.first), count: Double(counts.first)),
      (variance: sampleVariances.second / Double(counts.second), count: Double(counts.second)), confidence: confidence)
  }

  /// The t interval of a difference of two independent estimates, each with its variance and its count.
  static func compare(
    difference: Double, _ first: (variance: Double, count: Double), _ second: (variance: Double, count: Double),
    confidence: Double
  ) -> Result<Test, StatisticsError> {
    guard confidence > 0, confidence < 1 else {
      return .failure(.notAProbability(name: "confidence", value: confidence))
    }
    guard
      let freedom = degreesOfFreedom(first.variance, count: first.count, second.variance, count: second.count),
      let critical = StudentT.criticalValue(confidence: confidence, degreesOfFreedom: freedom)
    else { return .failure(.noVariance) }
    let error = (first.variance + second.variance).squareRoot()
    let t = difference / error
    return .success(
      Test(
        difference: difference, standardError: error, degreesOfFreedom: freedom, t: t,
        pValue: StudentT.twoSidedP(t, degreesOfFreedom: freedom),
        interval: Interval(difference, plusMinus: critical * error)))
  }

  /// (v₁ + v₂)²/(v₁²/(n₁ − 1) + v₂²/(n₂ − 1)) for variances of the means; nil with no variance or a count below 2.
  public static func degreesOfFreedom(
    _ v1: Double, count n1: Double, _ v2: Double, count n2: Double
  ) -> Double? {
    guard n1 > 1, n2 > 1, v1 >= 0, v2 >= 0, v1 + v2 > 0 else { return nil }
    // By shares of the total, so that squares of tiny variances do not underflow.
    let a = v1 / (v1 + v2)
    let b = v2 / (v1 + v2)
    return 1 / (a * a / (n1 - 1) + b * b / (n2 - 1))
  }
}
