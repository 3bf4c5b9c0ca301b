// The times of one row, by series. One is reused from row to row by the thread that makes them.

/// Histograms of all series of some slots.
final class RowTimes {
  private let histograms = TimeSeries.allCases.map { _ in TimeHistogram() }
  /// By series what is in its histogram.
  private var filled = [[BucketCounts]](repeating: [], count: TimeSeries.count)

  /// The answers, whose times together are the time to answer.
  static let answers: [TimeSeries] = [.granted, .denied, .skipped]

  subscript(_ series: TimeSeries) -> TimeHistogram { histograms[series.rawValue] }

  /// Puts the times of some slots in the place of those of the row before.
  func fill(_ groups: GroupedSums, slots: [Int]) {
    for series in TimeSeries.allCases {
      self[series].remove(filled[series.rawValue])
      let counts = slots.map { groups.times($0, series) }
      for count in counts { self[series].add(count) }
      filled[series.rawValue] = counts
    }
  }
}
