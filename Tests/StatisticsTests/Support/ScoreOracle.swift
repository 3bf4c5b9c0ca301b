// A slow second route to Miettinen and Nurminen's intervals: nested bisection, no closed form.

import Statistics

/// Solves the score equation of the restricted likelihood by bisection, and the interval by bisection around it.
struct ScoreOracle {
  let x1: Double
  let y1: Double
  let n1: Double
  let x0: Double
  let y0: Double
  let n0: Double
  let z: Double

  init(_ first: BinomialSample, _ second: BinomialSample, z: Double) {
    x1 = Double(first.successes)
    y1 = Double(first.failures)
    n1 = Double(first.trials)
    x0 = Double(second.successes)
    y0 = Double(second.failures)
    n0 = Double(second.trials)
    self.z = z
  }

  private var correction: Double { (n1 + n0) / (n1 + n0 - 1) }

  func differenceInterval() -> (low: Double, high: Double) {
    let estimate = x1 / n1 - x0 / n0
    func inside(_ delta: Double) -> Bool {
      (estimate - delta) * (estimate - delta) <= z * z * differenceVariance(delta)
    }
    return (
      bisect(outside: -1, inside: estimate, inside), bisect(outside: 1, inside: estimate, inside)
    )
  }

  private func differenceVariance(_ delta: Double) -> Double {
    var low = max(0, -delta)
    var high = min(1, 1 - delta)
    for _ in 0..<200 {
      let p = (low + high) / 2
      if p == low || p == high { break }
      if score(p, p + delta, 1) > 0 { low = p } else { high = p }
    }
    let p = (low + high) / 2
    return ((p + delta) * (1 - p - delta) / n1 + p * (1 - p) / n0) * correction
  }

  /// In the ratio R the same likelihood along p₁ = R p₀.
  func ratioInterval() -> (low: Double, high: Double) {
    func inside(_ log: Double) -> Bool {
      let ratio = exponential(log)
      let gap = x1 / n1 - ratio * x0 / n0
      return gap * gap <= z * z * ratioVariance(ratio)
    }
    let centre = logarithm((x1 + 0.1) / (n1 + 0.1) / ((x0 + 0.1) / (n0 + 0.1)))
    let estimate = x1 > 0 && x0 > 0 ? logarithm(x1 / n1 / (x0 / n0)) : centre
    return (
      x1 == 0 ? 0 : exponential(bisect(outside: estimate - 100, inside: estimate, inside)),
      x0 == 0 ? .infinity : exponential(bisect(outside: estimate + 100, inside: estimate, inside))
    )
  }

  private func ratioVariance(_ ratio: Double) -> Double {
    var low = 0.0
    var high = min(1, 1 / ratio)
    for _ in 0..<1100 {
      let p = (low + high) / 2
      if p == low || p == high { break }
      if score(p, ratio * p, ratio) > 0 { low = p } else { high = p }
    }
    let p = (low + high) / 2
    let q = ratio * p
    return (q * max(0, 1 - q) / n1 + ratio * ratio * p * (1 - p) / n0) * correction
  }

  /// Derivative of the log-likelihood along p, if p₁ moves `slope` times as fast; terms without counts dropped.
  private func score(_ p: Double, _ q: Double, _ slope: Double) -> Double {
    var value = 0.0
    if x1 > 0 { value += slope * x1 / q }
    if y1 > 0 { value -= slope * y1 / (1 - q) }
    if x0 > 0 { value += x0 / p }
    if y0 > 0 { value -= y0 / (1 - p) }
    return value
  }

  private func bisect(outside: Double, inside: Double, _ holds: (Double) -> Bool) -> Double {
    var outside = outside
    var inside = inside
    for _ in 0..<300 {
      let middle = (outside + inside) / 2
      if middle == outside || middle == inside { break }
      if holds(middle) { inside = middle } else { outside = middle }
    }
    return (outside + inside) / 2
  }
}
