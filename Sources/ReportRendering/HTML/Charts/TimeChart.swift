// Times to answer as small hills on one logarithmic axis, a row for each answer, all on one scale of shares.

import PermissionAnalysis
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum TimeChart {
  private static let rowHeight = 78.0
  /// Of an answer that too few users gave.
  private static let emptyHeight = 26.0
  /// Above the highest bar of a row: its label.
  private static let labelHeight = 34.0

  /// The axes that the charts of some rows share, so that the shapes of their hills can be compared.
  struct Axes {
    /// Halves of octaves; see `TimeDistribution`.
    let bins: ClosedRange<Int>
    /// The share of an answer's times in one bin.
    let shares: ShareAxis

    /// nil if no row has enough times.
    init?(_ rows: [ReportRow]) {
      let drawn = rows.flatMap(TimeChart.drawn).compactMap { $0 }
      let halves = drawn.flatMap(\.bins).map(\.half)
      guard let low = halves.min(), let high = halves.max() else { return nil }
      // Room for two ticks at least.
      bins = low...max(high + 1, low + 6)
      let highest = drawn.flatMap { times in times.bins.map { Double($0.count) / Double(TimeChart.total(times)) } }
        .max()
      shares = ShareAxis([0, highest ?? 1], startsAtZero: true)
    }
  }

  static func total(_ times: TimeDistribution) -> Int { times.bins.reduce(0) { $0 + $1.count } }

  /// By answer; nil for one that too few users gave.
  private static func drawn(_ row: ReportRow) -> [TimeDistribution?] {
    row.times.distributions.map { total($0) >= Drawable.leastBase ? $0 : nil }
  }

  static func canDraw(_ row: ReportRow) -> Bool { drawn(row).contains { $0 != nil } }

  static func draw(_ row: ReportRow, _ axes: Axes, on page: inout Markup) {
    let marks = OutcomeMark.all.prefix(3)
    let heights = drawn(row).map { $0 == nil ? emptyHeight : rowHeight }
    let plot = Plot(
      height: heights.reduce(0, +) + 26, left: 34, right: 2, top: 0, bottom: 20,
      x: Double(axes.bins.lowerBound)...Double(axes.bins.upperBound), y: 0...1)
    page.drawing(
      height: plot.height, title: "Time to answer, " + RowNames.full(row), description: description(row)
    ) { page in
      timeAxis(axes.bins, plot, on: &page)
      var base = 0.0
      for (i, (mark, times)) in zip(marks, drawn(row)).enumerated() {
        guard i < row.times.byOutcome.count else { continue }
        base += heights[i]
        let summary = row.times.byOutcome[i]
        var label = mark.name + " · " + NumberText.count(summary.count)
        if times == nil {
          label += summary.count == 0 ? "" : " · too few to draw"
        } else if let median = summary.p50 {
          label += " · median " + NumberText.duration(median)
        }
        page.label(label, x: 0, y: base - heights[i] + 19)
        guard let times else { continue }
        let y = Scale(low: 0, high: axes.shares.high, start: base, end: base - rowHeight + labelHeight)
        page.series(mark.name, mark.style) { page in
          for tick in [0, axes.shares.high] {
            page.element("g", ["data-y": Plot.exact(tick)]) { page in
              page.line(x1: plot.left, y1: y(tick), x2: plot.right, y2: y(tick), tick == 0 ? "axis" : "grid")
              page.label(axes.shares.text(tick), x: plot.left - 4, y: y(tick) + 4, "end")
            }
          }
          hill(times, plot, y, on: &page)
          if let median = summary.p50, place(median) >= plot.x.low {
            let x = plot.x(place(median))
            page.line(x1: x, y1: base - rowHeight + labelHeight, x2: x, y2: base, "median")
          }
        }
      }
    }
  }

  private static func hill(_ times: TimeDistribution, _ plot: Plot, _ y: Scale, on page: inout Markup) {
    let all = Double(total(times))
    for bin in times.bins {
      let (start, end) = (plot.x(Double(bin.half)), plot.x(Double(bin.half + 1)))
      let top = y(Double(bin.count) / all)
      page.bar(x: start + 0.4, y: top, width: end - start - 0.8, height: y.start - top, "fill")
    }
  }

  /// Where a time lies among the bins: twice its octaves above a second. An instant has no logarithm.
  static func place(_ time: Double) -> Double { 2 * log2(max(time, 0.5) / 1000) }

  private static let minute = 60_000.0
  private static let hour = 60 * minute
  private static let day = 24 * hour
  private static let ticks: [Double] =
    [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute]
    + [hour, 2 * hour, 6 * hour, 12 * hour, day, 3 * day, 7 * day, 14 * day, 28 * day]

  /// - Parameter ticks: in milliseconds; those that have room are drawn.
  static func timeAxis(
    _ bins: ClosedRange<Int>, _ plot: Plot, ticks: [Double] = ticks, from y: Double = 18, on page: inout Markup
  ) {
    let (low, high) = (TimeDistribution.edge(bins.lowerBound), TimeDistribution.edge(bins.upperBound))
    var free = -Double.infinity
    for tick in ticks where tick >= low && tick <= high {
      let x = plot.x(place(tick))
      let style = x > Plot.width - 22 ? "end" : "middle"
      // A label at the end lies wholly before its tick.
      guard x - free > (style == "end" ? 58 : 40) else { continue }
      plot.xTick(&page, place(tick), NumberText.window(Milliseconds(tick)), from: y, style: "grid", place: style)
      free = x
    }
  }

  private static func description(_ row: ReportRow) -> String {
    let parts = zip(OutcomeMark.all, row.times.byOutcome).map { mark, times -> String in
      guard let p50 = times.p50, let p90 = times.p90 else { return mark.name + ": nobody" }
      return
        "\(mark.name): \(NumberText.count(times.count)), half within \(NumberText.duration(p50)), nine in ten within "
        + NumberText.duration(p90)
    }
    return parts.joined(separator: "; ") + "."
  }
}
