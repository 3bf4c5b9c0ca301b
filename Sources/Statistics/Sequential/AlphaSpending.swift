// How much of the allowed error may be used by a look.

/// A spending function a(t) of a two-sided error, t the information at a look over the planned information.
public enum AlphaSpending: Sendable, Hashable {
  /// 4(1 − Φ(z_{1 − α/4}/√t)): hardly anything early. Source: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659,
  /// doi:10.1093/biomet/70.3.659.
  case obrienFleming
  /// α ln(1 + (e − 1)t): nearly even. The same source.
  case pocock
  /// α tᵠ for the exponent φ > 0. Source: K. Kim and D. L. DeMets, Biometrika 74 (1987) 149.
  case power(Double)
  /// α tʳ/(1 + tʳ) for the exponent r > 0: half of α at the planned information, below α for ever, so that looks need no
  /// end. Any increasing function with the limit α keeps the error (the first source).
  case open(exponent: Double)

  /// The error spent by the information time `t`: 0 at 0; α from 1 on, `open` excepted, which only approaches it.
  public func spent(_ t: Double, alpha: Double) -> Double {
    if t <= 0 { return 0 }
    if case .open(let exponent) = self {
      // 1/(1 + t⁻ʳ), which neither overflows nor loses the small values.
      return alpha / (1 + Elementary.exp(-max(0, exponent) * Elementary.log(t)))
    }
    if t >= 1 { return alpha }
    switch self {
    case .obrienFleming:
      let z = -NormalDistribution.quantile(alpha / 4)
      return 4 * NormalDistribution.upperTail(z / t.squareRoot())
    case .pocock:
      return alpha * Elementary.log1p(1.718281828459045235 * t)
    case .power(let exponent), .open(let exponent):
      return alpha * Elementary.exp(max(0, exponent) * Elementary.log(t))
    }
  }

  /// Throws for an exponent that is not finite and above 0.
  func check() throws(StatisticsError) {
    switch self {
    case .obrienFleming, .pocock: return
    case .power(let exponent), .open(let exponent):
      guard exponent > 0, exponent.isFinite else { throw .notPositive(name: "spending exponent", value: exponent) }
    }
  }
}
