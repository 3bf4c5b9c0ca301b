// Variance reduction by a covariate from before the exposure.

/// CUPED: the metric less θ times what the same user did before.
///
/// θ = cov(x, y)/var(x) over both arms together; the error from the adjusted moments of each arm; Welch's t. Source: A.
/// Deng, Y. Xu, R. Kohavi and T. Walker, WSDM 2013. The covariate must not be anything after the exposure.
public enum Cuped {
  /// Paired observations before (`pre`) and after (`post`), one per user.
  public struct Sample: Sendable {
    public let pre: [Double]
    public let post: [Double]

    public init(pre: [Double], post: [Double]) throws(StatisticsError) {
      guard pre.count == post.count else { throw .lengthsDiffer(pre.count, post.count) }
      self.pre = pre
      self.post = post
    }
  }

  public struct Adjustment: Sendable {
    public let theta: Double
    /// First minus second, adjusted.
    public let adjusted: Welch.Test
    /// First minus second, as observed.
    public let unadjusted: Welch.Test
  }

  /// θ is 0 if the covariate does not vary. Refused as `Welch.test` is.
  public static func compare(
    _ first: Sample, _ second: Sample, confidence: Double = 0.95
  ) -> Result<Adjustment, StatisticsError> {
    let pre = first.pre + second.pre
    let post = first.post + second.post
    let preMean = mean(pre)
    let postMean = mean(post)
    var cross = 0.0
    var square = 0.0
    for (x, y) in zip(pre, post) {
      cross += (x - preMean) * (y - postMean)
      square += (x - preMean) * (x - preMean)
    }
    let theta = square > 0 ? cross / square : 0
    func adjusted(_ sample: Sample) -> SampleMoments {
      SampleMoments(zip(sample.pre, sample.post).map { $1 - theta * $0 })
    }
    let plain = Welch.test(SampleMoments(first.post), SampleMoments(second.post), confidence: confidence)
    let better = Welch.test(adjusted(first), adjusted(second), confidence: confidence)
    return plain.flatMap { plain in
      better.map { Adjustment(theta: theta, adjusted: $0, unadjusted: plain) }
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }
}
