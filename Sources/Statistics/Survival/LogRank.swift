// The log-rank test of two survival curves.

/// The log-rank test.
///
/// (O − E)²/V with V = Σ d(n − d) n₁n₂/(n²(n − 1)) over event times. Source: N. Mantel, Cancer Chemotherapy Reports 50
/// (1966) 163; R. Peto and J. Peto, JRSS A 135 (1972) 185.
public struct LogRank: Sendable, Hashable {
  /// Events of the first sample, observed and expected.
  public let observed: Double
  public let expected: Double
  public let variance: Double
  public let chiSquare: Double
  public let pValue: Double

  /// nil if the variance is 0, because no event time has both samples at risk.
  public static func test(_ first: SurvivalTimes, _ second: SurvivalTimes) -> LogRank? {
    let a = first.rowsAtRisk
    let b = second.rowsAtRisk
    var i = 0
    var j = 0
    var observed = 0.0
    var expected = 0.0
    var variance = 0.0
    while i < a.count || j < b.count {
      let time = min(i < a.count ? a[i].row.time : .infinity, j < b.count ? b[j].row.time : .infinity)
      let n1 = i < a.count ? Double(a[i].atRisk) : 0
      let n2 = j < b.count ? Double(b[j].atRisk) : 0
      var d1 = 0.0
      var d2 = 0.0
      if i < a.count, a[i].row.time == time {
        d1 = Double(a[i].row.allEvents)
        i += 1
      }
      if j < b.count, b[j].row.time == time {
        d2 = Double(b[j].row.allEvents)
        j += 1
      }
      let n = n1 + n2
      let d = d1 + d2
      guard d > 0 else { continue }
      observed += d1
      expected += d * (n1 / n)
      if n > 1 { variance += d * ((n - d) / (n - 1)) * (n1 / n) * (n2 / n) }
    }
    guard variance > 0 else { return nil }
    let chiSquare = (observed - expected) * (observed - expected) / variance
    return LogRank(
      observed: observed, expected: expected, variance: variance, chiSquare: chiSquare,
      pValue: ChiSquareDistribution.upperTail(chiSquare, degreesOfFreedom: 1)
    )
  }
}
