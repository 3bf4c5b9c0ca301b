// An expected grant rate: what a report, a comparison and the table of flows would count on average.

/// Journeys of the base and the granted ones among them, expected.
struct ExpectedRate {
  var base = 0.0
  var granted = 0.0

  /// Nil if no journey can count.
  var rate: Double? { base > 0 ? granted / base : nil }

  mutating func add(_ weight: Double, _ shares: OutcomeShares) {
    base += weight * (1 - shares.restricted)
    granted += weight * shares.granted
  }

  static func + (one: ExpectedRate, other: ExpectedRate) -> ExpectedRate {
    ExpectedRate(base: one.base + other.base, granted: one.granted + other.granted)
  }
}
