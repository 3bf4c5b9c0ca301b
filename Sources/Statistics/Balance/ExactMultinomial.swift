// Exact goodness-of-fit probabilities for small expected counts.

/// Exact two-sided p-values of a split.
enum ExactMultinomial {
  private static let slack = 1e-7

  /// The probability of all splits of x + y no likelier than the observed one.
  static func binomialP(_ x: Int, _ y: Int, p: Double, q: Double) -> Double {
    let n = x.clampedSum(y)
    func log(_ k: Int) -> Double { DiscreteMass.logBinomial(Double(k), Double(n - k), p: p, q: q) }
    let goal = log(x) + slack
    let mode = min(n, max(0, Int(clamped: ((Double(n) + 1) * p).rounded(.down))))
    // Left of the mode the mass rises, right of it it falls: two bisections find the ends of the likelier ones.
    var left = -1
    var right = mode
    while right - left > 1 {
      let middle = left + (right - left) / 2
      if log(middle) <= goal { left = middle } else { right = middle }
    }
    var upperLeft = mode
    var upperRight = n.clampedSum(1)
    while upperRight - upperLeft > 1 {
      let middle = upperLeft + (upperRight - upperLeft) / 2
      if log(middle) <= goal { upperRight = middle } else { upperLeft = middle }
    }
    if log(mode) <= goal { return 1 }
    let lower = BinomialDistribution.tails(left, trials: n, p: p).lower
    let upper = BinomialDistribution.tails(upperRight - 1, trials: n, p: p).upper
    return min(1, lower + upper)
  }

  /// The probability of all outcomes no likelier than the observed one; nil where there are over a million of them.
  static func pValue(_ counts: [Int], shares: [Double]) -> Double? {
    let n = counts.reduce(0) { $0.clampedSum($1) }
    var outcomes = 1.0
    for i in 1..<counts.count { outcomes *= (Double(n) + Double(i)) / Double(i) }
    guard outcomes <= 1e6 else { return nil }
    let logFactorial = LogGamma.value(Double(n) + 1)
    func part(_ count: Int, _ arm: Int) -> Double {
      Double(count) * Elementary.log(shares[arm]) - LogGamma.value(Double(count) + 1)
    }
    let goal = counts.indices.reduce(logFactorial) { $0 + part(counts[$1], $1) } + slack
    var total = 0.0
    func visit(_ arm: Int, _ left: Int, _ log: Double) {
      if arm == counts.count - 1 {
        let value = log + part(left, arm)
        if value <= goal { total += Elementary.exp(value) }
        return
      }
      for count in 0...left { visit(arm + 1, left - count, log + part(count, arm)) }
    }
    visit(0, n, logFactorial)
    return min(1, total)
  }
}
