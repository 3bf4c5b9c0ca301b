// The grant rate week by week, with its interval as a band. A week that runs or is cut is a hollow point of its own, and a
// week of a few users an interval without a point.

import PermissionAnalysis
import PermissionEvents

enum GrantRateChart {
  /// The axes that the charts of some groups share.
  struct Axes {
    let rates: ShareAxis
    /// Indexes of weeks.
    let weeks: ClosedRange<Int64>

    /// nil if there is no week.
    init?(_ groups: [RowGroup], _ scope: ReportScope) {
      let rows = groups.flatMap(\.weeks)
      let indexes = scope.groups.flatMap(\.weeks).compactMap { $0.week?.index }
      guard let first = indexes.min(), let last = indexes.max() else { return nil }
      weeks = first...last
      rates = ShareAxis(rates: rows.compactMap { row in row.grants.grantRate.map { ($0, row.grants.base) } })
    }
  }

  static func draw(_ group: RowGroup, _ axes: Axes, _ scope: ReportScope, on page: inout Markup) {
    let (first, last) = (axes.weeks.lowerBound, axes.weeks.upperBound)
    let versions = VersionMarks.marked(scope.report.versions)
    // Days have a place if each week is as wide as the others, its point in the middle.
    let half = versions.isEmpty ? 0 : 0.5
    let room = versions.isEmpty ? 0 : VersionMarks.height
    let plot = Plot(
      height: 200 + room, right: 20, top: 26 + room, bottom: 34,
      x: Double(first) - half...Double(max(first + (versions.isEmpty ? 1 : 0), last)) + half,
      y: axes.rates.low...axes.rates.high)
    let marks = VersionMarks(versions) { day in
      let week = ISOWeek(day: day)
      guard axes.weeks.contains(week.index) else { return nil }
      return plot.x(Double(week.index) + (Double(day - week.firstDay) - 3) / 7)
    }
    // One week alone is in the middle.
    func x(_ index: Int64) -> Double {
      first == last ? (plot.left + plot.right) / 2 : plot.x(Double(index))
    }
    func x(_ row: ReportRow) -> Double { x(row.week?.index ?? first) }
    let counted = group.weeks.filter { $0.grants.base >= Drawable.leastBase }
    let few = group.weeks.filter { (1..<Drawable.leastBase).contains($0.grants.base) }
    let whole = counted.filter { scope.state($0) == nil }
    page.drawing(
      height: plot.height, title: "Grant rate by week, " + RowNames.full(group.all),
      description: description(group, scope) + VersionMarks.description(versions)
    ) { page in
      plot.yAxis(&page, axes.rates)
      weekAxis(axes.weeks, plot, x, on: &page)
      marks.draw(y: plot.top - 14, to: plot.bottom, on: &page)
      page.clipped(to: plot) { page in
        page.series("grant_rate", "granted") { page in
          for row in few { whisker(row, x(row), plot, "faint", on: &page) }
          // More points than these are a string of beads.
          for stretch in stretches(whole) { draw(stretch, x, plot, isDotted: last - first < 27, on: &page) }
          for row in counted where scope.state(row) != nil { drawOpen(row, x(row), plot, on: &page) }
        }
      }
      for row in counted {
        guard let state = scope.state(row), let rate = row.grants.grantRate else { continue }
        page.label(state, x: x(row), y: max(plot.top, plot.y(rate.high ?? rate.value) - 5), "middle")
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
    let rates = stretch.compactMap { row in row.grants.grantRate.map { (x(row), $0) } }
    page.band(
      rates.compactMap { x, rate in
        guard let low = rate.low, let high = rate.high else { return nil }
        return (x, plot.y(low), plot.y(high))
      }, "band")
    page.polyline(rates.map { ($0, plot.y($1.value)) }, "line")
    if stretch.count == 1, let row = stretch.first { whisker(row, x(row), plot, "thin", on: &page) }
    for (x, rate) in rates where isDotted || stretch.count == 1 {
      page.point(.circle, x: x, y: plot.y(rate.value), size: 3.4, "dot")
    }
  }

  private static func whisker(_ row: ReportRow, _ x: Double, _ plot: Plot, _ style: String, on page: inout Markup) {
    guard let low = row.grants.grantRate?.low, let high = row.grants.grantRate?.high else { return }
    page.whisker(x: x, from: plot.y(low), to: plot.y(high), style)
  }

  private static func drawOpen(_ row: ReportRow, _ x: Double, _ plot: Plot, on page: inout Markup) {
    guard let rate = row.grants.grantRate else { return }
    whisker(row, x, plot, "thin dashed", on: &page)
    page.point(.circle, x: x, y: plot.y(rate.value), size: 3.8, "hollow")
  }

  /// A tick for every week that has room, labelled without the year but for the first and each new year.
  private static func weekAxis(
    _ weeks: ClosedRange<Int64>, _ plot: Plot, _ x: (Int64) -> Double, on page: inout Markup
  ) {
    let labelled = Plot.labelled(weeks.count, most: 7)
    var year = ""
    for (i, index) in weeks.enumerated() where labelled.contains(i) {
      let parts = ISOWeek(index: index).text.split(separator: "-")
      plot.xTick(&page, Double(index), parts.last.map(String.init) ?? "", at: x(index))
      if let first = parts.first, first != year {
        year = String(first)
        page.label(year, x: x(index), y: plot.bottom + 28, "middle")
      }
    }
  }

  private static func description(_ group: RowGroup, _ scope: ReportScope) -> String {
    let known = group.weeks.filter { scope.state($0) == nil && $0.grants.base >= Drawable.leastBase }
      .compactMap { row in row.grants.grantRate.flatMap { rate in row.week.map { ($0.text, rate) } } }
    guard let first = known.first, let last = known.last else {
      return
        "No complete week has \(Drawable.leastBase) users or more with an outcome. All weeks are in the table below."
    }
    let values = known.map(\.1.value)
    let interval = NumberText.interval(last.1).map { ", 95\u{A0}% interval \($0)" } ?? ""
    return "From \(NumberText.percent(first.1.value)) in \(first.0) to \(NumberText.percent(last.1.value)) in \(last.0)"
      + interval + "; lowest \(NumberText.percent(values.min() ?? 0)), highest \(NumberText.percent(values.max() ?? 0))"
      + " over " + NumberText.counted(known.count, "complete week") + ". All weeks are in the table below."
  }
}
