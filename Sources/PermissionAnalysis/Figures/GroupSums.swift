// The integers that a row's figures are made of.

/// The integers of one row: those of one group, or of several together.
struct GroupSums {
  private var counters = [Int64](repeating: 0, count: Counter.count)
  private var sums = [Int64](repeating: 0, count: JourneySum.count)

  mutating func add(_ table: borrowing GroupTable, slot: Int) {
    for i in counters.indices { counters[i] += table.total(of: slot, i) }
    for i in sums.indices { sums[i] += table.sum(of: slot, i) }
  }

  /// A place of `Counter`.
  subscript(_ counter: Int) -> Int { Int(counters[counter]) }

  /// A place of `JourneySum`.
  func sum(_ place: Int) -> Int { Int(sums[place]) }
}
