// A ratio of two sums over users.

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

  /// Σy/Σz; nil where Σz is not above 0.
  public var ratio: Double? { denominator > 0 ? Double(numerator) / Double(denominator) : nil }

  /// Σ(y − Rz)²/((n − 1) n z̄²), the delta method (Deng, Knoblich and Lu, KDD 2018); nil below 2 users.
  public var variance: Double? {
    guard users > 1, let ratio else { return nil }
    let squares =
      Double(numeratorSquares) - 2 * ratio * Double(products) + ratio * ratio * Double(denominatorSquares)
    let mean = Double(denominator) / Double(users)
    return max(0, squares) / (Double(users - 1) * Double(users) * mean * mean)
  }

  /// The first ratio minus the second.
  public struct Difference: Sendable, Hashable {
    public let difference: Double
    public let standardError: Double
    public let normalInterval: Interval
    /// With Welch's degrees of freedom.
    public let studentInterval: Interval
  }

  /// Refused below 2 users in an arm, with an empty denominator, or where nothing varies.
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
      let reach = z * t.standardError
      return Difference(
        difference: t.difference, standardError: t.standardError,
        normalInterval: Interval(low: t.difference - reach, high: t.difference + reach),
        studentInterval: t.interval
      )
    }
  }
}
