// The maximum likelihood of two rates under a fixed difference.

/// Two samples under the restriction rate(first) − rate(second) = δ.
///
/// Source: O. Miettinen and M. Nurminen, Statistics in Medicine 4 (1985) 213, the closed form of the appendix. Three
/// large terms cancel in it where a rate is tiny; two Newton steps on the score equation bring the digits back.
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
    let low = max(0, -delta)
    let high = min(1, 1 - delta)
    var p = min(max(closedForm(delta), low), high)
    for _ in 0..<2 {
      let (score, slope) = score(p, delta)
      guard slope < 0, score.isFinite, slope.isFinite else { break }
      let next = min(max(p - score / slope, low), high)
      let change = abs(next - p)
      p = next
      if change <= 1e-15 * p { break }
    }
    let q = p + delta
    let first = max(0, q * (1 - q)) / n1
    let second = max(0, p * (1 - p)) / n0
    return (first + second) * (total / (total - 1))
  }

  /// The derivative of the log-likelihood in p, terms of zero count dropped, and its slope, which is negative.
  private func score(_ p: Double, _ delta: Double) -> (Double, Double) {
    var score = 0.0
    var slope = 0.0
    func add(_ count: Double, _ probability: Double, _ sign: Double) {
      guard count > 0 else { return }
      let part = count / probability
      score += sign * part
      slope -= part / probability
    }
    add(x1, p + delta, 1)
    add(y1, 1 - p - delta, -1)
    add(x0, p, 1)
    add(y0, 1 - p, -1)
    return (score, slope)
  }

  private func closedForm(_ delta: Double) -> Double {
    if successes == 0 { return max(0, -delta) }
    if y1 + y0 == 0 { return min(1, 1 - delta) }
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
