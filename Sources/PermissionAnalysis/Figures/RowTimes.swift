// The times of one row, by series. One is reused from row to row by the thread that makes them.

/// Histograms of all series of some slots.
final class RowTimes {
  private let histograms = TimeSeries.allCases.map { _ in TimeHistogram() }

  /// The answers, whose times together are the time to answer.
  static let answers: [TimeSeries] = [.granted, .denied, .skipped]

  subscript(_ series: TimeSeries) -> TimeHistogram { histograms[series.rawValue] }

  /// Puts the times of some slots in the place of those of the row before.
  func fill(_ groups: GroupedSums, slots: [Int]) {
    for series in TimeSeries.allCases {
      self[series].removeAll()
      for slot in slots { self[series].add(groups.times(slot, series)) }
    }
  }
}
