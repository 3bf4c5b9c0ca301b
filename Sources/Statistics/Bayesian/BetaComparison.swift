// P(first > second) for two beta distributions.

/// Comparisons of two independent beta distributions.
enum BetaComparison {
  /// P(first > second).
  ///
  /// For whole parameters Σ over i < a of B(c + i, b + d)/[(b + i) B(1 + i, b) B(c, d)] (E. Miller, "Formulas for
  /// Bayesian A/B testing", 2014, eq. 6; J. D. Cook 2005). All terms are positive; the sum starts at its largest, taken
  /// by the saddle point, and goes outwards, so nothing underflows and small tails keep their digits. Otherwise by
  /// quadrature.
  static func probabilityGreater(_ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    guard first.isWhole, second.isWhole else { return byQuadrature(first, second) }
    // P(first > second) = P(1 − second > 1 − first): the same sum with d terms in place of a.
    if second.b < first.a { return sum(second.b, second.a, first.b, first.a) }
    return sum(first.a, first.b, second.a, second.b)
  }

  private static func sum(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
    /// t(i + 1)/t(i), falling in i.
    func ratio(_ i: Double) -> Double {
      (c + i) / (c + b + d + i) * ((b + i) / (1 + i))
    }
    var low = 0.0
    var high = a - 1
    while low < high {
      let middle = ((low + high) / 2).rounded(.down)
      if ratio(middle) < 1 { high = middle } else { low = middle + 1 }
    }
    let peak = low
    var total = 1.0
    var term = 1.0
    var i = peak
    while i + 1 < a {
      term *= ratio(i)
      i += 1
      total += term
      if term < 1e-18 * total { break }
    }
    term = 1
    i = peak
    while i > 0 {
      i -= 1
      term /= ratio(i)
      total += term
      if term < 1e-18 * total { break }
    }
    return min(1, Elementary.exp(logTerm(peak, b, c, d)) * total)
  }

  /// ln of the i-th term as three binomial masses at the rate (c + i)/(b + c + d + i).
  private static func logTerm(_ i: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
    let n = b + c + d + i
    let p = (c + i) / n
    let q = (b + d) / n
    let draws = DiscreteMass.logBinomial(i, b, p: p, q: q) + Elementary.log(b / (b + i))
    let prior = DiscreteMass.logBinomial(c, d, p: p, q: q) + Elementary.log(c / (c + d)) + Elementary.log(d)
    let joint = DiscreteMass.logBinomial(c + i, b + d, p: p, q: q) + Elementary.log(p) + Elementary.log(b + d)
    return draws + prior - joint
  }

  private static func byQuadrature(_ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    // Over the narrower density, so that the other's distribution function is smooth on its scale.
    if first.standardDeviation <= second.standardDeviation {
      return min(1, first.expectation(from: 0, to: 1) { second.cumulative($0) })
    }
    return min(1, second.expectation(from: 0, to: 1) { first.upper($0) })
  }

  /// P(first − second ≤ d).
  static func differenceCumulative(_ d: Double, _ first: BetaPosterior, _ second: BetaPosterior) -> Double {
    if first.standardDeviation <= second.standardDeviation {
      // second ≥ x − d: certain for x ≤ d.
      let sure = d > 0 ? first.cumulative(d) : 0
      return sure + first.expectation(from: max(0, d), to: min(1, 1 + d)) { second.upper($0 - d) }
    }
    // first ≤ y + d: certain for y ≥ 1 − d.
    let sure = d > 0 ? second.upper(1 - d) : 0
    return sure + second.expectation(from: max(0, -d), to: min(1, 1 - d)) { first.cumulative($0 + d) }
  }
}
