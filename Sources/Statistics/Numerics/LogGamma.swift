// The logarithm of the gamma function, and of discrete probabilities, in forms that keep their digits at large counts.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Logarithms of gamma functions.
///
/// Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000), for `stirlingError` and
/// `deviance`; a difference of plain log-gammas loses six digits at counts of a million, these do not.
enum LogGamma {
  static let halfLogTwoPi = 0.918938533204672741780329736406

  /// ln Γ(x) for x > 0.
  static func value(_ x: Double) -> Double {
    if x >= 16 { return (x - 0.5) * Elementary.log(x) - x + halfLogTwoPi + stirlingSeries(x) }
    // Γ(x) = Γ(x + k) / (x (x + 1) … (x + k − 1))
    var product = 1.0
    var shifted = x
    while shifted < 16 {
      product *= shifted
      shifted += 1
    }
    return value(shifted) - Elementary.log(product)
  }

  /// ln Γ(n + 1) − (n + ½) ln n + n − ½ ln 2π for n > 0.
  static func stirlingError(_ n: Double) -> Double {
    if n >= 16 { return stirlingSeries(n) }
    return value(n + 1) - (n + 0.5) * Elementary.log(n) + n - halfLogTwoPi
  }

  /// The tail of Stirling's series, 1/12n − 1/360n³ + …; at n ≥ 16 the first left-out term is below 3e-20.
  private static func stirlingSeries(_ n: Double) -> Double {
    let s = 1 / (n * n)
    let inner = 1.0 / 1188 - s * (691.0 / 360360 - s / 156)
    return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * inner)))) / n
  }

  /// x ln(x / m) + m − x for x ≥ 0, m > 0, without cancellation near x = m.
  static func deviance(_ x: Double, mean m: Double) -> Double {
    if x == 0 { return m }
    if abs(x - m) < 0.1 * (x + m) {
      let v = (x - m) / (x + m)
      var sum = (x - m) * v
      var term = 2 * x * v
      let square = v * v
      var j = 3.0
      while j < 2000 {
        term *= square
        let next = sum + term / j
        if next == sum { break }
        sum = next
        j += 2
      }
      return sum
    }
    return x * Elementary.log(x / m) + m - x
  }

  /// ln B(a, b) for a, b > 0.
  static func beta(_ a: Double, _ b: Double) -> Double {
    let (small, large) = a < b ? (a, b) : (b, a)
    if large < 16 { return value(a) + value(b) - value(a + b) }
    let sum = a + b
    // ln Γ(large) − ln Γ(sum), with the large parts cancelled by hand.
    let ratio =
      stirlingSeries(large) - stirlingSeries(sum)
      + (large - 0.5) * Elementary.log1p(-small / sum) - small * Elementary.log(sum) + small
    return value(small) + ratio
  }
}

/// Logarithms of discrete probabilities, accurate at any size of counts.
///
/// Source: Loader (2000); R uses the same forms for its `dbinom`, `dpois` and `dhyper`.
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

// MARK: The regularized incomplete beta function, both tails, and the binomial distribution by it

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
    var fraction = LentzFraction(c: 1, d: 1 - (a + b) * x / (a + 1))
    var m = 1.0
    while m < 1_000_000 {
      fraction.step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1)
      let factor = fraction.step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1)
      if abs(factor - 1) < 1e-16 { break }
      m += 1
    }
    return fraction.value
  }
}

/// A continued fraction from its beginning on (modified Lentz): no denominator comes to 0.
struct LentzFraction {
  private static let tiny = 1e-300
  private var c: Double
  private var d: Double
  private(set) var value: Double

  init(c: Double = 1 / tiny, d: Double) {
    self.c = c
    self.d = 1 / Self.kept(d)
    value = self.d
  }

  private static func kept(_ x: Double) -> Double { abs(x) < tiny ? tiny : x }

  /// Takes the next numerator and denominator.
  /// - Returns: the factor by which the value changed.
  @discardableResult
  mutating func step(_ numerator: Double, _ denominator: Double) -> Double {
    d = 1 / Self.kept(denominator + numerator * d)
    c = Self.kept(denominator + numerator / c)
    value *= d * c
    return d * c
  }
}

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

// MARK: The few functions that come from the C library, so that only this file has to import it

/// Elementary functions of the C library in double precision.
enum Elementary {
  static func exp(_ x: Double) -> Double { platformExp(x) }
  static func expm1(_ x: Double) -> Double { platformExpm1(x) }
  static func log(_ x: Double) -> Double { platformLog(x) }
  static func log1p(_ x: Double) -> Double { platformLog1p(x) }
  static func erfc(_ x: Double) -> Double { platformErfc(x) }
  static func sin(_ x: Double) -> Double { platformSin(x) }
  static func cos(_ x: Double) -> Double { platformCos(x) }
  static func asin(_ x: Double) -> Double { platformAsin(x) }
  static func acos(_ x: Double) -> Double { platformAcos(x) }
  static func atanh(_ x: Double) -> Double { platformAtanh(x) }
  static func tanh(_ x: Double) -> Double { platformTanh(x) }
}

// Outside the enum, because inside it the plain names mean its own functions.
private func platformExp(_ x: Double) -> Double { exp(x) }
private func platformExpm1(_ x: Double) -> Double { expm1(x) }
private func platformLog(_ x: Double) -> Double { log(x) }
private func platformLog1p(_ x: Double) -> Double { log1p(x) }
private func platformErfc(_ x: Double) -> Double { erfc(x) }
private func platformSin(_ x: Double) -> Double { sin(x) }
private func platformCos(_ x: Double) -> Double { cos(x) }
private func platformAsin(_ x: Double) -> Double { asin(x) }
private func platformAcos(_ x: Double) -> Double { acos(x) }
private func platformAtanh(_ x: Double) -> Double { atanh(x) }
private func platformTanh(_ x: Double) -> Double { tanh(x) }
