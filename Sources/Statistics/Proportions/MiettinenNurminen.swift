// Miettinen and Nurminen's score interval for the difference of two rates.

/// Miettinen and Nurminen's score intervals, the default for comparing two rates.
///
/// The difference: all δ with (p̂₁ − p̂₂ − δ)² ≤ z² V(δ), V the variance at the maximum likelihood under δ, with the
/// factor N/(N − 1). Source: O. Miettinen and M. Nurminen, Statistics in Medicine 4 (1985) 213. Defined for every table
/// with trials in both arms, 0 % and 100 % included, and dual to the pooled test at δ = 0.
public enum MiettinenNurminen {
  /// The interval of rate(first) − rate(second); nil where either has no trials or the confidence is outside (0, 1).
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    guard first.trials > 0, second.trials > 0 else { return nil }
    // Counted from the rarer outcome: 1e-9 below a rate of 1 has no digits, 1e-9 above 0 has all of them.
    if first.successes.clampedSum(second.successes) > first.failures.clampedSum(second.failures) {
      return rareInterval(second.complement, first.complement, z)
    }
    return rareInterval(first, second, z)
  }

  /// The variance of the difference under rate(first) − rate(second) = `difference`, with the factor N/(N − 1).
  /// nil without trials or for a difference outside [−1, 1].
  public static func restrictedVariance(
    _ first: BinomialSample, _ second: BinomialSample, difference: Double
  ) -> Double? {
    guard first.trials > 0, second.trials > 0, abs(difference) <= 1 else { return nil }
    return RestrictedLikelihood(first: first, second: second).variance(at: difference)
  }

  private static func rareInterval(_ first: BinomialSample, _ second: BinomialSample, _ z: Double) -> Interval? {
    guard let estimate = BinomialSample.exactDifference(first, second) else { return nil }
    let likelihood = RestrictedLikelihood(first: first, second: second)
    let reach = z * likelihood.variance(at: estimate).squareRoot()
    return Interval(
      low: limit(likelihood, estimate, z, reach, side: -1),
      high: limit(likelihood, estimate, z, reach, side: 1)
    )
  }

  /// The δ on one side of the estimate with |p̂₁ − p̂₂ − δ| = z √V(δ).
  private static func limit(
    _ likelihood: RestrictedLikelihood, _ estimate: Double, _ z: Double, _ reach: Double, side: Double
  ) -> Double {
    let end = side
    if estimate == end { return end }
    func excess(_ delta: Double) -> Double {
      side * (delta - estimate) - z * max(0, likelihood.variance(at: delta)).squareRoot()
    }
    // A Wald-like first guess, then one step of the fixed point δ = estimate ± z √V(δ).
    var start = estimate + side * reach
    if reach == 0 || abs(start) >= 1 { start = estimate + (end - estimate) / 2 }
    let second = estimate + side * z * max(0, likelihood.variance(at: start)).squareRoot()
    let low = side < 0 ? end : estimate
    let high = side < 0 ? estimate : end
    return RootFinder.solve(
      low: low, high: high, starts: (start, second), positiveBelow: side < 0, absolute: 1e-300, excess
    )
  }
}
