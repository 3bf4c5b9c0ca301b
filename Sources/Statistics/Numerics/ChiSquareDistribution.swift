// The chi-square distribution, by the regularized upper incomplete gamma function.

/// Regularized incomplete gamma function.
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
    let tiny = 1e-300
    var b = x + 1 - a
    var c = 1 / tiny
    var d = 1 / b
    var h = d
    var i = 1.0
    while i < 1_000_000 {
      let an = -i * (i - a)
      b += 2
      d = an * d + b
      if abs(d) < tiny { d = tiny }
      c = b + an / c
      if abs(c) < tiny { c = tiny }
      d = 1 / d
      let factor = d * c
      h *= factor
      if abs(factor - 1) < 1e-16 { break }
      i += 1
    }
    return min(1, mass * a * h)
  }
}

/// The chi-square distribution.
public enum ChiSquareDistribution {
  /// P(X > x) with the degrees of freedom; 1 if there are none.
  public static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0 else { return 1 }
    if degreesOfFreedom == 1 { return Elementary.erfc((max(0, x) / 2).squareRoot()) }
    return IncompleteGamma.upper(Double(degreesOfFreedom) / 2, x / 2)
  }
}
