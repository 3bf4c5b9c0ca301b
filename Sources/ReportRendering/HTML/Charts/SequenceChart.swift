// The difference and its always-valid interval, day after day: what a reader would have seen on each of them.

import PermissionAnalysis
import PermissionEvents
import Statistics

enum SequenceChart {
  static func draw(_ c: Comparison, on page: inout Markup) {
    let known = c.series.filter { $0.difference != nil }
    guard let first = known.first?.day, let last = known.last?.day, last > first else {
      return page.element("p", text: "There are fewer than two finished days with users of both messages.")
    }
    let axis = axis(known, c.needed.minimumEffect)
    let plot = Plot(
      height: 232, left: 44, right: 14, top: 10, bottom: 24, x: Double(first)...Double(last), y: axis.low...axis.high)
    page.drawing(
      height: plot.height, title: "Difference day by day, \(c.b.variant) against \(c.a.variant)",
      description: description(known)
    ) { page in
      let effect = (low: max(-c.needed.minimumEffect, axis.low), high: min(c.needed.minimumEffect, axis.high))
      page.bar(
        x: plot.left, y: plot.y(effect.high), width: plot.right - plot.left,
        height: plot.y(effect.low) - plot.y(effect.high), "rail"
      )
      for tick in axis.ticks {
        plot.horizontal(&page, tick, tick == 0 ? "zero" : "grid")
        page.label(axis.text(tick), x: plot.left - 6, y: plot.y(tick) + 4, "end")
      }
      page.label(CivilDate(first).text, x: plot.left, y: plot.bottom + 17)
      page.label(CivilDate(last).text, x: plot.right, y: plot.bottom + 17, "end")
      curve(known, plot, on: &page)
      for look in c.looks?.reached ?? [] { draw(look, plot, on: &page) }
    }
  }

  /// The first intervals are so wide that they would flatten the rest: the later half chooses the scale.
  private static func axis(_ points: [Comparison.SeriesPoint], _ effect: Double) -> PointAxis {
    let later = points.suffix(max(1, (points.count + 1) / 2))
    let bounds =
      later.flatMap { [$0.interval?.low, $0.interval?.high, $0.difference].compactMap { $0 } } + [-effect, effect]
    return PointAxis(from: (bounds.min() ?? 0) * 1.05, to: (bounds.max() ?? 0) * 1.05)
  }

  private static func curve(_ points: [Comparison.SeriesPoint], _ plot: Plot, on page: inout Markup) {
    func y(_ value: Double) -> Double { plot.y(min(plot.y.high, max(plot.y.low, value))) }
    page.element("g", ["class": "granted"]) { page in
      page.band(
        points.compactMap { point in
          point.interval.map { (plot.x(Double(point.day)), y($0.low), y($0.high)) }
        }, "band")
      page.polyline(points.compactMap { p in p.difference.map { (plot.x(Double(p.day)), y($0)) } }, "line")
    }
  }

  private static func draw(_ look: Comparison.Look, _ plot: Plot, on page: inout Markup) {
    func y(_ value: Double) -> Double { plot.y(min(plot.y.high, max(plot.y.low, value))) }
    let x = plot.x(Double(look.day))
    page.element("g", ["class": "neutral"]) { page in
      page.whisker(x: x, from: y(look.low), to: y(look.high), "neutral")
      page.point(.square, x: x, y: y(look.difference), size: 4.5, look.isCrossed ? "dot" : "hollow")
    }
  }

  private static func description(_ points: [Comparison.SeriesPoint]) -> String {
    guard let last = points.last, let difference = last.difference else { return "" }
    let interval = last.interval.map { ", interval \(ComparisonWords.range($0.low, $0.high))" } ?? ", no interval yet"
    let away = points.first { point in point.interval.map { $0.low > 0 || $0.high < 0 } ?? false }
    let crossing =
      away.map { "The interval leaves 0 for the first time on \(CivilDate($0.day).text)." }
      ?? "The interval has held 0 on every day."
    return "On \(CivilDate(last.day).text), after \(NumberText.counted(points.count, "day")): "
      + "\(ComparisonWords.points(difference)) points\(interval). \(crossing)"
  }

  /// All days, for those who want the numbers.
  static func table(_ c: Comparison) -> Table {
    var table = Table("day", ["exposed \(c.a.variant)", "exposed \(c.b.variant)", "difference so far", "always valid"])
    for point in c.series {
      table.row(
        CivilDate(point.day).text,
        [
          TableCell(NumberText.count(point.a.exposed)), TableCell(NumberText.count(point.b.exposed)),
          TableCell(ComparisonWords.points(point.difference)),
          TableCell(point.interval.map { ComparisonWords.range($0.low, $0.high) } ?? "–"),
        ])
    }
    return table
  }
}
