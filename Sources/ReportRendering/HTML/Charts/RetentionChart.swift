// Who is back on day 1, 7 and 30, by outcome, with intervals.

import PermissionAnalysis

enum RetentionChart {
  /// The top of the axis that the charts of some rows share.
  static func top(_ rows: [ReportRow]) -> Double {
    // An interval of a handful of people goes up to 1 and would flatten all others.
    let rates = rows.flatMap(\.retention).flatMap(\.outcomes).filter { $0.eligible >= 10 }.compactMap(\.rate)
    return Plot.top(for: rates.compactMap { $0.high ?? $0.value }.max() ?? 0.4)
  }

  static func draw(_ row: ReportRow, top: Double, on page: inout Markup) {
    let groups = row.retention.count
    let plot = Plot(height: 190, top: 34, x: 0...Double(max(1, groups)), y: 0...top)
    page.drawing(
      height: plot.height, title: "Retention by outcome, " + RowNames.full(row), description: description(row)
    ) { page in
      plot.shareAxis(&page)
      legend(plot, on: &page)
      for (number, day) in row.retention.enumerated() {
        page.label("day \(day.day)", x: plot.x(Double(number) + 0.5), y: plot.bottom + 16, "middle")
        for (i, (mark, share)) in zip(OutcomeMark.all, day.outcomes).enumerated() {
          guard let rate = share.rate else { continue }
          let x = plot.x(Double(number) + 0.5 + (Double(i) - 1.5) * 0.17)
          draw(rate, mark, x, plot, on: &page)
        }
      }
    }
  }

  private static func draw(_ rate: Estimate, _ mark: OutcomeMark, _ x: Double, _ plot: Plot, on page: inout Markup) {
    page.element("g", ["class": mark.style]) { page in
      if let low = rate.low, let high = rate.high {
        page.whisker(x: x, from: plot.y(min(low, plot.y.high)), to: plot.y(min(high, plot.y.high)), mark.style)
        if high > plot.y.high { page.label("↑", x: x, y: plot.top - 2, "middle") }
      }
      if rate.value <= plot.y.high { page.point(mark.shape, x: x, y: plot.y(rate.value), "dot") }
    }
  }

  private static func legend(_ plot: Plot, on page: inout Markup) {
    var x = 0.0
    for mark in OutcomeMark.all {
      page.element("g", ["class": mark.style]) { $0.point(mark.shape, x: x + 4, y: 9, "dot") }
      page.label(mark.name, x: x + 13, y: 13)
      x += Double(mark.name.count) * 6.2 + 34
    }
  }

  private static func description(_ row: ReportRow) -> String {
    let days = row.retention.map { day -> String in
      let parts = zip(OutcomeMark.all, day.outcomes).map { mark, share in
        mark.name + " " + (share.rate.map { NumberText.percent($0.value) } ?? "not known")
      }
      return "day \(day.day): " + parts.joined(separator: ", ")
    }
    return "Share active on " + days.joined(separator: "; ") + "."
  }
}
