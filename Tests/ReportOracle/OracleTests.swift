// Two-sided tests of two rates, and Holm's adjustment.

import Foundation

/// The p-value of x1/n1 against x0/n0: "pooled z, or Fisher's mid-p where an expected cell is below 5".
///
/// Reading: if both rates are 0, or both are 1, the table says nothing and p is 1 (mid-p would say one half).
func equalityPValue(_ x1: Int, of n1: Int, against x0: Int, of n0: Int) -> Double {
  let successes = x1 + x0
  let failures = n1 + n0 - successes
  if successes == 0 || failures == 0 { return 1 }
  let total = Double(n1 + n0)
  let expected = [n1, n0].flatMap { size in
    [successes, failures].map { Double(size) * Double($0) / total }
  }
  if expected.contains(where: { $0 < 5 }) {
    return fisherMidP(x1, of: n1, against: x0, of: n0)
  }
  let pooled = Double(successes) / total
  let error = (pooled * (1 - pooled) * (1 / Double(n1) + 1 / Double(n0))).squareRoot()
  let z = (Double(x1) / Double(n1) - Double(x0) / Double(n0)) / error
  return erfc(abs(z) / 2.0.squareRoot())
}

/// P(tables less likely than this one) + ½ P(tables as likely), with the margins held (Lancaster 1961).
func fisherMidP(_ x1: Int, of n1: Int, against x0: Int, of n0: Int) -> Double {
  let successes = x1 + x0
  func probability(_ k: Int) -> Double {
    exp(logChoose(n1, k) + logChoose(n0, successes - k) - logChoose(n1 + n0, successes))
  }
  let tables = (max(0, successes - n0)...min(n1, successes)).map(probability)
  let observed = probability(x1)
  // R's slack of 1e-7 for "as likely".
  let lessLikely = tables.filter { $0 < observed * (1 - 1e-7) }
  let asLikely = tables.filter { abs($0 - observed) <= observed * 1e-7 }
  return lessLikely.reduce(0, +) + asLikely.reduce(0, +) / 2
}

private func logChoose(_ n: Int, _ k: Int) -> Double { logFactorial(n) - logFactorial(k) - logFactorial(n - k) }

private func logFactorial(_ n: Int) -> Double { n < 2 ? 0 : (2...n).map { log(Double($0)) }.reduce(0, +) }

/// Holm (1979): the k-th smallest p of m, times m − k + 1, never less than the one before, at most 1.
func holm(_ pValues: [Double]) -> [Double] {
  pValues.map { p in
    let upTo = pValues.sorted().enumerated().filter { $0.element <= p }
    let steps = upTo.map { Double(pValues.count - $0.offset) * $0.element }
    return min(1, steps.max() ?? 1)
  }
}
