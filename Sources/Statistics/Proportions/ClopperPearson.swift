// The exact interval for one rate.

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
