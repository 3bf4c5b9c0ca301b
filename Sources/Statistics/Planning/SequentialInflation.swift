// How many more users a design needs for being looked at early.

/// Sample size of a sequential design over that of one look at the end, at equal power.
public enum SequentialInflation {
  /// For the asymptotic confidence sequence decided at its planned number: ((c + z_{power})/(z_{1−α/2} + z_{power}))²,
  /// c its half-width there in standard errors. 1.91 at alpha 0.05 and power 0.8. nil for arguments outside (0, 1).
  public static func asymptotic(alpha: Double = 0.05, power: Double = 0.8) -> Double? {
    guard alpha > 0, alpha < 1, power > 0, power < 1 else { return nil }
    let m = NormalMixture.tuning(alpha)
    let log = 0.5 * Elementary.log1p(m) - Elementary.log(alpha)
    let half = (2 * (m + 1) / m * log).squareRoot()
    let zb = NormalDistribution.quantile(power)
    let ratio = (half + zb) / (zb - NormalDistribution.quantile(alpha / 2))
    return ratio * ratio
  }

  /// For a group-sequential design, from the drift that its looks cross with the given power. 1.025 for five
  /// O'Brien–Fleming looks at power 0.8. nil for a power outside (alpha, 1).
  public static func groupSequential(_ design: GroupSequential, power: Double = 0.8) -> Double? {
    guard power > design.alpha, power < 1 else { return nil }
    let fixed = NormalDistribution.quantile(power) - NormalDistribution.quantile(design.alpha / 2)
    let drift = RootFinder.solve(
      low: 0, high: 20, starts: (fixed, fixed * 1.02), positiveBelow: false, relative: 1e-9
    ) { design.crossingProbability(drift: $0) - power }
    return drift / fixed * (drift / fixed)
  }
}
