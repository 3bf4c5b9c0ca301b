// Kaplan–Meier: the share that enabled the permission later, by days since the denial or the skip.

import PermissionAnalysis

enum ReturnChart {
  private static let days = 28
  /// Denied and skipped.
  private static let marks = [OutcomeMark.all[1], OutcomeMark.all[2]]

  /// The top of the axis that the charts of some rows share.
  static func top(_ rows: [ReportRow]) -> Double {
    let highest = rows.flatMap { $0.returns.enabledLater.prefix(2) }.flatMap(\.curve).compactMap { $0.high ?? $0.value }
      .max()
    return Plot.top(for: highest ?? 0)
  }

  static func draw(_ row: ReportRow, top: Double, on page: inout Markup) {
    let plot = Plot(height: 186, top: 34, x: 0...Double(days), y: 0...top)
    page.drawing(
      height: plot.height, title: "Enabled later, " + RowNames.full(row), description: description(row)
    ) { page in
      plot.shareAxis(&page)
      for day in [0, 7, 14, 21, 28] {
        let x = plot.x(Double(day))
        page.line(x1: x, y1: plot.bottom, x2: x, y2: plot.bottom + 3, "axis")
        page.label(day == 0 ? "day 0" : "\(day)", x: x, y: plot.bottom + 16, "middle")
      }
      var legend = 0.0
      for (mark, later) in zip(marks, row.returns.enabledLater) {
        let label = label(mark, later)
        page.line(x1: legend, y1: 9, x2: legend + 18, y2: 9, mark.style + " line" + (mark.isDashed ? " dashed" : ""))
        page.label(label, x: legend + 23, y: 13)
        legend += 182
        curve(later.curve, mark, plot, on: &page)
      }
    }
  }

  /// The share by day n is known at the end of day n − 1 and holds until day n is over.
  private static func curve(_ points: [EnabledLater.ByDay], _ mark: OutcomeMark, _ plot: Plot, on page: inout Markup) {
    let known = points.prefix { $0.value != nil }
    guard !known.isEmpty else { return }
    var line = [(x: plot.x(0), y: plot.y(0))]
    var band: [(x: Double, low: Double, high: Double)] = []
    for point in known {
      let (start, end) = (plot.x(Double(point.day)), plot.x(Double(min(days, point.day + 1))))
      guard let value = point.value else { continue }
      line += [(start, line[line.count - 1].y), (start, plot.y(value)), (end, plot.y(value))]
      guard let low = point.low, let high = point.high else { continue }
      let (lowY, highY) = (plot.y(low), plot.y(min(high, plot.y.high)))
      band += [(start, lowY, highY), (end, lowY, highY)]
    }
    page.element("g", ["class": mark.style]) { page in
      page.band(band, "band")
      page.polyline(line, mark.isDashed ? "line dashed" : "line")
    }
  }

  private static func label(_ mark: OutcomeMark, _ later: EnabledLater) -> String {
    guard let last = later.curve.last(where: { $0.value != nil }), let value = last.value else {
      return mark.name + ": nobody"
    }
    return "\(mark.name) \(NumberText.percent(value)) by day \(last.day)"
  }

  private static func description(_ row: ReportRow) -> String {
    let parts = zip(marks, row.returns.enabledLater).map { mark, later -> String in
      let points = later.kaplanMeier.map { point -> String in
        guard let value = point.value else { return "day \(point.day) not known" }
        let interval = point.low.flatMap { low in
          point.high.map { " (\(fixed(low * 100, 1))–\(fixed($0 * 100, 1)))" }
        }
        return "day \(point.day) \(NumberText.percent(value))" + (interval ?? "")
      }
      return "after \(mark.name): " + points.joined(separator: ", ")
    }
    return "Share enabled by " + parts.joined(separator: "; ") + "."
  }
}
