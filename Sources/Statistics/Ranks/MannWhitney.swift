// The Mann–Whitney test from two histograms.

/// The Mann–Whitney test.
///
/// Normal approximation with tie correction and a continuity correction of ½ (H. B. Mann and D. R. Whitney, Annals of
/// Mathematical Statistics 18 (1947) 50; E. L. Lehmann, Nonparametrics, 1975, for ties); exact where no value is tied
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

  /// nil where either is empty. All values equal gives p = 1.
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
    func z(_ correction: Double) -> Double {
      deviation > 0 ? max(0, distance - correction) / deviation : 0
    }
    let normalP = NormalDistribution.twoSidedP(z(0.5))
    let uncorrected = NormalDistribution.twoSidedP(z(0))
    let exact = tied || min(n1, n2) >= 10 ? nil : MannWhitneyExact.twoSidedP(u, first.count, second.count)
    return MannWhitney(
      method: exact == nil ? .normal : .exact,
      u: u,
      probabilityFirstGreater: u / pairs,
      pValue: exact ?? normalP,
      log10PValue: min(
        0, exact.map { Elementary.log($0) / NormalDistribution.ln10 } ?? NormalDistribution.log10TwoSidedP(z(0.5))),
      normalP: normalP,
      normalPUncorrected: uncorrected
    )
  }
}
