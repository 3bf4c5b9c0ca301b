// The grant rate week by week, with its interval as a band. A week that runs or is cut is an open point of its own.

import PermissionAnalysis
import PermissionEvents

enum GrantRateChart {
  static func draw(_ group: RowGroup, _ scope: ReportScope, on page: inout Markup) {
    let indexes = scope.groups.flatMap(\.weeks).compactMap { $0.week?.index }
    guard let first = indexes.min(), let last = indexes.max() else { return }
    let span = Double(max(1, last - first))
    let plot = Plot(height: 200, right: 20, top: 26, bottom: 34, x: 0...span, y: 0...1)
    func x(_ row: ReportRow) -> Double {
      first == last ? (plot.left + plot.right) / 2 : plot.x(Double((row.week?.index ?? first) - first))
    }
    page.drawing(
      height: plot.height, title: "Grant rate by week, " + RowNames.full(group.all),
      description: description(group, scope)
    ) { page in
      plot.shareAxis(&page)
      weekAxis(first...last, plot, on: &page)
      let whole = group.weeks.filter { scope.state($0) == nil && $0.grants.grantRate != nil }
      // More points than these are a string of beads.
      for stretch in stretches(whole) { draw(stretch, x, plot, isDotted: last - first < 27, on: &page) }
      for row in group.weeks where scope.state(row) != nil {
        drawOpen(row, x(row), plot, scope.state(row) ?? "", on: &page)
      }
      for row in whole where row.trend?.isSignificant == true {
        let isDown = (row.trend?.change?.value ?? 0) < 0
        let y = plot.y(row.grants.grantRate?.high ?? row.grants.grantRate?.value ?? 0) - 6
        page.label(isDown ? "▼" : "▲", x: x(row), y: max(plot.top, y), isDown ? "bad middle" : "good middle")
      }
      if let row = whole.last, let rate = row.grants.grantRate {
        let name = row.week.map { " in " + $0.text } ?? ""
        page.label(NumberText.percent(rate.value) + name, x: Plot.width, y: 10, "end strong")
      }
    }
  }

  /// Weeks that follow one another without a gap.
  private static func stretches(_ rows: [ReportRow]) -> [[ReportRow]] {
    var stretches: [[ReportRow]] = []
    for row in rows {
      if let last = stretches.last?.last?.week?.index, row.week?.index == last + 1 {
        stretches[stretches.count - 1].append(row)
      } else {
        stretches.append([row])
      }
    }
    return stretches
  }

  private static func draw(
    _ stretch: [ReportRow], _ x: (ReportRow) -> Double, _ plot: Plot, isDotted: Bool, on page: inout Markup
  ) {
    page.element("g", ["class": "granted"]) { page in
      let rates = stretch.compactMap { row in row.grants.grantRate.map { (x(row), $0) } }
      page.band(
        rates.compactMap { x, rate in
          guard let low = rate.low, let high = rate.high else { return nil }
          return (x, plot.y(low), plot.y(high))
        }, "band")
      page.polyline(rates.map { ($0, plot.y($1.value)) }, "line")
      for (x, rate) in rates where isDotted || stretch.count == 1 {
        if stretch.count == 1, let low = rate.low, let high = rate.high {
          page.whisker(x: x, from: plot.y(low), to: plot.y(high), "granted")
        }
        page.point(.circle, x: x, y: plot.y(rate.value), size: 3.4, "dot")
      }
    }
  }

  private static func drawOpen(
    _ row: ReportRow, _ x: Double, _ plot: Plot, _ state: String, on page: inout Markup
  ) {
    guard let rate = row.grants.grantRate else { return }
    page.element("g", ["class": "granted"]) { page in
      if let low = rate.low, let high = rate.high {
        page.whisker(x: x, from: plot.y(low), to: plot.y(high), "dashed")
      }
      page.point(.circle, x: x, y: plot.y(rate.value), size: 3.8, "hollow")
    }
    page.label(state, x: x, y: max(plot.top, plot.y(rate.high ?? rate.value) - 5), "middle")
  }

  /// A tick for every week that has room, labelled without the year but for the first and each new year.
  private static func weekAxis(_ weeks: ClosedRange<Int64>, _ plot: Plot, on page: inout Markup) {
    let all = weeks.map { ISOWeek(index: $0).text }
    let labelled = Plot.labelled(all.count, most: 7)
    var year = ""
    for (i, text) in all.enumerated() where labelled.contains(i) {
      let parts = text.split(separator: "-")
      let x = all.count == 1 ? (plot.left + plot.right) / 2 : plot.x(Double(i))
      page.label(parts.last.map(String.init) ?? text, x: x, y: plot.bottom + 15, "middle")
      if let first = parts.first, first != year {
        year = String(first)
        page.label(year, x: x, y: plot.bottom + 28, "middle")
      }
      page.line(x1: x, y1: plot.bottom, x2: x, y2: plot.bottom + 3, "axis")
    }
  }

  private static func description(_ group: RowGroup, _ scope: ReportScope) -> String {
    let known = group.weeks.filter { scope.state($0) == nil }.compactMap { row in
      row.grants.grantRate.flatMap { rate in row.week.map { ($0.text, rate) } }
    }
    guard let first = known.first, let last = known.last else { return "No complete week has a rate." }
    let values = known.map(\.1.value)
    let interval = NumberText.interval(last.1).map { ", 95\u{A0}% interval \($0)" } ?? ""
    return "From \(NumberText.percent(first.1.value)) in \(first.0) to \(NumberText.percent(last.1.value)) in \(last.0)"
      + interval + "; lowest \(NumberText.percent(values.min() ?? 0)), highest \(NumberText.percent(values.max() ?? 0))"
      + " over " + NumberText.counted(known.count, "complete week") + ". All weeks are in the table below."
  }
}
