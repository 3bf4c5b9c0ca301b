// The prior of a rate, and the posterior after a sample.

/// A Beta(alpha, beta) prior of a rate; Beta(1, 1) is uniform.
public struct BetaPrior: Sendable, Hashable {
  public let alpha: Double
  public let beta: Double

  /// Throws unless both are finite and above 0.
  public init(alpha: Double, beta: Double) throws(StatisticsError) {
    guard alpha > 0, alpha.isFinite else { throw .notPositive(name: "prior alpha", value: alpha) }
    guard beta > 0, beta.isFinite else { throw .notPositive(name: "prior beta", value: beta) }
    self.alpha = alpha
    self.beta = beta
  }

  private init(unchecked alpha: Double, _ beta: Double) {
    self.alpha = alpha
    self.beta = beta
  }

  public static var uniform: BetaPrior { BetaPrior(unchecked: 1, 1) }
  public static var jeffreys: BetaPrior { BetaPrior(unchecked: 0.5, 0.5) }

  func posterior(_ sample: BinomialSample) -> BetaPosterior {
    BetaPosterior(a: alpha + Double(sample.successes), b: beta + Double(sample.failures))
  }
}

/// A Beta(a, b) distribution of a rate.
struct BetaPosterior {
  let a: Double
  let b: Double

  var mean: Double { a / (a + b) }

  var standardDeviation: Double { (a / (a + b) * (b / (a + b)) / (a + b + 1)).squareRoot() }

  var isWhole: Bool { a.rounded() == a && b.rounded() == b }

  func density(_ x: Double) -> Double {
    guard x > 0, x < 1 else { return 0 }
    return Elementary.exp(DiscreteMass.logBetaDensity(x, 1 - x, a: a, b: b))
  }

  func cumulative(_ x: Double) -> Double { IncompleteBeta.tails(x, 1 - x, a: a, b: b).lower }

  func upper(_ x: Double) -> Double { IncompleteBeta.tails(x, 1 - x, a: a, b: b).upper }

  /// An interval that leaves out less than about 1e-17 of the mass; wider for small counts, whose tails are
  /// exponential rather than normal.
  var support: (low: Double, high: Double) {
    let reach = standardDeviation * (9 + 30 / min(a, b).squareRoot())
    return (max(0, mean - reach), min(1, mean + reach))
  }

  /// ∫ f(x) g(x) dx over [low, high] within the support, x = low + (high − low) sin²φ, which smooths both ends.
  func expectation(from low: Double, to high: Double, _ g: (Double) -> Double) -> Double {
    let (left, right) = (max(low, support.low), min(high, support.high))
    guard left < right else { return 0 }
    return GaussLegendre.order64.integrate(0, Double.pi / 2, panels: 6) { phi in
      let s = Elementary.sin(phi)
      let c = Elementary.cos(phi)
      let x = left + (right - left) * s * s
      return density(x) * g(x) * 2 * (right - left) * s * c
    }
  }
}
