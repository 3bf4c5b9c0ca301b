// The intervals of a comparison against 0 and the smallest effect that matters, all on one scale.

import PermissionAnalysis

enum IntervalChart {
  private static let rowHeight = 40.0

  static func draw(_ pairs: [Comparison], on page: inout Markup) {
    let known = pairs.compactMap { pair in pair.headline.map { (pair, $0) } }
    guard let first = known.first?.0 else { return }
    let effect = first.needed.minimumEffect
    let reach = known.map { max(abs($0.1.low), abs($0.1.high)) }.max() ?? 0
    let axis = PointAxis(from: -max(reach, effect) * 1.08, to: max(reach, effect) * 1.08)
    let plot = Plot(
      height: 76 + rowHeight * Double(known.count), left: 14, right: 14, top: 34, bottom: 40, x: axis.low...axis.high,
      y: 0...1
    )
    page.drawing(
      height: plot.height, title: "Difference of the \(first.metricTitle)", description: description(known)
    ) { page in
      page.clipped(to: plot) { page in
        page.series("minimum effect", "neutral") { page in
          let (low, high) = (plot.x(-effect), plot.x(effect))
          page.bar(x: low, y: plot.top, width: high - low, height: plot.bottom - plot.top, "rail")
        }
      }
      plot.xAxis(&page, axis)
      page.label("± " + fixed(effect * 100, 2), x: plot.x(0), y: plot.top - 4, "middle")
      let isRightGood = first.metric.isGoodWhenHigh
      let others = pairs.count == 1 ? ChartName.short(first.b.variant, most: 12) : "the other"
      let control = ChartName.short(first.a.variant, most: 12)
      // Of values that nobody assigned none is better: the signs say which is higher.
      let sides =
        first.isOfMessages
        ? (isRightGood ? control : others, isRightGood ? others : control, "better") : (control, others, "higher")
      page.label("← \(sides.0) \(sides.2)", x: plot.left, y: 12)
      page.label("\(sides.1) \(sides.2) →", x: plot.right, y: 12, "end")
      page.label(
        "difference in points; shaded: too small to matter", x: Plot.width / 2, y: plot.bottom + 32, "middle")
      for (i, (pair, interval)) in known.enumerated() {
        let y = plot.top + 26 + rowHeight * Double(i)
        page.clipped(to: plot) { draw(interval, pair.b.variant, y, plot, on: &$0) }
        if pairs.count > 1 { page.label(ChartName.short(pair.b.variant, most: 28), x: plot.left, y: y - 12, "strong") }
      }
    }
  }

  private static func draw(
    _ interval: Comparison.Headline, _ name: String, _ y: Double, _ plot: Plot, on page: inout Markup
  ) {
    let (low, high) = (plot.x(interval.low), plot.x(interval.high))
    // That of a single look decides nothing.
    let isOfRule = interval.kind != .oneLook
    page.series(name, isOfRule ? "granted" : "neutral") { page in
      page.line(x1: low, y1: y, x2: high, y2: y, isOfRule ? "line" : "line dashed")
      for x in [low, high] { page.line(x1: x, y1: y - 6, x2: x, y2: y + 6, "line") }
      page.point(.circle, x: plot.x(interval.value), y: y, size: 5.5, "dot")
    }
  }

  private static func description(_ known: [(Comparison, Comparison.Headline)]) -> String {
    known.map { pair, interval in
      "\(pair.b.variant) against \(pair.a.variant): \(ComparisonWords.points(interval.value)) points, "
        + "\(ComparisonWords.headline(pair)) \(ComparisonWords.range(interval.low, interval.high)); the smallest effect "
        + "that matters is ± \(fixed(pair.needed.minimumEffect * 100, 2)) points."
    }.joined(separator: " ")
  }

  /// The same in numbers.
  static func table(_ pairs: [Comparison]) -> Table {
    let isOfMessages = pairs.first?.isOfMessages ?? true
    var table = Table(isOfMessages ? "message" : pairs[0].comparedProperty.name, ["difference", "from", "to", "what"])
    for pair in pairs {
      guard let interval = pair.headline else { continue }
      table.row(
        pair.b.variant,
        [interval.value, interval.low, interval.high].map { TableCell(ComparisonWords.points($0)) }
          + [TableCell(ComparisonWords.headline(pair))])
    }
    return table
  }
}
