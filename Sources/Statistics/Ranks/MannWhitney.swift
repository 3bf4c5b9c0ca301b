// The Mann–Whitney test from two histograms.

/// The Mann–Whitney test.
///
/// Normal approximation with tie correction and a continuity correction of ½ (H. B. Mann and D. R. Whitney, Annals of
/// Mathematical Statistics 18 (1947) 50; E. L. Lehmann, Nonparametrics, 1975, for ties); exact if no value is tied
/// and the smaller group has fewer than 10.
public struct MannWhitney: Sendable, Hashable {
  public enum Method: String, Sendable {
    case exact
    case normal
  }

  public let method: Method
  /// Pairs in which the first is greater, ties counted half.
  public let u: Double
  /// P(first > second) + ½ P(equal).
  public let probabilityFirstGreater: Double
  /// Two-sided, by `method`.
  public let pValue: Double
  public let log10PValue: Double
  /// Two-sided by the normal approximation, with and without the continuity correction.
  public let normalP: Double
  public let normalPUncorrected: Double

  /// Nil if either is empty. If all values are equal, p is 1.
  public static func test(_ first: Histogram, _ second: Histogram) -> MannWhitney? {
    let n1 = Double(first.count)
    let n2 = Double(second.count)
    guard n1 > 0, n2 > 0 else { return nil }
    let n = n1 + n2
    var below = 0.0
    // Twice U, an integer, is exact up to 2⁵³.
    var twiceU = 0.0
    var ties = 0.0
    var tied = false
    for group in Histogram.merged(first, second) {
      let a = Double(group.first)
      let b = Double(group.second)
      twiceU += a * (2 * below + b)
      below += b
      let t = a + b
      if t > 1 {
        tied = true
        ties += t / n * ((t - 1) / (n - 1)) * (t + 1)
      }
    }
    let u = twiceU / 2
    let pairs = n1 * n2
    let deviation = (pairs / 12 * max(0, n + 1 - ties)).squareRoot()
    let distance = abs(twiceU - pairs) / 2
    func z(_ correction: Double) -> Double { deviation > 0 ? max(0, distance - correction) / deviation : 0 }
    let normalP = NormalDistribution.twoSidedP(z(0.5))
    let uncorrected = NormalDistribution.twoSidedP(z(0))
    let exact = tied || min(n1, n2) >= 10 ? nil : MannWhitneyExact.twoSidedP(u, first.count, second.count)
    return MannWhitney(
      method: exact == nil ? .normal : .exact, u: u, probabilityFirstGreater: u / pairs, pValue: exact ?? normalP,
      log10PValue: min(
        0, exact.map { Elementary.log($0) / NormalDistribution.ln10 } ?? NormalDistribution.log10TwoSidedP(z(0.5))),
      normalP: normalP, normalPUncorrected: uncorrected)
  }
}

/// The exact null distribution of U.
enum MannWhitneyExact {
  /// 2 min(P(U ≤ u), P(U ≥ u)), at most 1. Nil if the counts of arrangements need more than 128 bits or the table would
  /// have more than a million entries; the normal approximation is used then.
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

// MARK: Values with their counts

/// Observations as values with counts, sorted by value.
public struct Histogram: Sendable, Hashable {
  public struct Bin: Sendable, Hashable {
    public let value: Double
    public let count: Int
  }

  /// Rising values, each with a count above 0.
  public let bins: [Bin]

  /// Pairs of value and count in any order; equal values are joined, empty ones dropped. Throws for a negative count
  /// and for a value that is not a number.
  public init(_ pairs: some Sequence<(value: Double, count: Int)>) throws(StatisticsError) {
    var sorted: [(value: Double, count: Int)] = []
    for pair in pairs where pair.count != 0 {
      guard pair.count > 0 else { throw .negativeCount(pair.count) }
      guard !pair.value.isNaN else { throw .notFinite(name: "value") }
      sorted.append(pair)
    }
    if !zip(sorted, sorted.dropFirst()).allSatisfy({ $0.value < $1.value }) { sorted.sort { $0.value < $1.value } }
    var bins: [Bin] = []
    for pair in sorted {
      if let last = bins.last, last.value == pair.value {
        bins[bins.count - 1] = Bin(value: last.value, count: last.count.clampedSum(pair.count))
      } else {
        bins.append(Bin(value: pair.value, count: pair.count))
      }
    }
    self.bins = bins
  }

  /// The observations one by one.
  public init(observations: [Double]) throws(StatisticsError) {
    try self.init(observations.map { (value: $0, count: 1) })
  }

  public var count: Int { bins.reduce(0) { $0.clampedSum($1.count) } }

  /// Both histograms' counts of each value, by rising value.
  static func merged(_ first: Histogram, _ second: Histogram) -> [(first: Int, second: Int)] {
    var result: [(first: Int, second: Int)] = []
    result.reserveCapacity(first.bins.count + second.bins.count)
    var i = 0
    var j = 0
    while i < first.bins.count || j < second.bins.count {
      if j == second.bins.count || (i < first.bins.count && first.bins[i].value < second.bins[j].value) {
        result.append((first.bins[i].count, 0))
        i += 1
      } else if i == first.bins.count || second.bins[j].value < first.bins[i].value {
        result.append((0, second.bins[j].count))
        j += 1
      } else {
        result.append((first.bins[i].count, second.bins[j].count))
        i += 1
        j += 1
      }
    }
    return result
  }
}
