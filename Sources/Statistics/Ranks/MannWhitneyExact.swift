// The exact distribution of Mann and Whitney's U without ties.

/// The exact null distribution of U.
enum MannWhitneyExact {
  /// 2 min(P(U ≤ u), P(U ≥ u)), at most 1; nil where the counts of arrangements leave 128 bits or the table would be
  /// larger than a million entries, and then the normal approximation stands.
  ///
  /// The arrangements with U = u are the coefficients of the Gaussian binomial ∏ (1 − q^{n+i})/(1 − qⁱ), i = 1 … m; the
  /// products and divisions are exact in integers.
  static func twoSidedP(_ u: Double, _ first: Int, _ second: Int) -> Double? {
    let m = min(first, second)
    let n = max(first, second)
    guard m > 0, n <= 1_000_000 / m, arrangementsFit(m, n) else { return nil }
    let top = m * n
    var counts = [Int128](repeating: 0, count: top + 1)
    counts[0] = 1
    // Each intermediate polynomial is itself a Gaussian binomial, cut at degree m n, so the division never has a rest.
    for i in 1...m {
      let factor = n + i
      if factor <= top {
        for d in stride(from: top, through: factor, by: -1) { counts[d] &-= counts[d - factor] }
      }
      if i <= top {
        for d in stride(from: i, through: top, by: 1) { counts[d] &+= counts[d - i] }
      }
    }
    let whole = counts.reduce(into: 0.0) { $0 += Double($1) }
    let smaller = Int(min(u, Double(top) - u).rounded(.down))
    let tail = counts[0...smaller].reduce(into: 0.0) { $0 += Double($1) }
    return min(1, 2 * tail / whole)
  }

  /// Whether C(m + n, m) stays below 2¹²⁰.
  private static func arrangementsFit(_ m: Int, _ n: Int) -> Bool {
    var size = 1.0
    for i in 1...m { size *= Double(n + i) / Double(i) }
    return size < 1.3e36
  }
}
