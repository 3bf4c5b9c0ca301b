// Power, and the smallest difference that can be found.

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
    /// nil where no rate up to 1 is far enough.
    public let up: Double?
    /// As a size, above 0; nil where no rate down to 0 is far enough.
    public let down: Double?
  }

  /// Upwards and downwards apart, because they differ away from ½. nil as for `power`.
  public static func minimumDetectableEffect(
    control: Double, controlUsers: Int, treatmentUsers: Int, alpha: Double = 0.05, power: Double = 0.8
  ) -> DetectableEffect? {
    guard (0...1).contains(control), controlUsers > 0, treatmentUsers > 0, alpha > 0, alpha < 1, power > 0, power < 1
    else { return nil }
    let za = -NormalDistribution.quantile(alpha / 2)
    let zb = NormalDistribution.quantile(power)
    let n2 = Double(controlUsers)
    let n1 = Double(treatmentUsers)
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
      return RootFinder.solve(
        low: floor, high: reach, starts: (start, start * 1.1), positiveBelow: false, excess)
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
