// The ratio of two Poisson rates.

/// Ratio of two event rates, each events over exposure.
///
/// Interval exp(ln r ± z √(1/a + 1/b)), the log-normal approximation (K. J. Rothman and S. Greenland, Modern
/// Epidemiology). Anti-conservative below about 5 events on a side.
public enum RateRatio {
  /// (first events / first exposure) over (second events / second exposure); nil where an exposure or the second rate
  /// is 0; no interval where the first has no events, because the logarithm has none.
  public static func logNormal(
    firstEvents: Int, firstExposure: Double, secondEvents: Int, secondExposure: Double, confidence: Double = 0.95
  ) -> (ratio: Double, interval: Interval?)? {
    guard firstEvents >= 0, secondEvents > 0, firstExposure > 0, secondExposure > 0, firstExposure.isFinite,
      secondExposure.isFinite
    else { return nil }
    let a = Double(firstEvents)
    let b = Double(secondEvents)
    let ratio = (a / firstExposure) / (b / secondExposure)
    guard firstEvents > 0, let z = NormalDistribution.criticalValue(confidence: confidence) else {
      return (ratio, nil)
    }
    let reach = Elementary.exp(z * (1 / a + 1 / b).squareRoot())
    return (ratio, Interval(low: ratio / reach, high: ratio * reach))
  }
}
