// What the figures of one row are made of: its integers and its times.

import Folding

/// The integers of one row: those of one group, or of several together.
struct RowSums {
  private var integers: [Int64]
  /// Every bit of what was added. What a walk counts is far below any limit: then nothing is checked for each addition.
  private var seen: Int64 = 0

  /// - Parameter slots: of the groups that belong to the row.
  init(_ groups: GroupedSums, slots: some Collection<Int>) throws(SumsError) {
    self.init(checked: groups, slots: slots)
    if seen >= 1 << 40 || slots.count >= 1 << 10 { try check(groups, slots) }
  }

  /// Of slots that were added up before, and were not refused.
  init(checked groups: GroupedSums, slots: some Collection<Int>) {
    integers = [Int64](repeating: 0, count: GroupedSums.width)
    for slot in slots {
      groups.forEachInteger(of: slot) { place, value in
        integers[place] &+= value
        seen |= value
      }
    }
  }

  /// The same with each addition checked. Figures multiply counts by 100 and add up some of the sums.
  private mutating func check(_ groups: GroupedSums, _ slots: some Collection<Int>) throws(SumsError) {
    integers = [Int64](repeating: 0, count: GroupedSums.width)
    for slot in slots {
      for (place, value) in groups.integers(of: slot).enumerated() {
        integers[place] = try CheckedSum.add(integers[place], value)
      }
    }
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

/// Histograms of all series of some slots.
final class RowTimes {
  private let histograms = TimeSeries.allCases.map { _ in TimeHistogram() }
  /// By series the times in its histogram.
  private var filled = [[BucketCounts]](repeating: [], count: TimeSeries.count)

  subscript(_ series: TimeSeries) -> TimeHistogram { histograms[series.rawValue] }

  /// Replaces the times of the row before by those of some slots.
  func fill(_ groups: GroupedSums, slots: some Collection<Int>) {
    let counts = slots.map { groups.times(of: $0) }
    for series in TimeSeries.allCases {
      self[series].remove(filled[series.rawValue])
      let counts = counts.map { $0[$0.startIndex + series.rawValue] }
      for count in counts { self[series].add(count) }
      filled[series.rawValue] = counts
    }
  }
}
