// Wilson's score interval for one rate.

/// Wilson's score interval.
///
/// (p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n). Source: E. B. Wilson, JASA 22 (1927) 209; recommended by
/// Brown, Cai and DasGupta, Statistical Science 16 (2001) 101. Mean coverage is near the nominal level; single rates
/// near 0 and 1 can fall below it.
public enum Wilson {
  /// The interval of the rate; nil for no trials or a confidence outside (0, 1).
  /// The lower end is exactly 0 at no success, the upper exactly 1 at no failure.
  public static func interval(_ sample: BinomialSample, confidence: Double = 0.95) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    return interval(sample, z: z)
  }

  static func interval(_ sample: BinomialSample, z: Double) -> Interval? {
    guard sample.trials > 0 else { return nil }
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
