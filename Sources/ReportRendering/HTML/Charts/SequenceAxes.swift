// What the chart of a sequence of days shows of them: its days, its scale, and what is beyond.

import PermissionAnalysis
import PermissionEvents

extension SequenceChart {
  /// The axes that the charts of an experiment's pairs share.
  struct Axes {
    let days: ClosedRange<DayNumber>
    let points: PointAxis

    /// nil if there is no day.
    init?(_ pairs: [Comparison]) {
      let known = pairs.map(SequenceChart.drawn)
      let days = known.joined().map(\.day)
      guard let first = days.min(), let last = days.max() else { return nil }
      // A day alone is in the middle.
      self.days = first == last ? first - 1...last + 1 : first...last
      let effect = pairs.first?.needed.minimumEffect ?? 0
      let bounds = pairs.flatMap(SequenceChart.fitted) + [-effect, effect]
      points = PointAxis(from: (bounds.min() ?? 0) * 1.05, to: (bounds.max() ?? 0) * 1.05)
    }
  }

  /// The days from the first with the rule's interval on, as a difference says nothing before; with the always-valid one, if
  /// the rule has none or only that of some declared looks.
  static func drawn(_ c: Comparison) -> ArraySlice<Comparison.SeriesPoint> {
    let first = c.series.firstIndex { $0.look?.estimate.low != nil }
    let other = c.series.firstIndex { $0.interval != nil }
    guard let start = c.monitoring.declared == nil ? first ?? other : [first, other].compactMap({ $0 }).min() else {
      return []
    }
    return c.series[start...]
  }

  /// What the scale is to show. The first intervals are so wide that they would flatten the rest, so that the later half of
  /// the days chooses it, and of that the intervals that are not much wider than the last. A decision is seen on its day, whenever that was.
  private static func fitted(_ c: Comparison) -> [Double] {
    let points = drawn(c)
    let later = points.suffix(max(1, (points.count + 1) / 2))
    let intervals = later.compactMap { point -> (low: Double, high: Double)? in
      ruleBounds(point) ?? point.interval.map { ($0.low, $0.high) }
    }
    let widest = 2.5 * (intervals.last.map { $0.high - $0.low } ?? 0)
    let decision = points.first { $0.day == c.decidedOn }
    return later.compactMap(\.difference)
      + intervals.filter { $0.high - $0.low <= widest }.flatMap { [$0.low, $0.high] }
      + [decision?.difference, decision.flatMap(ruleBounds)?.low, decision.flatMap(ruleBounds)?.high].compactMap { $0 }
  }

  /// The first, the middle and the last day.
  static func dayAxis(_ days: ClosedRange<DayNumber>, _ plot: Plot, on page: inout Markup) {
    let (first, last) = (days.lowerBound, days.upperBound)
    plot.xTick(&page, Double(first), CivilDate(first).text, place: "")
    if last - first >= 8 || last - first == 2 {
      let middle = first + (last - first) / 2
      plot.xTick(&page, Double(middle), CivilDate(middle).text)
    }
    plot.xTick(&page, Double(last), CivilDate(last).text, place: "end")
  }

  /// What the axis cuts off, in words.
  static func beyond(_ points: ArraySlice<Comparison.SeriesPoint>, _ axis: PointAxis) -> String? {
    let all = points.flatMap { point in
      [
        point.difference, point.look?.estimate.low, point.look?.estimate.high, point.interval?.low,
        point.interval?.high,
      ]
      .compactMap { $0 }
    }
    guard let low = all.min(), let high = all.max(), low < axis.low || high > axis.high else { return nil }
    return "The axis fits the later days. What lies beyond it is cut off: the earlier values and intervals go from "
      + "\(ComparisonWords.points(low)) to \(ComparisonWords.points(high)) points."
  }
}
