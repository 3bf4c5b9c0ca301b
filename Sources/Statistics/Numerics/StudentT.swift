// Student's t distribution with real degrees of freedom.

/// Student's t distribution.
public enum StudentT {
  /// P(T > t) for t ≥ 0 kept to full relative precision, from the incomplete beta function.
  public static func upperTail(_ t: Double, degreesOfFreedom v: Double) -> Double {
    if t < 0 { return 1 - upperTail(-t, degreesOfFreedom: v) }
    if t == .infinity { return 0 }
    let square = t * t
    let x = v / (v + square)
    let y = square / (v + square)
    return 0.5 * IncompleteBeta.tails(x, y, a: v / 2, b: 0.5).lower
  }

  /// P(|T| > |t|).
  public static func twoSidedP(_ t: Double, degreesOfFreedom v: Double) -> Double {
    2 * upperTail(abs(t), degreesOfFreedom: v)
  }

  /// The two-sided critical value t_{1 − α/2} for the confidence 1 − α; nil outside (0, 1) or for v ≤ 0.
  ///
  /// The Cornish–Fisher expansion (Abramowitz and Stegun 26.7.5), exact to a double above 10⁴ degrees of freedom. Below
  /// it is the start of Newton's steps on the logarithm of the tail in ln t, in which it is concave, so they converge.
  public static func criticalValue(confidence: Double, degreesOfFreedom v: Double) -> Double? {
    guard v > 0, v.isFinite, let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    guard z > 0 else { return 0 }
    if v > 1e4, z < 8 { return cornishFisher(z, v) }
    let p = (1 - confidence) / 2
    let logP = Elementary.log(p)
    var u = Elementary.log(cornishFisher(z, v))
    for _ in 0..<200 {
      let t = Elementary.exp(u)
      let tail = upperTail(t, degreesOfFreedom: v)
      guard tail > 0 else { return t }
      let step = (Elementary.log(tail) - logP) * tail / (t * density(t, v))
      u += step
      // Newton's steps square the error: after one of this size there is nothing left to gain.
      if abs(step) < 1e-9 { break }
    }
    return Elementary.exp(u)
  }

  private static func density(_ t: Double, _ v: Double) -> Double {
    // Γ((v+1)/2) / (√(vπ) Γ(v/2)) = 1 / (√v B(½, v/2))
    let logScale = -LogGamma.beta(0.5, v / 2) - 0.5 * Elementary.log(v)
    return Elementary.exp(logScale - (v + 1) / 2 * Elementary.log1p(t * t / v))
  }

  private static func cornishFisher(_ z: Double, _ v: Double) -> Double {
    let s = z * z
    let g1 = z * (s + 1) / 4
    let g2 = z * ((5 * s + 16) * s + 3) / 96
    let g3 = z * (((3 * s + 19) * s + 17) * s - 15) / 384
    let g4 = z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160
    let value = z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v
    return value > z ? value : z
  }
}
