// Which values of a property lose grants? The values of one permission, ranked by the grants lost compared with the best value.

import PermissionEvents
import Statistics

/// The values of the property that a report is split by, or of two their combinations, for one permission over all weeks of the
/// report.
///
/// The order is: lost grants, the most first; then base, the largest first; then bytes of the value, missing values
/// last. Values with an unknown loss come after the others.
public struct ValueRanking: Sendable {
  /// A rate on a smaller base cannot be the best: chance alone makes some of them high.
  public static let leastBaseOfBest = 100

  /// A value and the outcomes of its journeys.
  public struct Value: Sendable, Hashable {
    /// One for each property.
    public let by: [PropertyValue]
    public let base, granted: Int
    /// Granted of the base, a share of 1. Nil if the base is empty.
    public let rate: Estimate?
    /// The grants expected at the best rate minus the actual grants. Below 0 if its rate is above the best, but its
    /// base too small to be the best. Nil if there is no best rate or no base.
    public let lostGrants: Double?
    /// Whether its rate is the best one.
    public let isBest: Bool
  }

  public let permission: String
  /// One property, or two combined.
  public let properties: [StringField]
  /// Whether rates are known. False if the log has no answers of the permission.
  package let isKnown: Bool
  /// The test whether all rates are the same.
  public let test: ValueTest

  /// A value as an index among the names; 0 is a missing value.
  typealias Counts = (value: UInt32, base: Int, granted: Int)

  /// The names of values by index, shared by all rankings of a report.
  private let names: [[UInt8]]
  private let places: [Counts]
  /// A value with the highest rate among the values with a base of `leastBaseOfBest` or more, if any.
  private let bestCounts: Counts?

  init(permission: String, properties: [StringField], names: [[UInt8]], _ counts: [Counts], isKnown: Bool = true) {
    self.isKnown = isKnown
    (self.permission, self.properties, self.names) = (permission, properties, names)
    test = ValueTest(permission: permission, isKnown ? counts.map { ($0.base, $0.granted) } : [])
    let best = counts.filter { isKnown && $0.base >= Self.leastBaseOfBest }.max {
      Self.product($0.granted, $1.base) < Self.product($1.granted, $0.base)
    }
    bestCounts = best
    places = counts.sorted { a, b in
      let (left, right) = (Self.lost(a, best) ?? .min, Self.lost(b, best) ?? .min)
      if left != right { return left > right }
      if a.base != b.base { return a.base > b.base }
      if a.value == 0 || b.value == 0 { return a.value != 0 }
      return names[Int(a.value)].lexicographicallyPrecedes(names[Int(b.value)])
    }
  }

  /// The highest rate among the values with a base of `leastBaseOfBest` or more, a share of 1; nil if there is none.
  public var best: Double? { bestCounts.map { Double($0.granted) / Double($0.base) } }

  private static func product(_ a: Int, _ b: Int) -> Int128 { Int128(a) * Int128(b) }

  /// The loss of a value, times the base of the best one: a whole number, so equal losses compare equal.
  private static func lost(_ place: Counts, _ best: Counts?) -> Int128? {
    guard let best, place.base > 0 else { return nil }
    return product(place.base, best.granted) - product(place.granted, best.base)
  }

  /// The number of values with a row; the joined others do not count.
  public var count: Int { places.count }

  /// The value at a position in the order.
  public subscript(number: Int) -> Value {
    let place = places[number]
    let lost = Self.lost(place, bestCounts)
    return Value(
      by: properties.values(names[Int(place.value)]), base: place.base, granted: place.granted,
      rate: isKnown ? .rate(place.granted, place.base) : nil,
      lostGrants: lost.flatMap { lost in bestCounts.map { Double(lost) / Double($0.base) } },
      isBest: lost == 0 && place.base >= Self.leastBaseOfBest)
  }

  package func first(_ most: Int) -> [Value] { (0..<min(count, most)).map { self[$0] } }

  package var bestValue: Value? { places.indices.lazy.map { self[$0] }.first(where: \.isBest) }
}

/// The grant rates of one permission's values, over all weeks of the report.
public struct ValueTest: Sendable, Hashable {
  /// Values with a smaller base are left out of the test: their rates are too uncertain.
  public static let leastBase = 10

  /// Pearson's chi-square test that all rates are the same, without correction.
  public struct Result: Sendable, Hashable {
    public let statistic: Double
    public let degreesOfFreedom: Int
    public let pValue: Double
  }

  public let permission: String
  /// The number of values with a row, and of values with a large enough base. A missing value counts as a value, the
  /// joined others do not.
  public let values, tested: Int
  /// Nil below two values to test, or if none or all of their users granted.
  public let result: Result?

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

/// A version of the app with more than 1 % of the exposures that have a version.
public struct VersionAppearance: Sendable, Hashable {
  public let version: String
  /// Of its first exposure, in the zone of the report.
  public let firstDay: DayNumber
  public let exposures: Int
}

extension DaySums {
  /// By first day, then bytewise; none if there were too many versions to count.
  var appearances: [VersionAppearance] {
    let found = counts.compactMap { version, days in
      days.keys.min().map { (name: version, day: $0, count: days.values.reduce(0, &+)) }
    }
    let total = found.reduce(0) { $0 &+ $1.count }
    // A hundredth itself is not enough.
    return found.filter { $0.count > total / 100 }.sorted { a, b in
      a.day == b.day ? a.name.lexicographicallyPrecedes(b.name) : a.day < b.day
    }.map {
      VersionAppearance(
        version: String(bounded: $0.name), firstDay: $0.day,
        exposures: Int(truncatingIfNeeded: $0.count))
    }
  }
}
