// Bayesian comparison of two or more rates.

/// Two or more rates with independent beta priors: a second lens, never a stopping rule.
public enum BetaBinomial {
  /// P(rate of first > rate of second); relative accuracy about 1e-10, small probabilities included.
  public static func probabilityGreater(
    _ first: BinomialSample, than second: BinomialSample, prior: BetaPrior = .uniform
  ) -> Double {
    BetaComparison.probabilityGreater(prior.posterior(first), prior.posterior(second))
  }

  /// E[(rate of second − rate of first)⁺]: the average loss of choosing the first.
  ///
  /// μ₂ P(Beta(a₂ + 1, b₂) > first) − μ₁ P(second > Beta(a₁ + 1, b₁)) (C. Stucchio, "Bayesian A/B testing at VWO",
  /// 2015).
  public static func expectedLoss(
    choosing first: BinomialSample, over second: BinomialSample, prior: BetaPrior = .uniform
  ) -> Double {
    let one = prior.posterior(first)
    let two = prior.posterior(second)
    let gain = two.mean * BetaComparison.probabilityGreater(BetaPosterior(a: two.a + 1, b: two.b), one)
    let cost = one.mean * BetaComparison.probabilityGreater(two, BetaPosterior(a: one.a + 1, b: one.b))
    return max(0, gain - cost)
  }

  /// Posterior mean of the first rate minus the second.
  public static func meanDifference(
    _ first: BinomialSample, _ second: BinomialSample, prior: BetaPrior = .uniform
  ) -> Double {
    prior.posterior(first).mean - prior.posterior(second).mean
  }

  /// The equal-tailed credible interval of the first rate minus the second, by quadrature. A confidence outside (0, 1)
  /// gives [−1, 1], which is certain.
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95, prior: BetaPrior = .uniform
  ) -> Interval {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return Interval(low: -1, high: 1) }
    let one = prior.posterior(first)
    let two = prior.posterior(second)
    let tail = (1 - confidence) / 2
    // The upper limit is minus the lower limit of the difference turned round, so both come from a small tail.
    return Interval(low: lowerLimit(one, two, tail, z), high: -lowerLimit(two, one, tail, z))
  }

  private static func lowerLimit(
    _ one: BetaPosterior, _ two: BetaPosterior, _ tail: Double, _ z: Double
  ) -> Double {
    let error =
      (one.standardDeviation * one.standardDeviation + two.standardDeviation * two.standardDeviation).squareRoot()
    let start = one.mean - two.mean - z * error
    return RootFinder.solve(
      low: -1, high: 1, starts: (start, start + 0.05 * error), positiveBelow: false, relative: 1e-12,
      absolute: 1e-12 * error
    ) { d in
      Elementary.log(max(BetaComparison.differenceCumulative(d, one, two), 1e-300)) - Elementary.log(tail)
    }
  }

  /// P(each rate is the largest), by ∫ fₖ ∏ Fⱼ; empty for no arms.
  public static func probabilityBest(_ samples: [BinomialSample], prior: BetaPrior = .uniform) -> [Double] {
    let posteriors = samples.map { prior.posterior($0) }
    let lowest = posteriors.map(\.support.low).max() ?? 0
    return posteriors.indices.map { k in
      // Below every support start but its own the product is 0, so the panels go where the mass is.
      let value = posteriors[k].expectation(from: lowest, to: 1) { x in
        posteriors.indices.reduce(1) { $1 == k ? $0 : $0 * posteriors[$1].cumulative(x) }
      }
      return min(1, value)
    }
  }
}

/// Comparisons of two independent beta distributions.
enum BetaComparison {
  /// P(first > second).
  ///
  /// For whole parameters Σ over i < a of B(c + i, b + d)/[(b + i) B(1 + i, b) B(c, d)] (E. Miller, "Formulas for
  /// Bayesian A/B testing", 2014, eq. 6; J. D. Cook 2005). All terms are positive; the sum starts at its largest, taken
  /// by the saddle point, and goes outwards, so nothing underflows and small tails keep their digits. Otherwise by
  /// quadrature.
  static func probabilityGreater(_ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    guard first.isWhole, second.isWhole else { return byQuadrature(first, second) }
    // P(first > second) = P(1 − second > 1 − first): the same sum with d terms instead of a.
    if second.b < first.a { return sum(second.b, second.a, first.b, first.a) }
    return sum(first.a, first.b, second.a, second.b)
  }

  private static func sum(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
    /// t(i + 1)/t(i), falling in i.
    func ratio(_ i: Double) -> Double { (c + i) / (c + b + d + i) * ((b + i) / (1 + i)) }
    var low = 0.0
    var high = a - 1
    while low < high {
      let middle = ((low + high) / 2).rounded(.down)
      if ratio(middle) < 1 { high = middle } else { low = middle + 1 }
    }
    let peak = low
    var total = 1.0
    var term = 1.0
    var i = peak
    while i + 1 < a {
      term *= ratio(i)
      i += 1
      total += term
      if term < 1e-18 * total { break }
    }
    term = 1
    i = peak
    while i > 0 {
      i -= 1
      term /= ratio(i)
      total += term
      if term < 1e-18 * total { break }
    }
    return min(1, Elementary.exp(logTerm(peak, b, c, d)) * total)
  }

  /// ln of the i-th term as three binomial masses at the rate (c + i)/(b + c + d + i).
  private static func logTerm(_ i: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
    let n = b + c + d + i
    let p = (c + i) / n
    let q = (b + d) / n
    let draws = DiscreteMass.logBinomial(i, b, p: p, q: q) + Elementary.log(b / (b + i))
    let prior = DiscreteMass.logBinomial(c, d, p: p, q: q) + Elementary.log(c / (c + d)) + Elementary.log(d)
    let joint = DiscreteMass.logBinomial(c + i, b + d, p: p, q: q) + Elementary.log(p) + Elementary.log(b + d)
    return draws + prior - joint
  }

  private static func byQuadrature(_ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    // Over the narrower density, so that the other's distribution function is smooth on its scale.
    if first.standardDeviation <= second.standardDeviation {
      return min(1, first.expectation(from: 0, to: 1) { second.cumulative($0) })
    }
    return min(1, second.expectation(from: 0, to: 1) { first.upper($0) })
  }

  /// P(first − second ≤ d).
  static func differenceCumulative(_ d: Double, _ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    if first.standardDeviation <= second.standardDeviation {
      // second ≥ x − d: certain for x ≤ d.
      let sure = d > 0 ? first.cumulative(d) : 0
      return sure + first.expectation(from: max(0, d), to: min(1, 1 + d)) { second.upper($0 - d) }
    }
    // first ≤ y + d: certain for y ≥ 1 − d.
    let sure = d > 0 ? second.upper(1 - d) : 0
    return sure + second.expectation(from: max(0, -d), to: min(1, 1 - d)) { first.cumulative($0 + d) }
  }
}

// MARK: The prior of a rate, and the posterior after a sample

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
