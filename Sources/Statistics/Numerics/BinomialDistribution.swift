// Cumulative probabilities and quantiles of the binomial distribution.

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
    var low = -1
    var high = n
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if tails(middle, trials: n, p: p).lower >= probability { high = middle } else { low = middle }
    }
    return high
  }

  /// The smallest k with P(X > k) ≤ `tail`.
  static func upperQuantile(_ tail: Double, trials n: Int, p: Double) -> Int {
    var low = -1
    var high = n
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if tails(middle, trials: n, p: p).upper <= tail { high = middle } else { low = middle }
    }
    return high
  }
}
