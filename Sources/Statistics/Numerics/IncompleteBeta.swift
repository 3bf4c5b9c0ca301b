// The regularized incomplete beta function, both tails, and the binomial distribution by it.

/// Regularized incomplete beta function and what follows from it.
enum IncompleteBeta {
  /// I_x(a, b) and 1 − I_x(a, b), with y = 1 − x given apart so that neither end loses digits.
  ///
  /// The continued fraction (Abramowitz and Stegun 26.5.8, modified Lentz) gives the tail on the side on which it
  /// converges fast; the prefix is taken by the saddle point, so counts of a billion keep their digits.
  static func tails(_ x: Double, _ y: Double, a: Double, b: Double) -> (lower: Double, upper: Double) {
    if x <= 0 { return (0, 1) }
    if y <= 0 { return (1, 0) }
    // xᵃ yᵇ / B(a, b) = a b / (a + b) · exp(log binomial mass)
    let mass = Elementary.exp(DiscreteMass.logBinomial(a, b, p: x, q: y))
    if x * (a + b + 2) < a + 1 {
      let lower = min(1, mass * b / (a + b) * continuedFraction(x, a, b))
      return (lower, 1 - lower)
    }
    let upper = min(1, mass * a / (a + b) * continuedFraction(y, b, a))
    return (1 - upper, upper)
  }

  private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    var c = 1.0
    var d = 1 - (a + b) * x / (a + 1)
    if abs(d) < tiny { d = tiny }
    d = 1 / d
    var h = d
    var m = 1.0
    while m < 1_000_000 {
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 + even * d
      if abs(d) < tiny { d = tiny }
      c = 1 + even / c
      if abs(c) < tiny { c = tiny }
      d = 1 / d
      h *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 + odd * d
      if abs(d) < tiny { d = tiny }
      c = 1 + odd / c
      if abs(c) < tiny { c = tiny }
      d = 1 / d
      let factor = d * c
      h *= factor
      if abs(factor - 1) < 1e-16 { break }
      m += 1
    }
    return h
  }
}

/// The binomial distribution.
enum BinomialDistribution {
  /// P(X ≤ k) and P(X > k) for n trials.
  static func tails(_ k: Int, trials n: Int, p: Double) -> (lower: Double, upper: Double) {
    if k < 0 { return (0, 1) }
    if k >= n { return (1, 0) }
    // P(X ≤ k) = I_{1−p}(n − k, k + 1)
    return IncompleteBeta.tails(1 - p, p, a: Double(n - k), b: Double(k + 1))
  }

  /// The smallest k with P(X ≤ k) ≥ `probability`.
  static func quantile(_ probability: Double, trials n: Int, p: Double) -> Int {
    Bisection.first(after: -1, upTo: n) { tails($0, trials: n, p: p).lower >= probability }
  }

  /// The smallest k with P(X > k) ≤ `tail`.
  static func upperQuantile(_ tail: Double, trials n: Int, p: Double) -> Int {
    Bisection.first(after: -1, upTo: n) { tails($0, trials: n, p: p).upper <= tail }
  }
}
