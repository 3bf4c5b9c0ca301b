// Miettinen and Nurminen's score intervals for the difference and the ratio of two rates.

/// Miettinen and Nurminen's score intervals, the default for comparing two rates.
///
/// The difference: all δ with (p̂₁ − p̂₂ − δ)² ≤ z² V(δ), V the variance at the maximum likelihood under δ, with the
/// factor N/(N − 1). Source: O. Miettinen and M. Nurminen, Statistics in Medicine 4 (1985) 213. Defined for every table
/// with trials in both arms, 0 % and 100 % included, and dual to the pooled test at δ = 0.
public enum MiettinenNurminen {
  /// The interval of rate(first) − rate(second); nil if either has no trials or the confidence is outside (0, 1).
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    return differenceInterval(first, second, bound: z)
  }

  /// The same with |z| up to the caller's own bound, for a look of a sequential design (a repeated confidence interval:
  /// C. Jennison and B. W. Turnbull, JRSS B 51 (1989) 305).
  ///
  /// It leaves out 0 exactly if |`scoreAtZero`| is above the bound. [−1, 1] for an infinite bound, the difference alone
  /// for 0; nil if either has no trials or for a bound below 0.
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, bound z: Double
  ) -> Interval? {
    guard z >= 0, first.trials > 0, second.trials > 0 else { return nil }
    guard z.isFinite else { return Interval(low: -1, high: 1) }
    if z == 0 { return BinomialSample.exactDifference(first, second).map { Interval(low: $0, high: $0) } }
    // Counted from the rarer outcome: 1e-9 below a rate of 1 has no digits, 1e-9 above 0 has all of them.
    if first.successes.clampedSum(second.successes) > first.failures.clampedSum(second.failures) {
      return rareInterval(second.complement, first.complement, z)
    }
    return rareInterval(first, second, z)
  }

  /// The variance of the difference under rate(first) − rate(second) = `difference`, with the factor N/(N − 1).
  /// nil without trials or for a difference outside [−1, 1].
  public static func restrictedVariance(
    _ first: BinomialSample, _ second: BinomialSample, difference: Double
  ) -> Double? {
    guard first.trials > 0, second.trials > 0, abs(difference) <= 1 else { return nil }
    return RestrictedLikelihood(first: first, second: second).variance(at: difference)
  }

  /// The score statistic of no difference, positive if the first rate is higher: the pooled z times √((N − 1)/N).
  ///
  /// d √((N − 1) n₁ n₂/(x (N − x))), x the successes of both. Dual to `differenceInterval` at 0. 0 if there are no
  /// successes, or only successes; nil if either has no trials.
  public static func scoreAtZero(_ first: BinomialSample, _ second: BinomialSample) -> Double? {
    guard let difference = BinomialSample.exactDifference(first, second) else { return nil }
    let (n1, n2) = (Double(first.trials), Double(second.trials))
    let successes = Double(first.successes) + Double(second.successes)
    let failures = Double(first.failures) + Double(second.failures)
    guard successes > 0, failures > 0 else { return 0 }
    return difference * ((n1 + n2 - 1) * (n1 / successes) * (n2 / failures)).squareRoot()
  }

  private static func rareInterval(_ first: BinomialSample, _ second: BinomialSample, _ z: Double) -> Interval? {
    guard let estimate = BinomialSample.exactDifference(first, second) else { return nil }
    let likelihood = RestrictedLikelihood(first: first, second: second)
    let reach = z * likelihood.variance(at: estimate).squareRoot()
    return Interval(
      low: limit(likelihood, estimate, z, reach, side: -1), high: limit(likelihood, estimate, z, reach, side: 1))
  }

  /// The δ on one side of the estimate with |p̂₁ − p̂₂ − δ| = z √V(δ).
  private static func limit(
    _ likelihood: RestrictedLikelihood, _ estimate: Double, _ z: Double, _ reach: Double, side: Double
  ) -> Double {
    if estimate == side { return side }
    func excess(_ delta: Double) -> Double {
      side * (delta - estimate) - z * max(0, likelihood.variance(at: delta)).squareRoot()
    }
    // A Wald-like first guess, then one step of the fixed point δ = estimate ± z √V(δ).
    var start = estimate + side * reach
    if reach == 0 || abs(start) >= 1 { start = estimate + (side - estimate) / 2 }
    let second = estimate + side * z * max(0, likelihood.variance(at: start)).squareRoot()
    return RootFinder.solve(
      low: min(side, estimate), high: max(side, estimate), starts: (start, second), positiveBelow: side < 0,
      absolute: 1e-300, excess)
  }

  /// The interval of rate(first) / rate(second).
  ///
  /// All R with (p̂₁ − R p̂₀)² ≤ z² [p̃₁(1 − p̃₁)/n₁ + R² p̃₀(1 − p̃₀)/n₀] · N/(N − 1), p̃ the maximum likelihood under
  /// p₁ = R p₀ (the same paper; P. A. R. Koopman, Biometrics 40 (1984) 513, without the factor). `low` is 0 if the
  /// first has no successes, `high` is infinite if the second has none. nil if either has no trials or the
  /// confidence is outside (0, 1).
  public static func ratioInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence),
      let difference = BinomialSample.exactDifference(first, second)
    else { return nil }
    let equation = RatioScore(first: first, second: second, difference: difference, z: z)
    return Interval(
      low: first.successes == 0 ? 0 : equation.limit(side: -1),
      high: second.successes == 0 ? .infinity : equation.limit(side: 1))
  }
}

/// The score equation of a ratio in t = ln R.
///
/// The quadratic of p̃₀ is written in R − 1 and failure counts, so that no large terms cancel:
/// B² − 4AC = ((n₁ + x₀)(R − 1) + f₁ − f₀)² + 4 R f₁ f₀, with f the failures.
private struct RatioScore {
  let x1: Double
  let f1: Double
  let n1: Double
  let x0: Double
  let f0: Double
  let n0: Double
  let difference: Double
  let z: Double

  init(first: BinomialSample, second: BinomialSample, difference: Double, z: Double) {
    x1 = Double(first.successes)
    f1 = Double(first.failures)
    n1 = Double(first.trials)
    x0 = Double(second.successes)
    f0 = Double(second.failures)
    n0 = Double(second.trials)
    self.difference = difference
    self.z = z
  }

  /// √V of p̂₁ − R p̂₀ under the ratio 1 + `excess`.
  private func deviation(_ ratio: Double, _ excess: Double) -> Double {
    let c = x1 + x0
    // Near a ratio of 1 the distance from it carries the digits, elsewhere the ratio does.
    let near = abs(excess) < 0.5
    let linear = near ? (n1 + x0) * excess + (f1 - f0) : (n1 + x0) * ratio - (n0 + x1)
    let root = (linear * linear + 4 * ratio * f1 * f0).squareRoot()
    let sum = n1 * ratio + n0 + x1 + x0 * ratio + root
    let p0 = 2 * c / sum
    let p1 = ratio * p0
    // 1 − p̃ from w + root, by the conjugate if w is negative.
    let w0 = near ? (n1 + x0) * excess + (f1 + f0) : (n1 + x0) * ratio + (n0 - x0 - c)
    let q0 = w0 >= 0 ? (w0 + root) / sum : -4 * f0 * excess * c / ((root - w0) * sum)
    let w1 = ratio * f1 + f0 - excess * c
    let q1 = w1 >= 0 ? (w1 + root) / sum : 4 * ratio * f1 * excess * c / ((root - w1) * sum)
    let n = n1 + n0
    let variance = p1 * max(0, q1) / n1 + ratio * ratio * p0 * max(0, q0) / n0
    return (variance * n / (n - 1)).squareRoot()
  }

  /// Below the estimate: p̂₁ − R p̂₀ − z √V; above it the opposite distance. Divided by max(1, R), for a fair scale.
  private func excess(_ t: Double, _ side: Double) -> Double {
    let ratio = Elementary.exp(t)
    let minusOne = Elementary.expm1(t)
    let distance = abs(minusOne) < 0.5 ? difference - minusOne * (x0 / n0) : x1 / n1 - ratio * (x0 / n0)
    return (-side * distance - z * deviation(ratio, minusOne)) / max(1, ratio)
  }

  func limit(side: Double) -> Double {
    let centre = Elementary.log(((x1 + 0.5) / (n1 + 0.5)) / ((x0 + 0.5) / (n0 + 0.5)))
    let spread = (f1 / ((x1 + 0.5) * n1) + f0 / ((x0 + 0.5) * n0) + 1 / (n1 * n1) + 1 / (n0 * n0)).squareRoot()
    let start = centre + side * z * spread
    // Outside the interval the excess is positive, inside it is not: walk to a bracket from the start.
    var outer = start
    var step = max(z * spread / 2, 1e-12)
    var inner = start
    if excess(start, side) > 0 {
      repeat {
        outer = inner
        inner -= side * step
        step *= 2
      } while excess(inner, side) > 0 && abs(inner) < 2000
    } else {
      repeat {
        inner = outer
        outer += side * step
        step *= 2
      } while excess(outer, side) <= 0 && abs(outer) < 2000
    }
    let t = RootFinder.solve(
      low: min(inner, outer), high: max(inner, outer), starts: (inner + (outer - inner) / 3, start),
      positiveBelow: side < 0, absolute: 1e-300
    ) { excess($0, side) }
    return Elementary.exp(t)
  }
}

// MARK: The maximum likelihood of two rates under a fixed difference

/// Two samples under the restriction rate(first) − rate(second) = δ.
///
/// Source: O. Miettinen and M. Nurminen, Statistics in Medicine 4 (1985) 213, the closed form of the appendix. Large
/// terms cancel in it if a rate is tiny, and near a double root it keeps half its digits; Newton steps on the score
/// equation, which falls from end to end, bring them back. One or two do for ordinary tables.
struct RestrictedLikelihood {
  private let x1: Double
  private let y1: Double
  private let n1: Double
  private let x0: Double
  private let y0: Double
  private let n0: Double
  private let total: Double
  private let successes: Double

  init(first: BinomialSample, second: BinomialSample) {
    x1 = Double(first.successes)
    y1 = Double(first.failures)
    n1 = Double(first.trials)
    x0 = Double(second.successes)
    y0 = Double(second.failures)
    n0 = Double(second.trials)
    total = n1 + n0
    successes = x1 + x0
  }

  /// The restricted variance [p̃₁(1 − p̃₁)/n₁ + p̃₀(1 − p̃₀)/n₀] · N/(N − 1) at the difference δ in [−1, 1].
  func variance(at delta: Double) -> Double {
    // e is the distance of the smaller rate from 0, so both rates are sums and keep their digits.
    let room = 1 - abs(delta)
    let e = distance(delta, room)
    let larger = (e + abs(delta)) * max(0, room - e)
    let smaller = e * (1 - e)
    let first = (delta >= 0 ? larger : smaller) / n1
    let second = (delta >= 0 ? smaller : larger) / n0
    return (first + second) * (total / (total - 1))
  }

  /// The maximum likelihood of the smaller rate, in [0, room].
  private func distance(_ delta: Double, _ room: Double) -> Double {
    guard room > 0 else { return 0 }
    // If an end has no pole, the maximum can be the end itself.
    let (atZero, atRoom) = delta >= 0 ? (x0, y1) : (x1, y0)
    if atZero == 0, score(0, delta, room).value <= 0 { return 0 }
    if atRoom == 0, score(room, delta, room).value >= 0 { return room }
    var low = 0.0
    var high = room
    var e = closedForm(delta) - max(0, -delta)
    if !(e > low && e < high) { e = room * (e <= low ? 1e-9 : 0.5) }
    for _ in 0..<200 {
      let (value, slope) = score(e, delta, room)
      if value == 0 { break }
      if value > 0 { low = e } else { high = e }
      var next = e - value / slope
      if !(next > low && next < high) { next = low + (high - low) / 2 }
      let step = abs(next - e)
      e = next
      // Newton's error is the square of the step before.
      if step <= 1e-9 * min(e, room - e) || high - low <= 4e-16 * high { break }
    }
    return e
  }

  /// The derivative of the log-likelihood, terms of zero count dropped, and its slope, which is negative.
  private func score(_ e: Double, _ delta: Double, _ room: Double) -> (value: Double, slope: Double) {
    var value = 0.0
    var slope = 0.0
    func add(_ count: Double, _ probability: Double, _ sign: Double) {
      guard count > 0 else { return }
      let part = count / probability
      value += sign * part
      slope -= part / probability
    }
    let larger = e + abs(delta)
    add(x1, delta >= 0 ? larger : e, 1)
    add(x0, delta >= 0 ? e : larger, 1)
    add(y1, delta >= 0 ? room - e : 1 - e, -1)
    add(y0, delta >= 0 ? 1 - e : room - e, -1)
    return (value, slope)
  }

  private func closedForm(_ delta: Double) -> Double {
    let third = 1 / (3 * total)
    let l2 = ((n1 + 2 * n0) * delta - total - successes) * third
    let l1 = ((n0 * delta - total - 2 * x0) * delta + successes) * third
    let l0 = x0 * delta * (1 - delta) * third
    // With the leading coefficient divided out: q = l2³ − (3/2) l1 l2 + (3/2) l0, p² = l2² − l1.
    let q = l2 * l2 * l2 - 1.5 * l1 * l2 + 1.5 * l0
    let magnitude = max(0, l2 * l2 - l1).squareRoot()
    guard magnitude > 0 else { return -l2 }
    let p = q < 0 ? -magnitude : magnitude
    let cosine = min(1, max(-1, q / (p * p * p)))
    let angle = (Double.pi + Elementary.acos(cosine)) / 3
    return 2 * p * Elementary.cos(angle) - l2
  }
}
