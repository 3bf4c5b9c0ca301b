// The maximum likelihood of two rates under a fixed difference.

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
