// The standard normal distribution: tails, logarithms of tails, quantile.

/// The standard normal distribution.
public enum NormalDistribution {
  /// P(Z > z), from erfc, so that small tails keep their digits.
  public static func upperTail(_ z: Double) -> Double {
    0.5 * Elementary.erfc(z * 0.70710678118654752440)
  }

  /// P(Z ≤ z).
  public static func cumulative(_ z: Double) -> Double { upperTail(-z) }

  /// P(|Z| > |z|).
  public static func twoSidedP(_ z: Double) -> Double {
    Elementary.erfc(abs(z) * 0.70710678118654752440)
  }

  /// log10 P(|Z| > |z|), also if the probability itself is below the smallest double.
  ///
  /// Beyond |z| = 25 by the asymptotic series 1 − 1/z² + 3/z⁴ − 15/z⁶ + … (Abramowitz and Stegun 26.2.12).
  public static func log10TwoSidedP(_ z: Double) -> Double {
    let z = abs(z)
    if z < 25 { return Elementary.log(twoSidedP(z)) / ln10 }
    let s = 1 / (z * z)
    let series = -s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s * (1 - 11 * s)))))
    let ln = -0.5 * z * z - Elementary.log(z) + 0.5 * Elementary.log(2 / Double.pi) + Elementary.log1p(series)
    return ln / ln10
  }

  static let ln10 = 2.302585092994045684

  /// φ(z).
  static func density(_ z: Double) -> Double {
    0.39894228040143267794 * Elementary.exp(-0.5 * z * z)
  }

  /// z_{1 − α/2} for the confidence 1 − α; nil outside (0, 1).
  public static func criticalValue(confidence: Double) -> Double? {
    if confidence == usualConfidence { return usualCriticalValue }
    guard confidence > 0, confidence < 1 else { return nil }
    return -quantile((1 - confidence) / 2)
  }

  /// Nearly all intervals have it, and a report has thousands: computed once.
  private static let usualConfidence = 0.95
  private static let usualCriticalValue = -quantile((1 - usualConfidence) / 2)

  /// Φ⁻¹(p): −∞ at 0, +∞ at 1, NaN outside. Relative accuracy about 1e-16.
  ///
  /// Source: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
  /// Statistics 37 (1988), routine PPND16.
  public static func quantile(_ p: Double) -> Double {
    let q = p - 0.5
    if abs(q) <= 0.425 {
      let r = 0.180625 - q * q
      return q * polynomial(r, centre.numerator) / polynomial(r, centre.denominator)
    }
    let tail = q < 0 ? p : 1 - p
    if tail == 0 { return q < 0 ? -.infinity : .infinity }
    if tail.isNaN || tail < 0 { return .nan }
    let r = (-Elementary.log(tail)).squareRoot()
    let part = r <= 5 ? middle : far
    let s = r - (r <= 5 ? 1.6 : 5)
    let value = polynomial(s, part.numerator) / polynomial(s, part.denominator)
    return q < 0 ? -value : value
  }

  private static func polynomial(_ x: Double, _ coefficients: [Double]) -> Double {
    var sum = 0.0
    for coefficient in coefficients.reversed() { sum = sum * x + coefficient }
    return sum
  }

  private typealias Rational = (numerator: [Double], denominator: [Double])

  private static let centre: Rational = (
    [
      3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
    ],
    [
      1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
      3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3,
    ]
  )
  private static let middle: Rational = (
    [
      1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ],
    [
      1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
      1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
    ]
  )
  private static let far: Rational = (
    [
      6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ],
    [
      1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
      1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
    ]
  )
}
