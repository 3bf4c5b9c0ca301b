// Intervals of one rate: Wilson's score interval and the exact one.

/// Wilson's score interval.
///
/// (p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n). Source: E. B. Wilson, JASA 22 (1927) 209; recommended by
/// Brown, Cai and DasGupta, Statistical Science 16 (2001) 101. Mean coverage is near the nominal level; single rates
/// near 0 and 1 can fall below it.
public enum Wilson {
  /// The interval of the rate; nil for no trials or a confidence outside (0, 1).
  /// The lower end is exactly 0 at no success, the upper exactly 1 at no failure.
  public static func interval(_ sample: BinomialSample, confidence: Double = 0.95) -> Interval? {
    guard sample.trials > 0, let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    let n = Double(sample.trials)
    let low = lowerLimit(Double(sample.successes), n, z)
    let high = sample.failures == 0 ? 1 : upperLimit(Double(sample.successes), Double(sample.failures), n, z)
    return Interval(low: low, high: high)
  }

  /// The smaller root as product over larger root, so that a rate of 1e-9 keeps its digits.
  private static func lowerLimit(_ x: Double, _ n: Double, _ z: Double) -> Double {
    if x == 0 { return 0 }
    let square = z * z
    let root = z * (square + 4 * x * ((n - x) / n)).squareRoot()
    return 2 * x * (x / n) / (2 * x + square + root)
  }

  private static func upperLimit(_ x: Double, _ y: Double, _ n: Double, _ z: Double) -> Double {
    // Near 1 the distance to 1 is the failures' lower limit, which is the accurate one.
    if y < x { return 1 - lowerLimit(y, n, z) }
    let square = z * z
    let root = z * (square + 4 * x * (y / n)).squareRoot()
    return (2 * x + square + root) / (2 * (n + square))
  }
}

/// Clopper and Pearson's exact interval.
///
/// low = B(α/2; x, n − x + 1), high = B(1 − α/2; x + 1, n − x) with beta quantiles. Source: C. J. Clopper and
/// E. S. Pearson, Biometrika 26 (1934) 404. Coverage is never below the nominal level, so it is conservative.
public enum ClopperPearson {
  /// The interval of the rate; nil for no trials or a confidence outside (0, 1).
  public static func interval(_ sample: BinomialSample, confidence: Double = 0.95) -> Interval? {
    guard let start = Wilson.interval(sample, confidence: confidence) else { return nil }
    let tail = (1 - confidence) / 2
    let x = Double(sample.successes)
    let y = Double(sample.failures)
    var result = Interval(low: 0, high: 1)
    if sample.successes > 0 { result.low = limit(a: x, b: y + 1, tail: tail, start: start.low) }
    if sample.failures > 0 { result.high = 1 - limit(a: y, b: x + 1, tail: tail, start: 1 - start.high) }
    if sample.failures > 0, sample.successes < sample.failures {
      result.high = upperLimit(a: x + 1, b: y, tail: tail, start: start.high)
    }
    return result
  }

  /// The p with I_p(a, b) = tail.
  private static func limit(a: Double, b: Double, tail: Double, start: Double) -> Double {
    let goal = Elementary.log(tail)
    return RootFinder.solve(low: 0, high: 1, starts: (start, start * 0.97), positiveBelow: false) { p in
      Elementary.log(max(IncompleteBeta.tails(p, 1 - p, a: a, b: b).lower, 1e-300)) - goal
    }
  }

  /// The p with 1 − I_p(a, b) = tail.
  private static func upperLimit(a: Double, b: Double, tail: Double, start: Double) -> Double {
    let goal = Elementary.log(tail)
    return RootFinder.solve(low: 0, high: 1, starts: (start, start * 1.03), positiveBelow: true) { p in
      Elementary.log(max(IncompleteBeta.tails(p, 1 - p, a: a, b: b).upper, 1e-300)) - goal
    }
  }
}

// MARK: Further intervals for two rates, as checks and for parity with other engines

/// Newcombe's hybrid score interval of a difference (his method 10).
///
/// d̂ − √((p̂₁ − l₁)² + (u₂ − p̂₂)²), d̂ + √((u₁ − p̂₁)² + (p̂₂ − l₂)²), with l, u Wilson's limits. Source: R. G. Newcombe,
/// Statistics in Medicine 17 (1998) 873. Conservative at low rates.
public enum Newcombe {
  /// The interval of rate(first) − rate(second); nil if either has no trials or the confidence is outside (0, 1).
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard let one = Wilson.interval(first, confidence: confidence),
      let two = Wilson.interval(second, confidence: confidence),
      let p1 = first.rate, let p2 = second.rate,
      let difference = BinomialSample.exactDifference(first, second)
    else { return nil }
    let below = root(p1 - one.low, two.high - p2)
    let above = root(one.high - p1, p2 - two.low)
    return Interval(low: difference - below, high: difference + above)
  }

  private static func root(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
}

/// Agresti and Caffo's interval of a difference: Wald's after one success and one failure are added to each arm.
///
/// Source: A. Agresti and B. Caffo, The American Statistician 54 (2000) 280. May leave [−1, 1]; clamp it for display.
public enum AgrestiCaffo {
  /// The interval of rate(first) − rate(second); nil if either has no trials or the confidence is outside (0, 1).
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard first.trials > 0, second.trials > 0, let z = NormalDistribution.criticalValue(confidence: confidence) else {
      return nil
    }
    let p1 = (Double(first.successes) + 1) / (Double(first.trials) + 2)
    let p2 = (Double(second.successes) + 1) / (Double(second.trials) + 2)
    let reach = z * (variance(first) + variance(second)).squareRoot()
    return Interval(p1 - p2, plusMinus: reach)
  }

  /// p̃(1 − p̃)/(n + 2), p̃ = (x + 1)/(n + 2): never zero.
  static func variance(_ sample: BinomialSample) -> Double {
    let n = Double(sample.trials) + 2
    let p = (Double(sample.successes) + 1) / n
    return p * (1 - p) / n
  }
}

/// Katz's log interval of a ratio of rates.
///
/// exp(ln R̂ ± z √(1/x₁ − 1/n₁ + 1/x₂ − 1/n₂)). Source: D. Katz et al., Biometrics 34 (1978) 469. Anti-conservative at
/// small counts: with 50 users an arm at 5 % and 2 % the nominal 95 % covers 58 %.
public enum Katz {
  /// The ratio, the standard error of its logarithm, the interval; nil if either has no successes.
  public static func ratioInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> (ratio: Double, logStandardError: Double, interval: Interval)? {
    guard first.successes > 0, second.successes > 0, let p1 = first.rate, let p2 = second.rate,
      let z = NormalDistribution.criticalValue(confidence: confidence)
    else { return nil }
    let ratio = p1 / p2
    let error = (part(first) + part(second)).squareRoot()
    return (ratio, error, Interval(ratio, timesOrOver: Elementary.exp(z * error)))
  }

  /// 1/x − 1/n.
  private static func part(_ sample: BinomialSample) -> Double {
    Double(sample.failures) / Double(sample.successes) / Double(sample.trials)
  }
}

/// Relative lift (p̂₁ − p̂₂)/p̂₂ by the delta method, for parity with other engines only.
///
/// Var = v₁/p̂₂² + v₂ p̂₁²/p̂₂⁴ with v = p̂(1 − p̂)/n. Source: A. Deng, U. Knoblich and J. Lu, KDD 2018. It covers badly at
/// small counts and can disagree with the absolute difference about 0; `MiettinenNurminen.ratioInterval` does not.
public struct RelativeLift: Sendable {
  public let lift: Double
  public let standardError: Double
  /// Welch–Satterthwaite degrees of freedom of the absolute difference.
  public let degreesOfFreedom: Double
  public let normalInterval: Interval
  public let studentInterval: Interval
  public let studentP: Double

  /// Nil for fewer than 2 trials in an arm, if the second rate is 0, or without variance.
  public static func delta(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> RelativeLift? {
    guard first.trials > 1, second.trials > 1, second.successes > 0, let p1 = first.rate, let p2 = second.rate,
      let difference = BinomialSample.exactDifference(first, second),
      let z = NormalDistribution.criticalValue(confidence: confidence)
    else { return nil }
    let n1 = Double(first.trials)
    let n2 = Double(second.trials)
    let v1 = p1 * (1 - p1) / n1
    let v2 = p2 * (1 - p2) / n2
    let lift = difference / p2
    let error = (v1 + v2 * (p1 / p2) * (p1 / p2)).squareRoot() / p2
    guard error > 0,
      let freedom = Welch.degreesOfFreedom(v1, count: n1, v2, count: n2),
      let t = StudentT.criticalValue(confidence: confidence, degreesOfFreedom: freedom)
    else { return nil }
    return RelativeLift(
      lift: lift, standardError: error, degreesOfFreedom: freedom, normalInterval: Interval(lift, plusMinus: z * error),
      studentInterval: Interval(lift, plusMinus: t * error),
      studentP: StudentT.twoSidedP(lift / error, degreesOfFreedom: freedom))
  }
}
