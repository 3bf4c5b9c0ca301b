// The share of users back on day 1, 7 and 30, by outcome, with intervals.

import PermissionAnalysis

enum RetentionChart {
  /// The axis that the charts of some rows share; nil if no rate is known.
  static func axis(_ rows: [ReportRow]) -> ChartAxis? {
    let rates = rows.flatMap(\.retention).flatMap(\.outcomes).compactMap { share in
      share.rate.map { (rate: $0, base: share.eligible) }
    }
    return rates.isEmpty ? nil : ChartAxis(rates: rates)
  }

  static func canDraw(_ row: ReportRow) -> Bool {
    row.retention.contains { $0.outcomes.contains { $0.eligible >= Drawable.leastBase && $0.rate != nil } }
  }

  static func draw(_ row: ReportRow, _ axis: ChartAxis, on page: inout Markup) {
    let groups = row.retention.count
    let plot = Plot(height: 190, top: 34, x: 0...Double(max(1, groups)), y: axis.low...axis.high)
    page.drawing(
      height: plot.height, title: "Retention by outcome, " + RowNames.titles.full(row), description: description(row)
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
      page.element(
        "title",
        text: "\(mark.name), \(day): " + (isCounted ? NumberText.rate(rate, " ") + " " : "")
          + "of \(NumberText.counted(share.eligible, "user"))")
      page.whisker(x: x, rate.ends, plot.y, isCounted ? "thin" : "faint")
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

// MARK: Kaplan–Meier: the share that enabled the permission later, by days since the denial or the skip

enum ReturnChart {
  private static let days = 28
  /// Denied and skipped.
  private static let marks = [OutcomeMark.all[1], OutcomeMark.all[2]]

  static func axis(_ rows: [ReportRow]) -> ChartAxis {
    let drawn = rows.flatMap { $0.returns.enabledLater.prefix(2) }.flatMap { Self.drawn($0.curve) }
    return ChartAxis(
      drawn.compactMap { $0.high ?? $0.value }, leastSpan: 0.01, startsAtZero: true)
  }

  /// The days of a curve that are drawn: from the first with an interval (before it, no users came back, or it is not known) to
  /// the last on which enough users are still followed.
  static func drawn(_ curve: [EnabledLater.ByDay]) -> ArraySlice<EnabledLater.ByDay> {
    let followed = curve.prefix { $0.value != nil && ($0.atRisk ?? 0) >= Drawable.leastBase }
    return followed.drop { $0.estimate?.ends == nil }
  }

  static func canDraw(_ row: ReportRow) -> Bool {
    row.returns.enabledLater.prefix(2).contains { !drawn($0.curve).isEmpty }
  }

  static func draw(_ row: ReportRow, _ axis: ChartAxis, on page: inout Markup) {
    let plot = Plot(height: 186, top: 34, x: 0...Double(days), y: axis.low...axis.high)
    page.drawing(
      height: plot.height, title: "Enabled later, " + RowNames.titles.full(row), description: description(row)
    ) { page in
      plot.yAxis(&page, axis)
      for day in [0, 7, 14, 21, 28] { plot.xTick(&page, Double(day), day == 0 ? "day 0" : "\(day)") }
      var legend = 0.0
      for (mark, later) in zip(marks, row.returns.enabledLater) {
        page.line(x1: legend, y1: 9, x2: legend + 18, y2: 9, mark.style + " line" + (mark.isDashed ? " dashed" : ""))
        page.label(label(mark, later), x: legend + 23, y: 13)
        legend += 182
      }
      page.clipped(to: plot) { page in
        for (mark, later) in zip(marks, row.returns.enabledLater) { curve(drawn(later.curve), mark, plot, on: &page) }
      }
      page.hover(
        (0...days).compactMap { day in words(row, day).map { (plot.x(Double(day)), $0) } }, in: plot)
    }
  }

  /// The shares by a day, for a pointer over it; nil if none is drawn there.
  private static func words(_ row: ReportRow, _ day: Int) -> String? {
    let parts = zip(marks, row.returns.enabledLater).compactMap { mark, later in
      drawn(later.curve).first { $0.day == day }?.estimate.map { "\(mark.name) \(NumberText.rate($0, " "))" }
    }
    return parts.isEmpty ? nil : "By day \(day): " + parts.joined(separator: ", ")
  }

  /// The share by day n is known at the end of day n − 1 and holds until day n is over.
  private static func curve(
    _ points: ArraySlice<EnabledLater.ByDay>, _ mark: OutcomeMark, _ plot: Plot, on page: inout Markup
  ) {
    var line: [(x: Double, y: Double)] = []
    var band: [(x: Double, low: Double, high: Double)] = []
    for point in points {
      let (start, end) = (plot.x(Double(point.day)), plot.x(Double(min(days, point.day + 1))))
      guard let value = point.value, let ends = point.estimate?.ends else { continue }
      line += [(start, plot.y(value)), (end, plot.y(value))]
      band += [start, end].map { ($0, plot.y(ends.low), plot.y(ends.high)) }
    }
    guard !line.isEmpty else { return }
    page.series(mark.name, mark.style) { page in
      page.band(band, "band")
      page.polyline(line, mark.isDashed ? "line dashed" : "line")
    }
  }

  private static func label(_ mark: OutcomeMark, _ later: EnabledLater) -> String {
    if let last = drawn(later.curve).last, let value = last.value {
      return "\(mark.name) \(NumberText.percent(value)) by day \(last.day)"
    }
    guard let last = later.curve.last(where: { $0.value != nil }) else { return mark.name + ": not known" }
    if (later.curve.first?.atRisk ?? 0) < Drawable.leastBase { return mark.name + ": too few users" }
    return mark.name + (last.value == 0 ? ": no users by day \(last.day)" : ": too few users")
  }

  private static func description(_ row: ReportRow) -> String {
    let parts = zip(marks, row.returns.enabledLater).map { mark, later -> String in
      let points = later.kaplanMeier.map { point -> String in
        guard let estimate = point.estimate else { return "day \(point.day) not known" }
        return "day \(point.day) \(NumberText.rate(estimate, " "))"
      }
      return "after \(mark.name): " + points.joined(separator: ", ")
    }
    return "Share enabled by " + parts.joined(separator: "; ") + "."
  }
}
