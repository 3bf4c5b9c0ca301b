// The difference day after day with the interval of the rule that decides, and the always-valid one beside it: what a
// reader would have seen on each of them.

import PermissionAnalysis
import PermissionEvents
import Statistics

enum SequenceChart {
  /// - Parameter height: of the drawing, which is `Plot.width` wide.
  static func draw(_ c: Comparison, height: Double = 232, on page: inout Markup) {
    let known = c.series.filter { $0.difference != nil }
    guard let first = known.first?.day, let last = known.last?.day, last > first else {
      return page.element("p", text: "There are fewer than two finished days with users of both messages.")
    }
    let axis = axis(known, c.needed.minimumEffect)
    let plot = Plot(
      height: height, left: 44, right: 14, top: 22, bottom: 24, x: Double(first)...Double(last), y: axis.low...axis.high
    )
    page.drawing(
      height: plot.height, title: "Difference day by day, \(c.b.variant) against \(c.a.variant)",
      description: description(c, known)
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
      // Early intervals reach beyond the scale: what is outside is cut off, not drawn along the edge.
      page.clipped(to: plot) { page in
        curves(known, plot, on: &page)
        if c.monitoring.declared != nil { for look in c.monitoring.looks { draw(look, plot, on: &page) } }
      }
      if let day = c.decidedOn, (first...last).contains(day) { decision(c, day, plot, on: &page) }
    }
  }

  /// The first intervals are so wide that they would flatten the rest: the later half chooses the scale.
  private static func axis(_ points: [Comparison.SeriesPoint], _ effect: Double) -> PointAxis {
    let later = points.suffix(max(1, (points.count + 1) / 2))
    let bounds =
      later.flatMap { point in
        [
          point.look?.estimate.low ?? point.interval?.low, point.look?.estimate.high ?? point.interval?.high,
          point.difference,
        ]
        .compactMap { $0 }
      } + [-effect, effect]
    return PointAxis(from: (bounds.min() ?? 0) * 1.05, to: (bounds.max() ?? 0) * 1.05)
  }

  private static func curves(_ points: [Comparison.SeriesPoint], _ plot: Plot, on page: inout Markup) {
    page.element("g", ["class": "neutral"]) { page in
      for end in [\Interval.low, \.high] {
        page.polyline(
          points.compactMap { point in point.interval.map { (plot.x(Double(point.day)), plot.y($0[keyPath: end])) } },
          "line thin dashed")
      }
    }
    let looks = points.compactMap { point -> (x: Double, low: Double, high: Double)? in
      guard let low = point.look?.estimate.low, let high = point.look?.estimate.high else { return nil }
      return (plot.x(Double(point.day)), plot.y(low), plot.y(high))
    }
    page.element("g", ["class": "granted"]) { page in
      page.band(looks, "band")
      // One look alone spans no area.
      if looks.count == 1 { page.whisker(x: looks[0].x, from: looks[0].low, to: looks[0].high, "line") }
      page.polyline(points.compactMap { p in p.difference.map { (plot.x(Double(p.day)), plot.y($0)) } }, "line")
    }
  }

  private static func draw(_ look: Comparison.Look, _ plot: Plot, on page: inout Markup) {
    let x = plot.x(Double(look.day))
    page.element("g", ["class": "neutral"]) { page in
      if let low = look.estimate.low, let high = look.estimate.high {
        page.whisker(x: x, from: plot.y(low), to: plot.y(high), "neutral")
      }
      page.point(.square, x: x, y: plot.y(look.estimate.value), size: 4.5, look.isCrossed ? "dot" : "hollow")
    }
  }

  /// The day that decided, its label on the side that has room.
  private static func decision(_ c: Comparison, _ day: DayNumber, _ plot: Plot, on page: inout Markup) {
    let x = plot.x(Double(day))
    page.line(x1: x, y1: plot.top, x2: x, y2: plot.bottom, "median")
    let isLeft = x > (plot.left + plot.right) / 2
    page.label(
      "decided on \(CivilDate(day).text)", x: x, y: plot.top - 7, isLeft ? "strong end" : "strong")
  }

  private static func description(_ c: Comparison, _ points: [Comparison.SeriesPoint]) -> String {
    guard let last = points.last, let difference = last.difference else { return "" }
    let estimate = last.look?.estimate ?? c.monitoring.now
    let interval =
      estimate.map { ", interval of the \(ComparisonWords.rule(c)) \(ComparisonWords.range($0))" } ?? ", no look yet"
    let decided =
      c.decidedOn.map { "It was decided on \(ComparisonWords.day($0, c.decidedDay ?? 0))." } ?? "Nothing is decided."
    return "On \(CivilDate(last.day).text), after \(NumberText.counted(points.count, "day")): "
      + "\(ComparisonWords.points(difference)) points\(interval). \(decided)"
  }

  /// All days, for those who want the numbers.
  static func table(_ c: Comparison) -> Table {
    var table = Table(
      "day",
      [
        "users \(c.a.variant)", "users \(c.b.variant)", "difference so far", "interval of the rule", "z", "bound",
        "always valid",
      ])
    var (a, b) = (0, 0)
    for point in c.series {
      a += point.a.trials
      b += point.b.trials
      table.row(
        CivilDate(point.day).text + (point.day == c.decidedOn ? ", decided" : ""),
        [
          NumberText.count(a), NumberText.count(b), ComparisonWords.points(point.difference),
          point.look.map { ComparisonWords.range($0.estimate) } ?? "–",
          point.look?.z.map { NumberText.signed($0, 2) } ?? "–", point.look.map { bound($0) } ?? "–",
          point.interval.map { ComparisonWords.range($0.low, $0.high) } ?? "–",
        ].map { TableCell($0) })
    }
    return table
  }

  private static func bound(_ look: Comparison.Look) -> String {
    switch look.boundary {
    case .score(let bound): fixed(bound, 2)
    case .events(let lower, let upper): "\(look.b.successes): \(ComparisonNumbers.events(lower, upper))"
    case .interval: "–"
    }
  }
}
