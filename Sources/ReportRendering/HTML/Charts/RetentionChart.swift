// Who is back on day 1, 7 and 30, by outcome, with intervals.

import PermissionAnalysis

enum RetentionChart {
  /// The axis that the charts of some rows share; nil if no rate is known.
  static func axis(_ rows: [ReportRow]) -> ShareAxis? {
    let rates = rows.flatMap(\.retention).flatMap(\.outcomes).compactMap { share in
      share.rate.map { (rate: $0, base: share.eligible) }
    }
    return rates.isEmpty ? nil : ShareAxis(rates: rates)
  }

  static func canDraw(_ row: ReportRow) -> Bool {
    row.retention.contains { $0.outcomes.contains { $0.eligible >= Drawable.leastBase && $0.rate != nil } }
  }

  static func draw(_ row: ReportRow, _ axis: ShareAxis, on page: inout Markup) {
    let groups = row.retention.count
    let plot = Plot(height: 190, top: 34, x: 0...Double(max(1, groups)), y: axis.low...axis.high)
    page.drawing(
      height: plot.height, title: "Retention by outcome, " + RowNames.full(row), description: description(row)
    ) { page in
      plot.yAxis(&page, axis)
      legend(plot, on: &page)
      for (number, day) in row.retention.enumerated() {
        let middle = plot.x(Double(number) + 0.5)
        page.label("day \(day.day)", x: middle, y: plot.bottom + 15, "middle")
        page.clipped(to: plot) { page in
          for (i, (mark, share)) in zip(OutcomeMark.all, day.outcomes).enumerated() {
            draw(share, mark, "day \(day.day)", middle + (Double(i) - 1.5) * 17, plot, on: &page)
          }
        }
      }
    }
  }

  private static func draw(
    _ share: Share, _ mark: OutcomeMark, _ day: String, _ x: Double, _ plot: Plot, on page: inout Markup
  ) {
    guard let rate = share.rate else { return }
    let isCounted = share.eligible >= Drawable.leastBase
    page.series("\(mark.name), \(day)", mark.style) { page in
      if let low = rate.low, let high = rate.high {
        page.whisker(x: x, from: plot.y(low), to: plot.y(high), isCounted ? "thin" : "faint")
      }
      if isCounted { page.point(mark.shape, x: x, y: plot.y(rate.value), "dot") }
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
        guard let rate = share.rate else { return mark.name + " not known" }
        return mark.name + " "
          + (share.eligible < Drawable.leastBase ? "of too few users" : NumberText.percent(rate.value))
      }
      return "day \(day.day): " + parts.joined(separator: ", ")
    }
    return "Share active on " + days.joined(separator: "; ") + "."
  }
}
