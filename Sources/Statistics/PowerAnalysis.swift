// Power, the smallest difference that can be found, and the users that it takes.

/// Power of the two-sided test of two rates at given numbers of users.
public enum PowerAnalysis {
  /// The chance of rejecting, both tails: Φ((−z SE₀ − d)/SE₁) + Φ((d − z SE₀)/SE₁), SE₀ pooled, SE₁ not.
  ///
  /// At no difference it is alpha. nil for rates outside [0, 1], no users, or alpha outside (0, 1).
  public static func power(
    control: Double, treatment: Double, controlUsers: Int, treatmentUsers: Int, alpha: Double = 0.05
  ) -> Double? {
    guard (0...1).contains(control), (0...1).contains(treatment), controlUsers > 0, treatmentUsers > 0, alpha > 0,
      alpha < 1
    else { return nil }
    let errors = StandardErrors(control, treatment, Double(controlUsers), Double(treatmentUsers))
    let z = -NormalDistribution.quantile(alpha / 2)
    let d = abs(treatment - control)
    guard errors.alternative > 0 else { return d > z * errors.null ? 1 : 0 }
    return NormalDistribution.upperTail((z * errors.null - d) / errors.alternative)
      + NormalDistribution.upperTail((z * errors.null + d) / errors.alternative)
  }

  /// The smallest absolute changes found with the given power, one rejection tail.
  public struct DetectableEffect: Sendable, Hashable {
    /// Nil if no rate up to 1 is far enough.
    public let up: Double?
    /// As a size, above 0; nil if no rate down to 0 is far enough.
    public let down: Double?
  }

  /// Upwards and downwards apart, because they differ away from ½. nil as for `power`.
  public static func minimumDetectableEffect(
    control: Double, controlUsers: Int, treatmentUsers: Int, alpha: Double = 0.05, power: Double = 0.8
  ) -> DetectableEffect? {
    minimumDetectableEffect(
      control: control, controlUsers: Double(controlUsers), treatmentUsers: Double(treatmentUsers), alpha: alpha,
      power: power)
  }

  /// The same for numbers of users that need not be whole.
  static func minimumDetectableEffect(
    control: Double, controlUsers n2: Double, treatmentUsers n1: Double, alpha: Double, power: Double
  ) -> DetectableEffect? {
    guard (0...1).contains(control), n2 > 0, n1 > 0, alpha > 0, alpha < 1, power > 0, power < 1 else { return nil }
    let za = -NormalDistribution.quantile(alpha / 2)
    let zb = NormalDistribution.quantile(power)
    func search(_ sign: Double) -> Double? {
      let reach = sign > 0 ? 1 - control : control
      func excess(_ d: Double) -> Double {
        let errors = StandardErrors(control, control + sign * d, n2, n1)
        return d - za * errors.null - zb * errors.alternative
      }
      guard reach > 0, excess(reach) >= 0 else { return nil }
      // A control of 0 or 1 has no variance, so the search starts just above no change.
      let atNone = excess(0)
      if atNone > 0 || (atNone == 0 && control > 0 && control < 1) { return 0 }
      let floor = atNone < 0 ? 0 : reach * 1e-12
      guard excess(floor) < 0 else { return floor }
      let start = -atNone
      return RootFinder.solve(low: floor, high: reach, starts: (start, start * 1.1), positiveBelow: false, excess)
    }
    return DetectableEffect(up: search(1), down: search(-1))
  }

  private struct StandardErrors {
    let null: Double
    let alternative: Double

    init(_ control: Double, _ treatment: Double, _ n2: Double, _ n1: Double) {
      let pooled = (control * n2 + treatment * n1) / (n1 + n2)
      null = max(0, pooled * (1 - pooled) * (1 / n1 + 1 / n2)).squareRoot()
      alternative = max(0, control * (1 - control) / n2 + treatment * (1 - treatment) / n1).squareRoot()
    }
  }
}

/// Sample sizes of a two-sided test of two rates.
public enum SampleSize {
  public struct Arms: Sendable, Hashable {
    /// Users of the arm at the baseline.
    public let control: Int
    /// Users of the other arm: ratio times as many.
    public let treatment: Int
    /// Users of the control before rounding up.
    public let controlExact: Double

    public var total: Int { control.clampedSum(treatment) }
  }

  /// Users per arm so that a change from `baseline` by `effect` (absolute, of either sign) is found with `power`.
  ///
  /// n₂ = [z_{1−α/2} √(p̄(1 − p̄)(1 + 1/k)) + z_{1−β} √(p₂(1 − p₂) + p₁(1 − p₁)/k)]²/(p₁ − p₂)², n₁ = k n₂,
  /// p̄ = (k p₁ + p₂)/(1 + k). Source: J. L. Fleiss, A. Tytun and H. K. Ury, Biometrics 36 (1980) 343, without continuity
  /// correction; R's `power.prop.test` at k = 1. `ratio` k is treatment over control. nil if the changed rate leaves
  /// [0, 1], the effect is 0, alpha, power or ratio are out of range, or the number passes 10¹⁵.
  public static func perArm(
    baseline: Double, effect: Double, alpha: Double = 0.05, power: Double = 0.8, ratio: Double = 1
  ) -> Arms? {
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
    return Arms(
      control: max(1, Int(exact.rounded(.up))), treatment: max(1, Int((exact * ratio).rounded(.up))),
      controlExact: exact)
  }
}

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
    let drift = RootFinder.solve(low: 0, high: 20, starts: (fixed, fixed * 1.02), positiveBelow: false, relative: 1e-9)
    { design.crossingProbability(drift: $0) - power }
    return drift / fixed * (drift / fixed)
  }
}
