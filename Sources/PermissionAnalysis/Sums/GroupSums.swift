// The integers of one row, for its figures.

import Folding

/// The integers of one row: those of one group, or of several together.
struct GroupSums {
  private var integers = [Int64](repeating: 0, count: GroupedSums.width)

  /// - Parameter slots: of the groups that belong to the row.
  init(_ groups: GroupedSums, slots: [Int]) throws(SumsError) {
    for slot in slots {
      for place in integers.indices {
        integers[place] = try CheckedSum.add(integers[place], groups.integer(slot, place))
      }
    }
    // Only a file can bring more. Figures multiply counts by 100 and add up some of the sums.
    for (place, value) in integers.enumerated() where value > (place < Counter.places ? 1 << 50 : 1 << 60) {
      throw SumsError(.overflow, "the sums of a row are larger than figures are made of")
    }
  }

  subscript(_ counter: Counter) -> Int { self[place: counter.rawValue] }

  /// A counter by an outcome of the base, by that of granted.
  subscript(_ granted: Counter, _ outcome: Outcome) -> Int { self[place: granted.rawValue + outcome.rawValue] }

  /// A place of `Counter` and its families.
  subscript(place place: Int) -> Int { Int(integers[place]) }

  subscript(_ sum: JourneySum) -> Int { self.sum(place: sum.rawValue) }

  /// A place of `JourneySum` and its families.
  func sum(place: Int) -> Int { Int(integers[Counter.places + place]) }
}
