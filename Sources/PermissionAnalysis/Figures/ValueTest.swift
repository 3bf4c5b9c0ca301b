// Do the values of the property that a report is split by differ in their grant rates?

import PermissionEvents
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
  /// All values, and those with a base large enough. No value is a value.
  public let values, tested: Int
  /// nil below two values to test, or if none or all of their users granted.
  public let result: Result?

  /// - Parameter rows: those of all weeks, of one permission.
  init(permission: String, _ rows: ArraySlice<ReportRow>) {
    let samples = rows.filter { $0.grants.base >= Self.leastBase }.compactMap { row in
      try? BinomialSample(successes: row.grants.granted, trials: row.grants.base)
    }
    self.permission = permission
    values = rows.count
    tested = samples.count
    result = PearsonChiSquare.equalRates(samples).map { test in
      Result(statistic: test.statistic, degreesOfFreedom: test.degreesOfFreedom, pValue: test.pValue)
    }
  }
}

extension Report {
  /// A test for each permission, in the order of the rows; none unless the report is split by a property.
  public var valueTests: [ValueTest] {
    guard property != nil else { return [] }
    // Names are bytes, and Strings are not.
    let all = rows.filter { $0.week == nil }
    var tests: [ValueTest] = []
    var start = all.startIndex
    while start < all.endIndex {
      let permission = all[start].permission
      let end = all[start...].firstIndex { !$0.permission.utf8.elementsEqual(permission.utf8) } ?? all.endIndex
      tests.append(ValueTest(permission: permission, all[start..<end]))
      start = end
    }
    return tests
  }
}
