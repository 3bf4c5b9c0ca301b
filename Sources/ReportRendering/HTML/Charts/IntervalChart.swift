// The intervals of a comparison against 0 and the smallest effect that matters.

import PermissionAnalysis

enum IntervalChart {
  static func draw(_ pairs: [Comparison], on page: inout Markup) {
    let known = pairs.compactMap { pair in pair.headline.map { (pair, $0) } }
    guard let first = known.first?.0 else { return }
    let effect = first.needed.minimumEffect
    let reach = known.map { max(abs($0.1.low), abs($0.1.high)) }.max() ?? 0
    let axis = PointAxis(from: -max(reach, effect) * 1.08, to: max(reach, effect) * 1.08)
    let plot = Plot(
      height: 66 + 40 * Double(known.count), left: 14, right: 14, top: 24, bottom: 40, x: axis.low...axis.high, y: 0...1
    )
    page.drawing(
      height: plot.height, title: "Difference of the \(first.metricTitle)", description: description(known)
    ) { page in
      let (low, high) = (plot.x(max(-effect, axis.low)), plot.x(min(effect, axis.high)))
      page.bar(x: low, y: plot.top, width: high - low, height: plot.bottom - plot.top, "rail")
      for tick in axis.ticks {
        page.line(x1: plot.x(tick), y1: plot.top, x2: plot.x(tick), y2: plot.bottom, tick == 0 ? "zero" : "grid")
        page.label(axis.text(tick), x: plot.x(tick), y: plot.bottom + 15, "middle")
      }
      let isRightGood = first.metric.isGoodWhenHigh
      let others = pairs.count == 1 ? first.b.variant : "the other"
      page.label("← \(isRightGood ? first.a.variant : others) better", x: plot.left, y: 12)
      page.label("\(isRightGood ? others : first.a.variant) better →", x: plot.right, y: 12, "end")
      page.label("difference in points; shaded: too small to matter", x: Plot.width / 2, y: plot.bottom + 32, "middle")
      for (i, (pair, headline)) in known.enumerated() {
        let y = plot.top + 26 + 40 * Double(i)
        interval(headline, y, plot, on: &page)
        if pairs.count > 1 { page.label(pair.b.variant, x: plot.left, y: y - 12, "strong") }
      }
    }
  }

  private static func interval(_ headline: Comparison.Headline, _ y: Double, _ plot: Plot, on page: inout Markup) {
    let (low, high) = (plot.x(max(headline.low, plot.x.low)), plot.x(min(headline.high, plot.x.high)))
    page.element("g", ["class": headline.kind == .oneLook ? "neutral" : "granted"]) { page in
      page.line(x1: low, y1: y, x2: high, y2: y, headline.kind == .oneLook ? "line dashed" : "line")
      for x in [low, high] { page.line(x1: x, y1: y - 6, x2: x, y2: y + 6, "line") }
      page.point(.circle, x: plot.x(headline.value), y: y, size: 5.5, "dot")
    }
  }

  private static func description(_ known: [(Comparison, Comparison.Headline)]) -> String {
    known.map { pair, headline in
      "\(pair.b.variant) against \(pair.a.variant): \(ComparisonWords.points(headline.value)) points, "
        + "\(ComparisonWords.headline(pair)) \(ComparisonWords.range(headline.low, headline.high)); the smallest effect "
        + "that matters is ± \(fixed(pair.needed.minimumEffect * 100, 2)) points."
    }.joined(separator: " ")
  }
}

/// An axis of differences in points that holds 0, its ends and ticks at numbers that divide well.
struct PointAxis: Sendable {
  let low: Double
  let high: Double
  let ticks: [Double]
  private let decimals: Int

  /// - Parameters:
  ///   - from: what the axis must show at least, a share of 1; cut at −1.
  ///   - to: cut at 1.
  init(from: Double, to: Double) {
    let bottom = from.isFinite ? min(0, max(-1, from)) * 100 : -100
    let top = to.isFinite ? max(0, min(1, to)) * 100 : 100
    let span = max(0.2, top - bottom)
    let step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].first { span / $0 <= 6 } ?? 50
    let count = (low: Int((bottom / step).rounded(.down)), high: max(1, Int((top / step).rounded(.up))))
    ticks = (count.low...count.high).map { Double($0) * step / 100 }
    low = Double(count.low) * step / 100
    high = Double(count.high) * step / 100
    decimals = step < 1 ? 1 : 0
  }

  func text(_ tick: Double) -> String { NumberText.signed(tick * 100, decimals) }
}
