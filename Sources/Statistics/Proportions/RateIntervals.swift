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
