// The standard normal distribution: tails, logarithms of tails, quantile.

public enum NormalDistribution {
  /// P(Z > z), from erfc, so that small tails keep their digits.
  public static func upperTail(_ z: Double) -> Double { 0.5 * Elementary.erfc(z * 0.70710678118654752440) }

  /// P(Z ≤ z).
  public static func cumulative(_ z: Double) -> Double { upperTail(-z) }

  /// P(|Z| > |z|).
  public static func twoSidedP(_ z: Double) -> Double { Elementary.erfc(abs(z) * 0.70710678118654752440) }

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
  static func density(_ z: Double) -> Double { 0.39894228040143267794 * Elementary.exp(-0.5 * z * z) }

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

// MARK: The chi-square distribution, by the regularized upper incomplete gamma function

enum IncompleteGamma {
  /// Q(a, x) = Γ(a, x) / Γ(a), a > 0, x ≥ 0: by the series below a + 1, by the continued fraction above.
  static func upper(_ a: Double, _ x: Double) -> Double {
    if x <= 0 { return 1 }
    if x == .infinity { return 0 }
    let mass = Elementary.exp(DiscreteMass.logPoisson(a, mean: x))
    if x < a + 1 {
      var term = 1.0
      var sum = 1.0
      var n = a
      for _ in 0..<1_000_000 {
        n += 1
        term *= x / n
        sum += term
        if term < sum * 1e-17 { break }
      }
      return max(0, 1 - mass * sum)
    }
    // Γ(a, x) = e⁻ˣ xᵃ · fraction; mass = xᵃ e⁻ˣ / (a Γ(a))
    var b = x + 1 - a
    var fraction = LentzFraction(d: b)
    var i = 1.0
    while i < 1_000_000 {
      b += 2
      if abs(fraction.step(-i * (i - a), b) - 1) < 1e-16 { break }
      i += 1
    }
    return min(1, mass * a * fraction.value)
  }
}

public enum ChiSquareDistribution {
  /// P(X > x) with the degrees of freedom; 1 for 0 degrees of freedom.
  public static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0 else { return 1 }
    if degreesOfFreedom == 1 { return Elementary.erfc((max(0, x) / 2).squareRoot()) }
    return IncompleteGamma.upper(Double(degreesOfFreedom) / 2, x / 2)
  }
}

// MARK: Student's t distribution with real degrees of freedom

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
      // Newton's steps square the error: after a step of this size, another one changes nothing.
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
