// One figure of a report under the name that it has in CSV.

import PermissionAnalysis

/// A number with its interval and what it is over. The name is the path of its keys in the JSON.
struct Figure: Sendable, Equatable {
  var name: String
  /// Nil is unknown.
  var value: Double?
  var low: Double?
  var high: Double?
  /// The journeys or users that it is over; nil for what is a part of nothing.
  var n: Int?

  init(_ name: String, _ value: Double?, n: Int? = nil) { (self.name, self.value, self.n) = (name, value, n) }

  init(_ name: String, _ count: Int, n: Int? = nil) { self.init(name, Double(count), n: n) }

  init(_ name: String, _ estimate: Estimate?, n: Int) {
    self.init(name, estimate?.value, n: n)
    (low, high) = (estimate?.low, estimate?.high)
  }

  /// `name.eligible`, `name.<count>`, `name.rate`.
  static func share(_ name: String, _ share: Share, count: String) -> [Figure] {
    [
      Figure(name + ".eligible", share.eligible), Figure(name + "." + count, share.count, n: share.eligible),
      Figure(name + ".rate", share.rate, n: share.eligible),
    ]
  }

  static func times(_ name: String, _ times: TimeSummary) -> [Figure] {
    [
      Figure(name + ".count", times.count), Figure(name + ".mean", times.mean, n: times.count),
      Figure(name + ".p50", times.p50, n: times.count), Figure(name + ".p90", times.p90, n: times.count),
      Figure(name + ".p99", times.p99, n: times.count),
    ]
  }
}
