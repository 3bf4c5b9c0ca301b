// Binomial, hypergeometric and Poisson probabilities by the saddle point.

/// Logarithms of discrete probabilities, accurate at any size of counts.
///
/// Source: Loader (2000); the same forms are behind R's `dbinom`, `dpois` and `dhyper`.
enum DiscreteMass {
  /// ln [Γ(x+y+1) / (Γ(x+1) Γ(y+1)) pˣ qʸ] for real successes x ≥ 0 and failures y ≥ 0, with q = 1 − p.
  static func logBinomial(_ x: Double, _ y: Double, p: Double, q: Double) -> Double {
    let n = x + y
    if n == 0 { return 0 }
    if p == 0 { return x == 0 ? 0 : -.infinity }
    if q == 0 { return y == 0 ? 0 : -.infinity }
    if x == 0 { return p < 0.1 ? -LogGamma.deviance(n, mean: n * q) - n * p : n * Elementary.log(q) }
    if y == 0 { return q < 0.1 ? -LogGamma.deviance(n, mean: n * p) - n * q : n * Elementary.log(p) }
    let correction = LogGamma.stirlingError(n) - LogGamma.stirlingError(x) - LogGamma.stirlingError(y)
    let exponent = correction - LogGamma.deviance(x, mean: n * p) - LogGamma.deviance(y, mean: n * q)
    return exponent - LogGamma.halfLogTwoPi - 0.5 * Elementary.log(x * (y / n))
  }

  /// ln P(X = x) for x marked among n drawn without replacement from `marked` + `others`.
  static func logHypergeometric(_ x: Double, drawn n: Double, marked: Double, others: Double) -> Double {
    let total = marked + others
    if n == 0 || total == 0 { return 0 }
    let p = n / total
    let q = (total - n) / total
    return logBinomial(x, marked - x, p: p, q: q) + logBinomial(n - x, others - (n - x), p: p, q: q)
      - logBinomial(n, total - n, p: p, q: q)
  }

  /// ln [mˣ e⁻ᵐ / Γ(x + 1)], x real and ≥ 0, m > 0.
  static func logPoisson(_ x: Double, mean m: Double) -> Double {
    if x == 0 { return -m }
    return -LogGamma.stirlingError(x) - LogGamma.deviance(x, mean: m) - LogGamma.halfLogTwoPi
      - 0.5 * Elementary.log(x)
  }

  /// ln of the Beta(a, b) density at x, with y = 1 − x, 0 < x < 1.
  static func logBetaDensity(_ x: Double, _ y: Double, a: Double, b: Double) -> Double {
    // f = a b / (a + b) / (x y) · "binomial mass at a of a + b": the saddle point for real arguments.
    Elementary.log(a) + Elementary.log(b / (a + b)) - Elementary.log(x) - Elementary.log(y)
      + logBinomial(a, b, p: x, q: y)
  }
}
