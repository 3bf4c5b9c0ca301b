// Do the values of the property that a report is split by differ in their grant rates?

import Statistics

/// The grant rates of one permission's values, over all weeks of the report.
public struct ValueTest: Sendable, Hashable {
  /// Values with a smaller base are left out of the test: their rates say too little.
  public static let leastBase = 10

  /// Pearson's chi-square test that all rates are the same, without correction.
  public struct Result: Sendable, Hashable {
    public let statistic: Double
    public let degreesOfFreedom: Int
    public let pValue: Double
  }

  public let permission: String
  /// Values with a row, and those with a base large enough. No value is a value; the others together are none.
  public let values, tested: Int
  /// nil below two values to test, or if none or all of their users granted.
  public let result: Result?

  /// - Parameter sums: of each value, over all weeks.
  init(permission: String, _ sums: [(base: Int, granted: Int)]) {
    let samples = sums.filter { $0.base >= Self.leastBase }.compactMap {
      try? BinomialSample(successes: $0.granted, trials: $0.base)
    }
    self.permission = permission
    values = sums.count
    tested = samples.count
    result = PearsonChiSquare.equalRates(samples).map { test in
      Result(statistic: test.statistic, degreesOfFreedom: test.degreesOfFreedom, pValue: test.pValue)
    }
  }
}
