// Times to answer as small hills on one logarithmic axis, a row for each answer.

import PermissionAnalysis
import PermissionEvents

enum TimeChart {
  private static let rowHeight = 60.0

  /// The bins that hold all times of some rows, so that their charts share an axis.
  static func bins(_ rows: [ReportRow]) -> ClosedRange<Int>? {
    let halves = rows.flatMap(\.times.distributions).flatMap(\.bins).map(\.half)
    guard let low = halves.min(), let high = halves.max() else { return nil }
    return low...max(high + 1, low + 4)
  }

  static func draw(_ row: ReportRow, bins: ClosedRange<Int>, on page: inout Markup) {
    let marks = OutcomeMark.all.prefix(3)
    let plot = Plot(
      height: rowHeight * Double(marks.count) + 22, left: 2, right: 2, top: 0, bottom: 20,
      x: Double(bins.lowerBound)...Double(bins.upperBound), y: 0...1)
    page.drawing(
      height: plot.height, title: "Time to answer, " + RowNames.full(row), description: description(row)
    ) { page in
      timeAxis(bins, plot, on: &page)
      for (i, mark) in marks.enumerated() {
        guard i < row.times.byOutcome.count, i < row.times.distributions.count else { continue }
        let base = rowHeight * Double(i + 1)
        page.line(x1: plot.left, y1: base, x2: plot.right, y2: base, "axis")
        let times = row.times.byOutcome[i]
        var label = mark.name + " · " + NumberText.count(times.count)
        if let median = times.p50 { label += " · median " + NumberText.duration(median) }
        hill(row.times.distributions[i], plot, base, mark.style, on: &page)
        if let median = times.p50 {
          let x = plot.x(place(median, bins))
          page.line(x1: x, y1: base - rowHeight + 22, x2: x, y2: base, "median")
        }
        page.label(label, x: plot.left, y: base - rowHeight + 16)
      }
    }
  }

  private static func hill(
    _ times: TimeDistribution, _ plot: Plot, _ base: Double, _ style: String, on page: inout Markup
  ) {
    let highest = times.bins.map(\.count).max() ?? 0
    guard highest > 0 else { return }
    page.element("g", ["class": style]) { page in
      for bin in times.bins {
        let height = Double(bin.count) / Double(highest) * (rowHeight - 26)
        let start = plot.x(Double(bin.half))
        page.bar(
          x: start + 0.6, y: base - height, width: plot.x(Double(bin.half + 1)) - start - 1.2, height: height, "fill")
      }
    }
  }

  /// Where a time lies among the bins: a straight line within one is close enough to be drawn.
  private static func place(_ time: Double, _ bins: ClosedRange<Int>) -> Double {
    var half = bins.lowerBound
    while half < bins.upperBound, TimeDistribution.edge(half + 1) <= time { half += 1 }
    let (start, end) = (TimeDistribution.edge(half), TimeDistribution.edge(half + 1))
    return Double(half) + min(1, max(0, (time - start) / (end - start)))
  }

  private static let ticks: [Double] = [
    100, 300, 1000, 3000, 10_000, 30_000, 60_000, 180_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 43_200_000,
    86_400_000, 259_200_000, 604_800_000, 2_419_200_000,
  ]

  private static func timeAxis(_ bins: ClosedRange<Int>, _ plot: Plot, on page: inout Markup) {
    let (low, high) = (TimeDistribution.edge(bins.lowerBound), TimeDistribution.edge(bins.upperBound))
    var free = -Double.infinity
    for tick in ticks where tick >= low && tick <= high {
      let x = plot.x(place(tick, bins))
      page.line(x1: x, y1: 18, x2: x, y2: plot.bottom, "grid")
      guard x - free > 34 else { continue }
      let style = x < 20 ? "" : x > Plot.width - 22 ? "end" : "middle"
      page.label(NumberText.window(Milliseconds(tick)), x: x, y: plot.bottom + 16, style)
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
    return parts.joined(separator: "; ") + ". Each row is as high as its own highest bar."
  }
}
