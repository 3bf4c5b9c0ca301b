// Ratios: of two sums over users, and of two Poisson rates.

/// Sums over users of a numerator y and a denominator z, for a ratio Σy/Σz whose unit is the user.
public struct RatioMetric: Sendable, Hashable {
  public let users: Int
  public let numerator: Int
  public let denominator: Int
  public let numeratorSquares: Int
  public let denominatorSquares: Int
  public let products: Int

  public init(
    users: Int, numerator: Int, denominator: Int, numeratorSquares: Int, denominatorSquares: Int, products: Int
  ) {
    self.users = users
    self.numerator = numerator
    self.denominator = denominator
    self.numeratorSquares = numeratorSquares
    self.denominatorSquares = denominatorSquares
    self.products = products
  }

  /// Σy/Σz; nil if Σz is not above 0.
  public var ratio: Double? { denominator > 0 ? Double(numerator) / Double(denominator) : nil }

  /// Σ(y − Rz)²/((n − 1) n z̄²), the delta method (W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6, without its
  /// correction for a finite population; Deng, Knoblich and Lu, KDD 2018); nil below 2 users.
  public var variance: Double? {
    guard users > 1, let ratio else { return nil }
    let first = Double(numeratorSquares)
    var squares = first - 2 * ratio * Double(products) + ratio * ratio * Double(denominatorSquares)
    // Of a ratio that is the same of all users rounding alone is left.
    if squares < 1e-13 * first { squares = 0 }
    let mean = Double(denominator) / Double(users)
    return squares / (Double(users - 1) * Double(users) * mean * mean)
  }

  /// The first ratio minus the second.
  public struct Difference: Sendable, Hashable {
    public let difference: Double
    public let standardError: Double
    public let normalInterval: Interval
    /// With Welch's degrees of freedom.
    public let studentInterval: Interval
  }

  /// Refused below 2 users in an arm, with an empty denominator, or without variance.
  public static func difference(
    _ first: RatioMetric, _ second: RatioMetric, confidence: Double = 0.95
  ) -> Result<Difference, StatisticsError> {
    guard first.users > 1, second.users > 1 else {
      return .failure(.tooFew(name: "users in an arm", have: min(first.users, second.users), need: 2))
    }
    guard let r1 = first.ratio, let r2 = second.ratio, let v1 = first.variance, let v2 = second.variance else {
      return .failure(.notPositive(name: "denominator", value: Double(min(first.denominator, second.denominator))))
    }
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else {
      return .failure(.notAProbability(name: "confidence", value: confidence))
    }
    return Welch.compare(
      difference: r1 - r2, (v1, Double(first.users)), (v2, Double(second.users)), confidence: confidence
    ).map { t in
      Difference(
        difference: t.difference, standardError: t.standardError,
        normalInterval: Interval(t.difference, plusMinus: z * t.standardError), studentInterval: t.interval)
    }
  }
}

/// Ratio of two risks over strata, of Mantel and Haenszel: Σ x m/(n + m) over Σ y n/(n + m), where x of n have the event
/// in the first group of a stratum and y of m in the second.
///
/// Interval exp(ln r ± z √v), v = Σ x (m/(n + m))²/P² + φ Σ y (n/(n + m))²/Q²: events are counted as Poisson's, which
/// is a little wide for common events. φ is for second groups in which one person's events count in several strata. Source:
/// K. J. Rothman and S. Greenland, Modern Epidemiology; N. Mantel and W. Haenszel, 1959.
public enum RiskRatio {
  public struct Stratum: Sendable {
    public var first, second: (events: Int, of: Int)

    public init(first: (events: Int, of: Int), second: (events: Int, of: Int)) {
      (self.first, self.second) = (first, second)
    }
  }

  /// - Parameter dispersion: φ, at least 1.
  /// - Returns: Nil without an event in the second group of a stratum that has both. No interval if the first has none,
  ///   because 0 has no logarithm.
  public static func mantelHaenszel(
    _ strata: [Stratum], dispersion: Double = 1, confidence: Double = 0.95
  ) -> (ratio: Double, interval: Interval?)? {
    var (p, q, pVariance, qVariance) = (0.0, 0.0, 0.0, 0.0)
    for stratum in strata where stratum.first.of > 0 && stratum.second.of > 0 {
      let (n, m) = (Double(stratum.first.of), Double(stratum.second.of))
      let (x, y) = (Double(stratum.first.events), Double(stratum.second.events))
      p += x * (m / (n + m))
      q += y * (n / (n + m))
      pVariance += x * (m / (n + m)) * (m / (n + m))
      qVariance += y * (n / (n + m)) * (n / (n + m))
    }
    guard q > 0 else { return nil }
    guard p > 0, let z = NormalDistribution.criticalValue(confidence: confidence) else { return (p / q, nil) }
    let variance = pVariance / (p * p) + max(1, dispersion) * qVariance / (q * q)
    return (p / q, Interval(p / q, timesOrOver: Elementary.exp(z * variance.squareRoot())))
  }
}

// MARK: Variance reduction by a covariate from before the exposure

/// CUPED: the metric minus θ times the same user's earlier value.
///
/// θ = cov(x, y)/var(x) over both arms together; the error from the adjusted moments of each arm; Welch's t. Source: A.
/// Deng, Y. Xu, R. Kohavi and T. Walker, WSDM 2013. The covariate must be from before the exposure.
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
