// Intervals of rates, differences and correlations, tests of two rates and Holm's adjustment, by the plainest formula for
// each.

import Foundation

/// The 0.975 quantile of the standard normal distribution.
let z95 = 1.959963984540054

/// Wilson (1927): (p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n); exactly 0 and 1 at the ends.
///
/// - Returns: nil if the denominator is 0.
func wilson(_ x: Int, of n: Int) -> OracleEstimate? {
  guard n > 0 else { return nil }
  let size = Double(n)
  let share = Double(x) / size
  let centre = share + z95 * z95 / (2 * size)
  let half = z95 * (share * (1 - share) / size + z95 * z95 / (4 * size * size)).squareRoot()
  let scale = 1 + z95 * z95 / size
  return OracleEstimate(
    value: share, low: x == 0 ? 0 : (centre - half) / scale, high: x == n ? 1 : (centre + half) / scale)
}

/// x1/n1 − x0/n0 with the Miettinen–Nurminen (1985) score interval, by nested bisection.
///
/// - Returns: nil if a denominator is 0.
func rateDifference(_ x1: Int, of n1: Int, minus x0: Int, of n0: Int) -> OracleEstimate? {
  guard n1 > 0, n0 > 0 else { return nil }
  let first = Double(x1) / Double(n1)
  let second = Double(x0) / Double(n0)
  let difference = first - second

  /// Whether a difference is compatible: (p̂1 − p̂0 − δ)² ≤ z² V(δ).
  func contains(_ delta: Double) -> Bool {
    let p0 = restrictedRate(x1: x1, n1: n1, x0: x0, n0: n0, delta: delta)
    let p1 = p0 + delta
    let total = Double(n1 + n0)
    let variance = (p1 * (1 - p1) / Double(n1) + p0 * (1 - p0) / Double(n0)) * total / (total - 1)
    return (difference - delta) * (difference - delta) <= z95 * z95 * variance
  }

  /// The border between `inside`, which is compatible, and the end of the range.
  func border(from inside: Double, to end: Double) -> Double {
    var inside = inside
    var outside = end
    for _ in 0..<100 {
      let middle = (inside + outside) / 2
      if contains(middle) { inside = middle } else { outside = middle }
    }
    return inside
  }
  return OracleEstimate(
    value: difference, low: difference == -1 ? -1 : border(from: difference, to: -1),
    high: difference == 1 ? 1 : border(from: difference, to: 1))
}

/// The second arm's rate that is most likely if the first is δ above it: the zero of the score
/// x1/(p + δ) − (n1 − x1)/(1 − p − δ) + x0/p − (n0 − x0)/(1 − p), which falls in p. Terms with count 0 are left out.
private func restrictedRate(x1: Int, n1: Int, x0: Int, n0: Int, delta: Double) -> Double {
  func score(_ p: Double) -> Double {
    var sum = 0.0
    if x1 > 0 { sum += Double(x1) / (p + delta) }
    if n1 > x1 { sum -= Double(n1 - x1) / (1 - p - delta) }
    if x0 > 0 { sum += Double(x0) / p }
    if n0 > x0 { sum -= Double(n0 - x0) / (1 - p) }
    return sum
  }
  var low = max(0, -delta)
  var high = min(1, 1 - delta)
  for _ in 0..<80 {
    let middle = (low + high) / 2
    if score(middle) > 0 { low = middle } else { high = middle }
  }
  return (low + high) / 2
}

/// The difference of two means (first minus second) with Welch's interval.
///
/// - Returns: nil if a group is empty; without interval "below 2 in a group or with no variance", read as no
///   variance in either group, that is a standard error of 0.
func meanDifference(_ first: [Double], minus second: [Double]) -> OracleEstimate? {
  guard let firstMean = mean(first), let secondMean = mean(second) else { return nil }
  let difference = firstMean - secondMean
  guard first.count >= 2, second.count >= 2 else { return OracleEstimate(value: difference) }
  let v1 = variance(first) / Double(first.count)
  let v2 = variance(second) / Double(second.count)
  guard v1 + v2 > 0 else { return OracleEstimate(value: difference) }
  // Welch–Satterthwaite degrees of freedom.
  let freedom = (v1 + v2) * (v1 + v2) / (v1 * v1 / Double(first.count - 1) + v2 * v2 / Double(second.count - 1))
  let half = studentQuantile975(freedom: freedom) * (v1 + v2).squareRoot()
  return OracleEstimate(value: difference, low: difference - half, high: difference + half)
}

func mean(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

/// The sample variance, over n − 1; for two values and more.
func variance(_ values: [Double]) -> Double {
  guard values.count >= 2, let centre = mean(values) else { return 0 }
  return values.map { ($0 - centre) * ($0 - centre) }.reduce(0, +) / Double(values.count - 1)
}

/// The 0.975 quantile of Student's t with `freedom` ≥ 1: bisection on the distribution function.
func studentQuantile975(freedom: Double) -> Double {
  // With one degree of freedom the quantile is 12.706, with more it is lower.
  var low = 0.0
  var high = 13.0
  for _ in 0..<60 {
    let middle = (low + high) / 2
    if studentHalfProbability(middle, freedom: freedom) < 0.475 { low = middle } else { high = middle }
  }
  return (low + high) / 2
}

/// P(0 < T < t). With t = √ν tan θ the density is Γ((ν + 1)/2) / (√π Γ(ν/2)) cos^(ν − 1) θ: Simpson's rule over θ.
private func studentHalfProbability(_ t: Double, freedom: Double) -> Double {
  let end = atan(t / freedom.squareRoot())
  let panels = 400
  let step = end / Double(panels)
  func density(_ theta: Double) -> Double { pow(cos(theta), freedom - 1) }
  var sum = density(0) + density(end)
  for panel in 1..<panels { sum += density(Double(panel) * step) * (panel % 2 == 1 ? 4 : 2) }
  let scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / Double.pi.squareRoot()
  return scale * sum * step / 3
}

/// The correlation of a 0/1 property with a count, and Fisher's z interval.
///
/// "Null below 2 journeys or where a side does not vary; Fisher's z interval, none below 4 or at ± 1."
func pointBiserial(_ pairs: [(granted: Bool, value: Int)]) -> OracleEstimate? {
  guard pairs.count >= 2 else { return nil }
  let n = Double(pairs.count)
  let xs = pairs.map { $0.granted ? 1.0 : 0.0 }
  let ys = pairs.map { Double($0.value) }
  let sumX = xs.reduce(0, +)
  let sumY = ys.reduce(0, +)
  // All of these are sums of whole numbers, hence exact.
  let covariance = n * zip(xs, ys).map { $0 * $1 }.reduce(0, +) - sumX * sumY
  let spreadX = n * xs.map { $0 * $0 }.reduce(0, +) - sumX * sumX
  let spreadY = n * ys.map { $0 * $0 }.reduce(0, +) - sumY * sumY
  guard spreadX > 0, spreadY > 0 else { return nil }
  if covariance * covariance == spreadX * spreadY { return OracleEstimate(value: covariance > 0 ? 1 : -1) }
  let r = covariance / (spreadX * spreadY).squareRoot()
  guard pairs.count >= 4 else { return OracleEstimate(value: r) }
  // atanh r ± z / √(n − 3). At n = 4 and above the root is not 0.
  let half = z95 / (n - 3).squareRoot()
  return OracleEstimate(value: r, low: tanh(atanh(r) - half), high: tanh(atanh(r) + half))
}

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
