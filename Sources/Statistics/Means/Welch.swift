// Welch's comparison of two means.

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

  /// A comparison of means.
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
      difference: m1 - m2,
      (variance: v1 / Double(first.count), count: Double(first.count)),
      (variance: v2 / Double(second.count), count: Double(second.count)),
      confidence: confidence
    )
  }

  /// The test and the interval of the first mean minus the second, from means, sample variances (divisor n − 1) and
  /// counts.
  ///
  /// Refused below 2 in a group, for a variance below 0 or a mean or variance that is not finite, for no variance in both,
  /// and for a confidence outside (0, 1).
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
      (variance: sampleVariances.second / Double(counts.second), count: Double(counts.second)),
      confidence: confidence)
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
