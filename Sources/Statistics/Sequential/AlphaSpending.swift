// How fast a group-sequential design spends its error.

/// A spending function α*(t) of a two-sided error, t the share of the planned information.
public enum AlphaSpending: Sendable, Hashable {
  /// 4(1 − Φ(z_{1 − α/4}/√t)): hardly anything early. Source: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659.
  case obrienFleming
  /// α ln(1 + (e − 1)t): nearly even. The same source.
  case pocock
  /// α tᵠ for the exponent φ > 0. Source: K. Kim and D. L. DeMets, Biometrika 74 (1987) 149.
  case power(Double)

  /// The error spent by the share `t`, 0 at 0 and α at 1.
  public func spent(_ t: Double, alpha: Double) -> Double {
    if t <= 0 { return 0 }
    if t >= 1 { return alpha }
    switch self {
    case .obrienFleming:
      let z = -NormalDistribution.quantile(alpha / 4)
      return 4 * NormalDistribution.upperTail(z / t.squareRoot())
    case .pocock:
      return alpha * Elementary.log1p(1.718281828459045235 * t)
    case .power(let exponent):
      return alpha * Elementary.exp(max(0, exponent) * Elementary.log(t))
    }
  }
}
