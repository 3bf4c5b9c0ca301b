// Do several groups share one rate?

/// Pearson's chi-square test of independence of a table of counts, without a correction for continuity.
///
/// K. Pearson, Philosophical Magazine 50 (1900) 157; A. Agresti, "Categorical Data Analysis" (3rd ed. 2013), 3.2.
public struct PearsonChiSquare: Sendable, Hashable {
  /// Σ(O − E)²/E.
  public let statistic: Double
  public let degreesOfFreedom: Int
  /// The upper tail.
  public let pValue: Double
  /// The smallest expected count: below 5, the p-value is rough.
  public let leastExpected: Double

  /// The test that groups share one division: `table[g]` holds the counts of group g.
  ///
  /// Empty groups and columns are left out; nil if fewer than two of either remain, or if the table is not rectangular.
  public static func independence(_ table: [[Int]]) -> PearsonChiSquare? {
    guard let width = table.first?.count, table.allSatisfy({ $0.count == width && $0.allSatisfy { $0 >= 0 } }) else {
      return nil
    }
    let rows = table.map { $0.reduce(0.0) { $0 + Double($1) } }
    let columns = (0..<width).map { column in table.reduce(0.0) { $0 + Double($1[column]) } }
    let total = rows.reduce(0, +)
    let freedom = (rows.filter { $0 > 0 }.count - 1) * (columns.filter { $0 > 0 }.count - 1)
    guard freedom > 0 else { return nil }
    var statistic = 0.0
    var least = Double.infinity
    for (row, counts) in table.enumerated() where rows[row] > 0 {
      for (column, count) in counts.enumerated() where columns[column] > 0 {
        let expected = rows[row] * (columns[column] / total)
        statistic += (Double(count) - expected) * (Double(count) - expected) / expected
        least = min(least, expected)
      }
    }
    return PearsonChiSquare(
      statistic: statistic, degreesOfFreedom: freedom,
      pValue: ChiSquareDistribution.upperTail(statistic, degreesOfFreedom: freedom), leastExpected: least)
  }

  /// The test that samples share one rate; nil below two samples with trials, or if none or all of the trials succeeded.
  public static func equalRates(_ samples: [BinomialSample]) -> PearsonChiSquare? {
    independence(samples.map { [$0.successes, $0.trials - $0.successes] })
  }
}
