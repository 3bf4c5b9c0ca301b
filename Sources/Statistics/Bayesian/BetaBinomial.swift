// Bayesian comparison of two rates.

/// Two or more rates with independent beta priors: a second lens, never a stopping rule.
public enum BetaBinomial {
  /// P(rate of first > rate of second); relative accuracy about 1e-10, small probabilities included.
  public static func probabilityGreater(
    _ first: BinomialSample, than second: BinomialSample, prior: BetaPrior = .uniform
  ) -> Double {
    BetaComparison.probabilityGreater(prior.posterior(first), prior.posterior(second))
  }

  /// E[(rate of second − rate of first)⁺]: what is lost on average by choosing the first.
  ///
  /// μ₂ P(Beta(a₂ + 1, b₂) > first) − μ₁ P(second > Beta(a₁ + 1, b₁)) (C. Stucchio, "Bayesian A/B testing at VWO", 2015).
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
