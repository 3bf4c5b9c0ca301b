// One figure of a row: its name, what it is, and how it is read. JSON, CSV, the truths of simulations and docs/metrics.md
// take names and values from here, so that a figure is named in one place.

/// A figure under the name that it has in JSON. A class, because trees are walked once a row.
package final class Figure<Row>: Sendable {
  /// What the number counts, or is measured in.
  package enum Unit: String, Sendable {
    case journeys, users, events, flows, values, days, milliseconds
    case share = "share of 1"
    case difference = "difference of shares of 1"
    case personDays = "person-days"
    case rate = "per 100 person-days"
    case mean = "mean number a user"
    case ratio, correlation
    case pValue = "p-value"
    case logarithm = "log10 of a p-value"
    case week = "ISO week"
    case moment, day, name, flag, sentence
    case metric = "the metric's unit"
    case number
  }

  /// How it is read from a row; nil is unknown. The names are those of its parts in JSON.
  package enum Value: Sendable {
    case count(@Sendable (Row) -> Int?)
    case number(@Sendable (Row) -> Double?)
    /// `value`, `low`, `high`.
    case estimate(@Sendable (Row) -> Estimate?)
    /// `eligible`, the name given, `rate`.
    case share(count: StaticString, @Sendable (Row) -> Share)
    /// `count`, `mean`, `p50`, `p90`, `p99`.
    case times(@Sendable (Row) -> TimeSummary?)
    /// A list of `day`, `at_risk`, `value`, `low`, `high`, by these days.
    case curve(days: [Int], @Sendable (Row) -> [EnabledLater.ByDay])
    /// An interval without a value: tables alone have it, JSON has its bounds as numbers.
    case bounds(@Sendable (Row) -> (low: Double?, high: Double?)?)
    // No number of a table: JSON alone has them.
    case text(@Sendable (Row) -> String?)
    case flag(@Sendable (Row) -> Bool?)
    case texts(@Sendable (Row) -> [String])
    case counts(@Sendable (Row) -> [Int])
    case numbers(@Sendable (Row) -> [Double]?)
  }

  package let name: StaticString
  package let unit: Unit
  /// What it is, in a line.
  package let meaning: StaticString
  package let value: Value
  /// The journeys or users that it is over; nil for what is a part of nothing, and if `value` knows it.
  package let over: (@Sendable (Row) -> Int?)?

  package init(
    _ name: StaticString, _ meaning: StaticString, _ unit: Unit, over: (@Sendable (Row) -> Int?)? = nil, _ value: Value
  ) {
    self.name = name
    self.meaning = meaning
    self.unit = unit
    self.over = over
    self.value = value
  }
}

/// So many of so many, and the rate.
public struct Share: Sendable {
  public let eligible: Int
  /// nil without the evidence that it takes to know.
  public let count: Int?
  /// With Wilson's 95 % interval; nil if nobody is eligible, or it is not known how many.
  public let rate: Estimate?

  init(_ eligible: Int, _ count: Int?) {
    self.eligible = eligible
    self.count = count
    rate = count.flatMap { Estimate.rate($0, eligible) }
  }
}
