// Users needed to detect a difference of two rates.

/// Sample sizes of a two-sided test of two rates.
public enum SampleSize {
  public struct Plan: Sendable, Hashable {
    /// Users of the arm at the baseline.
    public let control: Int
    /// Users of the other arm, ratio times as many.
    public let treatment: Int
    /// Users of the control before rounding up.
    public let controlExact: Double

    public var total: Int { control.clampedSum(treatment) }
  }

  /// Users per arm so that a change from `baseline` by `effect` (absolute, of either sign) is found with `power`.
  ///
  /// n₂ = [z_{1−α/2} √(p̄(1 − p̄)(1 + 1/k)) + z_{1−β} √(p₂(1 − p₂) + p₁(1 − p₁)/k)]²/(p₁ − p₂)², n₁ = k n₂,
  /// p̄ = (k p₁ + p₂)/(1 + k). Source: J. L. Fleiss, A. Tytun and H. K. Ury, Biometrics 36 (1980) 343, without continuity
  /// correction; R's `power.prop.test` at k = 1. `ratio` k is treatment over control. nil where the changed rate leaves
  /// [0, 1], the effect is 0, alpha, power or ratio are out of range, or the number passes 10¹⁵.
  public static func perArm(
    baseline: Double, effect: Double, alpha: Double = 0.05, power: Double = 0.8, ratio: Double = 1
  ) -> Plan? {
    let changed = baseline + effect
    guard baseline >= 0, baseline <= 1, changed >= 0, changed <= 1, effect != 0, ratio > 0, ratio.isFinite,
      alpha > 0, alpha < 1, power > 0, power < 1
    else { return nil }
    let za = -NormalDistribution.quantile(alpha / 2)
    let zb = NormalDistribution.quantile(power)
    let pooled = (ratio * changed + baseline) / (1 + ratio)
    let null = (pooled * (1 - pooled) * (1 + 1 / ratio)).squareRoot()
    let alternative = (baseline * (1 - baseline) + changed * (1 - changed) / ratio).squareRoot()
    // Below a power of α/2 the bracket turns negative: any number of users does.
    let bracket = max(0, za * null + zb * alternative)
    let exact = bracket * bracket / (effect * effect)
    guard exact < 1e15, exact * ratio < 1e15 else { return nil }
    return Plan(
      control: max(1, Int(exact.rounded(.up))),
      treatment: max(1, Int((exact * ratio).rounded(.up))),
      controlExact: exact
    )
  }
}
