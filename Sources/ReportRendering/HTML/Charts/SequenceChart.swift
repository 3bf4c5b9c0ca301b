// The difference day after day with the interval of the rule that decides, and the always-valid interval: what a
// reader would have seen on each day.

import PermissionAnalysis
import PermissionEvents
import Statistics

enum SequenceChart {
  /// A chart of each pair with its numbers, all with the same axes.
  /// - Parameters:
  ///   - versions: of the app, that first appear on the days drawn or before.
  ///   - height: of a drawing, which is `Plot.width` wide; with versions it is higher by the row of their names.
  static func figures(
    _ pairs: [Comparison], _ versions: [VersionAppearance] = [], isLarge: Bool = false, height: Double = 246,
    on page: inout Markup
  ) {
    let axes = Axes(pairs)
    page.element("div", isLarge ? [:] : ["class": "panels"]) { page in
      for pair in pairs {
        page.element("figure", isLarge ? ["class": "large"] : [:]) { page in
          page.element("h3") { $0.name(pair.versus) }
          if isLarge {
            page.broadFigure { draw(pair, axes, versions, width: $1, height, on: &$0) }
          } else {
            draw(pair, axes, versions, width: Plot.width, height, on: &page)
          }
          if let axes, let beyond = beyond(drawn(pair), axes.points) { page.write(.note(beyond)) }
          page.numbers(table(pair), "Day by day, in points")
        }
      }
    }
  }

  /// - Parameter axes: nil if there is no day.
  private static func draw(
    _ c: Comparison, _ axes: Axes?, _ versions: [VersionAppearance], width: Double, _ height: Double,
    on page: inout Markup
  ) {
    let points = drawn(c)
    guard let axes, points.contains(where: { $0.difference != nil }) else {
      return page.element("p", text: "No finished day has an interval yet, so there is no chart.")
    }
    let axis = axes.points
    let versions = VersionMarks.marked(versions)
    let shown = versions.filter { axes.days.contains($0.firstDay) }
    let room = shown.isEmpty ? 0 : VersionMarks.height
    let plot = Plot(
      width: width, height: height + room, left: 44, right: 14, top: 22 + room, bottom: 38,
      x: Double(axes.days.lowerBound)...Double(axes.days.upperBound), y: axis.low...axis.high)
    page.drawing(
      width: width, height: plot.height,
      title: "Difference day by day, \(c.versus)",
      description: description(c, Array(points)) + VersionMarks.description(versions)
    ) { page in
      let effect = c.needed.minimumEffect
      page.clipped(to: plot) { page in
        page.series("minimum effect", "neutral") { page in
          page.bar(
            x: plot.left, y: plot.y(effect), width: plot.right - plot.left, height: plot.y(-effect) - plot.y(effect),
            "rail")
        }
      }
      plot.yAxis(&page, axis)
      dayAxis(axes.days, plot, on: &page)
      VersionMarks(shown, to: width) { plot.x(Double($0)) }.draw(y: plot.top - 7, to: plot.bottom, on: &page)
      // Early intervals reach beyond the scale: what is outside is cut off, not drawn along the edge.
      page.clipped(to: plot) { page in
        curves(Array(points), isDeclared: c.monitoring.declared != nil, plot, on: &page)
        if c.monitoring.declared != nil { for look in c.monitoring.looks { draw(look, plot, on: &page) } }
        if c.monitoring.crossing == nil, let none = c.monitoring.noDifference { draw(none, plot, on: &page) }
      }
      page.hover(points.map { (plot.x(Double($0.day)), words($0)) }, in: plot)
      page.label(
        "difference in points; shaded: ± \(fixed(effect * 100, 2)), too small to matter", x: width / 2,
        y: plot.bottom + 32, "middle")
      if let day = c.decidedOn, axes.days.contains(day) { decision(c, day, plot, y: 15, on: &page) }
    }
  }

  /// A day's values, for a pointer over it.
  private static func words(_ point: Comparison.SeriesPoint) -> String {
    let interval = point.look.map { ", interval of the rule \(ComparisonWords.range($0.estimate))" } ?? ""
    return "\(CivilDate(point.day).text): \(Sentence.points(point.difference)) points\(interval)"
  }

  // MARK: Lines and bands, each as far as it is known without a gap

  private static func curves(
    _ points: [Comparison.SeriesPoint], isDeclared: Bool, _ plot: Plot, on page: inout Markup
  ) {
    func x(_ point: Comparison.SeriesPoint) -> Double { plot.x(Double(point.day)) }
    for (end, name) in [(\Interval.low, "always valid, low"), (\.high, "always valid, high")] {
      page.series(name, "neutral") { page in
        for line in points.stretches({ point in point.interval.map { (x: x(point), y: plot.y($0[keyPath: end])) } }) {
          page.polyline(line, "line thin dashed")
        }
      }
    }
    if !isDeclared {
      page.series("rule", "granted") { page in
        for looks in points.stretches({ point in ruleBounds(point).map { (x(point), $0) } }) {
          page.band(looks.map { ($0, plot.y($1.low), plot.y($1.high)) }, "band")
          // One look alone spans no area.
          if looks.count == 1 { page.whisker(x: looks[0].0, looks[0].1, plot.y) }
        }
      }
    }
    page.series("difference", "granted") { page in
      for line in points.stretches({ point in point.difference.map { (x: x(point), y: plot.y($0)) } }) {
        page.polyline(line, "line")
        if line.count == 1 { page.point(.circle, x: line[0].x, y: line[0].y, size: 3, "dot") }
      }
    }
  }

  static func ruleBounds(_ point: Comparison.SeriesPoint) -> (low: Double, high: Double)? { point.look?.estimate.ends }

  private static func draw(_ look: Comparison.Look, _ plot: Plot, on page: inout Markup) {
    let x = plot.x(Double(look.day))
    page.series("look", "neutral") { page in
      page.whisker(x: x, look.estimate.ends, plot.y)
      page.point(.square, x: x, y: plot.y(look.estimate.value), size: 4.5, look.isCrossed ? "dot" : "hollow")
    }
  }

  private static func draw(_ none: Comparison.NoDifference, _ plot: Plot, on page: inout Markup) {
    let x = plot.x(Double(none.day))
    page.series("no difference", "granted") { page in
      page.whisker(x: x, (none.low, none.high), plot.y, "line")
      for end in [none.low, none.high] { page.line(x1: x - 5, y1: plot.y(end), x2: x + 5, y2: plot.y(end), "line") }
    }
  }

  /// The day that decided, its label on the side that has room.
  private static func decision(_ c: Comparison, _ day: DayNumber, _ plot: Plot, y: Double, on page: inout Markup) {
    let x = plot.x(Double(day))
    page.series("decision", "neutral") { $0.line(x1: x, y1: plot.top, x2: x, y2: plot.bottom, "median") }
    let isLeft = x > (plot.left + plot.right) / 2
    page.label(
      "\(c.isOfMessages ? "decided" : "found") on \(CivilDate(day).text)", x: x, y: y, isLeft ? "strong end" : "strong")
  }

  private static func description(_ c: Comparison, _ points: [Comparison.SeriesPoint]) -> String {
    guard let last = points.last(where: { $0.difference != nil }), let difference = last.difference else { return "" }
    let estimate = last.look?.estimate ?? c.monitoring.now
    let interval =
      estimate.map { ", interval of the \(ComparisonWords.rule(c)) \(ComparisonWords.range($0))" } ?? ", no look yet"
    let decided =
      c.decidedOn.map {
        "It was \(c.isOfMessages ? "decided" : "found") on \(ComparisonWords.day($0, c.decidedDay ?? 0))."
      } ?? "Nothing is \(c.isOfMessages ? "decided" : "found")."
    return "On \(CivilDate(last.day).text), after \(NumberText.counted(c.series.count, "day")): "
      + "\(Sentence.points(difference)) points\(interval). \(decided)"
  }

  // MARK: The range of the chart: its days, its scale, and the values outside

  struct Axes {
    let days: ClosedRange<DayNumber>
    let points: ChartAxis

    /// nil if there is no day.
    init?(_ pairs: [Comparison]) {
      let known = pairs.map(SequenceChart.drawn)
      let days = known.joined().map(\.day)
      guard let first = days.min(), let last = days.max() else { return nil }
      // A day alone is in the middle.
      self.days = first == last ? first - 1...last + 1 : first...last
      let effect = pairs.first?.needed.minimumEffect ?? 0
      let bounds = pairs.flatMap(SequenceChart.fitted) + [-effect, effect]
      points = ChartAxis(from: (bounds.min() ?? 0) * 1.05, to: (bounds.max() ?? 0) * 1.05)
    }
  }

  /// The days from the first interval of the rule on, because a difference without one means nothing. From the first
  /// always-valid interval, if the rule has none or only some declared looks.
  static func drawn(_ c: Comparison) -> ArraySlice<Comparison.SeriesPoint> {
    let first = c.series.firstIndex { $0.look?.estimate.low != nil }
    let other = c.series.firstIndex { $0.interval != nil }
    guard let start = c.monitoring.declared == nil ? first ?? other : [first, other].compactMap({ $0 }).min() else {
      return []
    }
    return c.series[start...]
  }

  /// The values that the scale covers. The first intervals are so wide that they would flatten the rest. So the
  /// later half of the days sets the scale, without intervals much wider than the last. The day of the decision is
  /// always covered.
  private static func fitted(_ c: Comparison) -> [Double] {
    let points = drawn(c)
    let later = points.suffix(max(1, (points.count + 1) / 2))
    let intervals = later.compactMap { point -> (low: Double, high: Double)? in
      ruleBounds(point) ?? point.interval.map { ($0.low, $0.high) }
    }
    let widest = 2.5 * (intervals.last.map { $0.high - $0.low } ?? 0)
    let decision = points.first { $0.day == c.decidedOn }
    return later.compactMap(\.difference)
      + intervals.filter { $0.high - $0.low <= widest }.flatMap { [$0.low, $0.high] }
      + [decision?.difference, decision.flatMap(ruleBounds)?.low, decision.flatMap(ruleBounds)?.high].compactMap { $0 }
  }

  /// The first, the middle and the last day.
  static func dayAxis(_ days: ClosedRange<DayNumber>, _ plot: Plot, on page: inout Markup) {
    let (first, last) = (days.lowerBound, days.upperBound)
    plot.xTick(&page, Double(first), CivilDate(first).text, place: "")
    if last - first >= 8 || last - first == 2 {
      let middle = first + (last - first) / 2
      plot.xTick(&page, Double(middle), CivilDate(middle).text)
    }
    plot.xTick(&page, Double(last), CivilDate(last).text, place: "end")
  }

  static func beyond(_ points: ArraySlice<Comparison.SeriesPoint>, _ axis: ChartAxis) -> String? {
    let all = points.flatMap { point in
      [
        point.difference, point.look?.estimate.low, point.look?.estimate.high, point.interval?.low,
        point.interval?.high,
      ]
      .compactMap { $0 }
    }
    guard let low = all.min(), let high = all.max(), low < axis.low || high > axis.high else { return nil }
    return "The axis fits the later days. Values beyond it are cut off: the earlier values and intervals go from "
      + "\(Sentence.points(low)) to \(Sentence.points(high)) points."
  }

  // MARK: The days of a comparison in numbers, below their chart

  static func table(_ c: Comparison) -> Table {
    var table = Table(
      "day",
      [
        "users \(ChartName.short(c.a.variant))", "users \(ChartName.short(c.b.variant))", "difference so far",
        "interval of the rule", "z", "bound", "always valid",
      ])
    var (a, b) = (0, 0)
    for point in c.series {
      a += point.a.trials
      b += point.b.trials
      table.row(
        CivilDate(point.day).text + (point.day == c.decidedOn ? (c.isOfMessages ? ", decided" : ", found") : ""),
        [
          NumberText.count(a), NumberText.count(b), Sentence.points(point.difference),
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
