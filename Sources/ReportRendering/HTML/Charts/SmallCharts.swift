// Charts in a cell of a table: reach as one bar, a line of the last weeks. The numbers are next to them.

import PermissionAnalysis
import PermissionEvents

enum ReachBar {
  /// What the parts are called and how they look, in the order of the bar.
  static let parts: [(name: String, style: String, count: @Sendable (ReachRow) -> Int)] = [
    ("on", "granted fill", { $0.on }), ("partial", "stripes", { $0.partial }), ("off", "denied fill", { $0.off }),
    ("restricted", "restricted fill", { $0.restricted }), ("undecided", "dropped fill", { $0.undecided }),
    ("never asked", "track", { $0.neverAsked }),
  ]

  /// Of a few users nothing is drawn.
  static func draw(_ row: ReachRow, on page: inout Markup) {
    guard row.activeUsers >= Drawable.leastBase else { return page.text("too few to draw") }
    let scale = Scale(low: 0, high: Double(row.activeUsers), start: 0, end: 320)
    page.ornament(width: 320, height: 14) { page in
      page.bar(x: 0, y: 1, width: 320, height: 12, "track")
      var before = 0
      for part in parts where part.count(row) > 0 && part.style != "track" {
        let start = scale(Double(before))
        before += part.count(row)
        page.series(part.name, "part") { page in
          page.element("title", text: "\(part.name): \(NumberText.count(part.count(row)))")
          page.bar(x: start, y: 1, width: scale(Double(before)) - start - 0.4, height: 12, part.style)
        }
      }
    }
  }

  static func legend(on page: inout Markup) {
    page.legend(parts.map(\.name)) { $0.bar(x: 0.5, y: 0.5, width: 23, height: 11, parts[$1].style) }
  }
}

extension Sparklines {
  /// A drawn column, all its lines on one scale, which its title names. Nil if there is no data.
  var cells: Block.MoreCells? {
    let known = drawn.flatMap { $0 }.compactMap { $0 }
    guard !weeks.isEmpty, !known.isEmpty else { return nil }
    let axis = ChartAxis(known, leastSpan: 0.2)
    let title = "\(title), \(axis.text(axis.low)) to \(axis.text(axis.high))"
    return Block.MoreCells(title, drawn, isWide: false) { Self.draw($1, axis, on: &$0) }
  }

  private static func draw(_ shares: [Double?], _ axis: ChartAxis, on page: inout Markup) {
    guard shares.count > 1, shares.contains(where: { $0 != nil }) else { return }
    let x = Scale(low: 0, high: Double(shares.count - 1), start: 4, end: 116)
    let y = Scale(low: axis.low, high: axis.high, start: 24, end: 4)
    page.ornament(width: 120, height: 28) { page in
      page.series("grant_rate", "granted") { page in
        for stretch in shares.indices.stretches({ i in shares[i].map { (x: x(Double(i)), y: y($0)) } }) {
          page.polyline(stretch, "line")
          if stretch.count == 1 { page.point(.circle, x: stretch[0].x, y: stretch[0].y, size: 2, "fill") }
        }
        if let last = shares.last.flatMap({ $0 }) {
          page.point(.circle, x: x(Double(shares.count - 1)), y: y(last), size: 3, "dot")
        }
      }
    }
  }
}

// MARK: The way from the first screen to the grant, and where people leave it: each line begins where the one above ends

enum FunnelChart {
  /// A line of the funnel: its name, and its part of the base.
  struct Line {
    var name: String
    var count: Int
    var style: String
    /// How many of the base are to the left of the bar.
    var before = 0
    /// Whether these users leave.
    var isExit = false
  }

  private static let axis = ChartAxis([0, 1], startsAtZero: true)
  private static let lineHeight = 27.0

  /// Whether the log has all that the lines say. An app may well have no explanations.
  static func isKnown(_ row: ReportRow) -> Bool {
    let steps = row.steps
    return steps.knownPrompt != nil && steps.answered(0) != nil
      && (steps.knownExplanation != nil || steps.explanation.shown == 0)
  }

  static func draw(_ row: ReportRow, on page: inout Markup) {
    let lines = lines(row)
    let plot = Plot(
      height: Double(lines.count) * lineHeight + 24, left: 0, right: 0, top: 0, bottom: 20, x: axis.low...axis.high,
      y: 0...1)
    let description = lines.map { "\($0.name): \(part($0, row))" }.joined(separator: "; ") + "."
    page.drawing(
      height: plot.height, title: "From the first screen to the grant, " + RowNames.titles.full(row),
      description: description
    ) { page in
      // Shares of the base: bars begin at 0, and the axis ends at all of it.
      for tick in axis.ticks {
        let alignment = tick == axis.low ? "" : tick == axis.high ? "end" : "middle"
        plot.xTick(&page, tick, axis.text(tick), place: alignment)
      }
      let base = Double(max(1, row.grants.base))
      for (i, line) in lines.enumerated() {
        let y = Double(i) * lineHeight + 14
        page.label((line.isExit ? "↳ " : "") + line.name, x: line.isExit ? 10 : 0, y: y, line.isExit ? "" : "strong")
        page.label(part(line, row), x: Plot.width, y: y, line.isExit ? "end" : "end strong")
        page.bar(x: 0, y: y + 4, width: Plot.width, height: 6, "rail", radius: 1.5)
        guard line.count > 0 else { continue }
        let start = plot.x(Double(line.before) / base)
        let end = plot.x(Double(line.before + line.count) / base)
        page.series(line.name, line.style) { page in
          page.element("title", text: "\(line.name): \(part(line, row))")
          page.bar(x: start, y: y + 4, width: end - start, height: 6, "fill")
        }
      }
    }
  }

  private static func part(_ line: Line, _ row: ReportRow) -> String {
    NumberText.count(line.count) + " · " + NumberText.percent(Double(line.count) / Double(max(1, row.grants.base)))
  }

  static func lines(_ row: ReportRow) -> [Line] {
    let (explanation, prompt) = (row.steps.explanation, row.steps.prompt)
    var lines: [Line] = []
    var left = row.grants.base
    func exit(_ name: String, _ count: Int, _ style: String) {
      left -= count
      lines.append(Line(name: name, count: count, style: style, before: left, isExit: true))
    }
    let first =
      explanation.shown == 0
      ? "Saw the system's prompt" : explanation.shown == row.grants.base ? "Saw the explanation" : "Saw a first screen"
    lines.append(Line(name: first, count: row.grants.base, style: "neutral"))
    if explanation.shown > 0 {
      exit("skipped at the explanation", explanation.skipped, "skipped")
      exit("no answer at the explanation", explanation.dropped, "dropped")
      let unseen = explanation.answered > 0 ? " (\(NumberText.count(explanation.answered)) not recorded)" : ""
      lines.append(Line(name: "Came to the system's prompt" + unseen, count: left, style: "neutral"))
    }
    exit("denied", row.grants.denied, "denied")
    if prompt.skipped > 0 { exit("skipped at the prompt", prompt.skipped, "skipped") }
    exit("no answer at the prompt", prompt.dropped, "dropped")
    lines.append(Line(name: "Granted", count: row.grants.granted, style: "granted"))
    return lines
  }
}

// MARK: The intervals of a comparison against 0 and the smallest effect that matters, all on one scale

enum IntervalChart {
  private static let rowHeight = 40.0

  static func draw(_ pairs: [Comparison], width: Double, on page: inout Markup) {
    let known = pairs.compactMap { pair in pair.headline.map { (pair, $0) } }
    guard let first = known.first?.0 else { return }
    let effect = first.needed.minimumEffect
    let reach = known.map { max(abs($0.1.low), abs($0.1.high)) }.max() ?? 0
    let axis = ChartAxis(from: -max(reach, effect) * 1.08, to: max(reach, effect) * 1.08)
    let plot = Plot(
      width: width, height: 76 + rowHeight * Double(known.count), left: 14, right: 14, top: 34, bottom: 40,
      x: axis.low...axis.high,
      y: 0...1
    )
    page.drawing(
      width: width, height: plot.height, title: "Difference of \(first.noun(first.metric))",
      description: description(known)
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
      // Values of a property are not assigned, so none is better: the arrows show which is higher.
      let sides =
        first.isOfMessages
        ? (isRightGood ? control : others, isRightGood ? others : control, "better") : (control, others, "higher")
      page.label("← \(sides.0) \(sides.2)", x: plot.left, y: 12)
      page.label("\(sides.1) \(sides.2) →", x: plot.right, y: 12, "end")
      page.label(
        "difference in points; shaded: too small to matter", x: width / 2, y: plot.bottom + 32, "middle")
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
      page.element(
        "title",
        text:
          "\(name): \(Sentence.points(interval.value)) points, \(ComparisonWords.range(interval.low, interval.high))")
      page.bar(x: low, y: y - 8, width: high - low, height: 16, "hit")
      page.line(x1: low, y1: y, x2: high, y2: y, isOfRule ? "line" : "line dashed")
      for x in [low, high] { page.line(x1: x, y1: y - 6, x2: x, y2: y + 6, "line") }
      page.point(.circle, x: plot.x(interval.value), y: y, size: 5.5, "dot")
    }
  }

  private static func description(_ known: [(Comparison, Comparison.Headline)]) -> String {
    known.map { pair, interval in
      "\(pair.b.variant) against \(pair.a.variant): \(Sentence.points(interval.value)) points, "
        + "\(ComparisonWords.headline(pair)) \(ComparisonWords.range(interval.low, interval.high)); the smallest effect "
        + "that matters is ± \(fixed(pair.needed.minimumEffect * 100, 2)) points."
    }.joined(separator: " ")
  }

  static func table(_ pairs: [Comparison]) -> Table {
    let isOfMessages = pairs.first?.isOfMessages ?? true
    var table = Table(isOfMessages ? "message" : pairs[0].comparedProperty.name, ["difference", "from", "to", "what"])
    for pair in pairs {
      guard let interval = pair.headline else { continue }
      table.row(
        pair.b.variant,
        [interval.value, interval.low, interval.high].map { TableCell(Sentence.points($0)) }
          + [TableCell(ComparisonWords.headline(pair))])
    }
    return table
  }
}

// MARK: A grant rate and its interval in a cell of a table, all of a column on one scale
// The numbers are next to it.

struct RateCells {
  private let axis: ChartAxis

  init(_ rates: [(rate: Estimate, base: Int)]) { axis = ChartAxis(rates: rates) }

  var title: String { "\(axis.text(axis.low)) to \(axis.text(axis.high))" }

  /// - Parameter isBest: set off from the others by its shape too.
  func draw(_ rate: Estimate, base: Int, isBest: Bool, on page: inout Markup) {
    let x = Scale(low: axis.low, high: axis.high, start: 8, end: 312)
    func position(_ share: Double) -> Double { x(min(axis.high, max(axis.low, share))) }
    page.ornament(width: 320, height: 16) { page in
      page.bar(x: 0, y: 7, width: 320, height: 2, "track")
      page.series("value.grant_rate", isBest ? "granted" : "neutral") { page in
        if base >= Drawable.leastBase { page.element("title", text: NumberText.rate(rate, " ")) }
        if let low = rate.low, let high = rate.high {
          page.line(x1: position(low), y1: 8, x2: position(high), y2: 8, "line")
        }
        // A share of a few users is chance: only its interval is drawn.
        if base >= Drawable.leastBase {
          page.point(isBest ? .diamond : .circle, x: position(rate.value), y: 8, size: 4, "dot")
        }
      }
    }
  }
}
