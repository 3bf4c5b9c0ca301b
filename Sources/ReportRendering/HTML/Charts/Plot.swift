// The ground of a chart: the area for marks, scales from values to pixels, axes. Ticks carry their values as
// attributes, so a program can read the chart.

import PermissionAnalysis

/// Values to pixels, in proportion.
struct Scale: Sendable {
  var low: Double
  var high: Double
  /// Pixels of `low` and `high`.
  var start: Double
  var end: Double

  func callAsFunction(_ value: Double) -> Double {
    guard high > low else { return start }
    return start + (value - low) / (high - low) * (end - start)
  }
}

/// The marks of a chart within a drawing of a fixed size; the page scales it.
struct Plot {
  static let width = 360.0
  /// Of a drawing that has a page's whole width.
  static let broad = 760.0

  var width: Double
  var height: Double
  var x: Scale
  var y: Scale

  var left: Double { x.start }
  var right: Double { x.end }
  var bottom: Double { y.start }
  var top: Double { y.end }

  init(
    width: Double = Plot.width, height: Double, left: Double = 42, right: Double = 12, top: Double = 12,
    bottom: Double = 24,
    x: ClosedRange<Double>, y: ClosedRange<Double>
  ) {
    self.width = width
    self.height = height
    self.x = Scale(low: x.lowerBound, high: x.upperBound, start: left, end: width - right)
    self.y = Scale(low: y.lowerBound, high: y.upperBound, start: height - bottom, end: top)
  }

  static func px(_ value: Double) -> String {
    let text = fixed(value, 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A value for programs that read the drawing: exact enough for any pixel.
  static func exact(_ value: Double) -> String { fixed(value, 6) }

  func yAxis(_ page: inout Markup, _ axis: ChartAxis) {
    for tick in axis.ticks {
      page.element("g", ["data-y": Self.exact(tick)]) { page in
        let style = tick == 0 ? axis.low < 0 ? "zero" : "axis" : "grid"
        page.line(x1: left, y1: y(tick), x2: right, y2: y(tick), style)
        page.label(axis.text(tick), x: left - 6, y: y(tick) + 4, "end")
      }
    }
  }

  func xAxis(_ page: inout Markup, _ axis: ChartAxis) {
    for tick in axis.ticks {
      xTick(&page, tick, axis.text(tick), from: top, style: tick == 0 ? "zero" : "grid")
    }
  }

  /// A short line below the plot, or one that begins higher up, and its label.
  /// - Parameters:
  ///   - value: the value of the tick.
  ///   - x: its position if the axis is not proportional.
  ///   - place: the alignment of the label, `middle` if it has room.
  func xTick(
    _ page: inout Markup, _ value: Double, _ text: String, at x: Double? = nil, from y1: Double? = nil,
    style: String = "axis", place: String = "middle"
  ) {
    let x = x ?? self.x(value)
    page.element("g", ["data-x": Self.exact(value)]) { page in
      page.line(x1: x, y1: y1 ?? bottom, x2: x, y2: bottom + (y1 == nil ? 3 : 0), style)
      page.label(text, x: x, y: bottom + 15, place)
    }
  }

  /// The ticks to label: every n-th, at most the given number, and always the last.
  static func labelled(_ count: Int, most: Int) -> Set<Int> {
    guard count > 0 else { return [] }
    let step = max(1, (count + most - 1) / most)
    return Set(stride(from: count - 1, through: 0, by: -step))
  }
}

extension Markup {
  mutating func drawing(
    width: Double = Plot.width, height: Double, title: String, description: String, _ body: (inout Markup) -> Void
  ) {
    let (titleID, descriptionID) = (newID(), newID())
    element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Plot.px(width)) \(Plot.px(height))", "role": "img",
        "aria-labelledby": titleID + " " + descriptionID,
      ]
    ) { page in
      page.element("title", ["id": titleID], text: title)
      page.element("desc", ["id": descriptionID], text: description)
      body(&page)
    }
  }

  /// A figure of the page's whole width. It is drawn twice, and the page shows the drawing that has its width: letters are as large in both.
  mutating func broadFigure(_ draw: (inout Markup, _ width: Double) -> Void) {
    element("div", ["class": "narrow"]) { draw(&$0, Plot.width) }
    element("div", ["class": "broad"]) { draw(&$0, Plot.broad) }
  }

  /// Draws marks clipped to the axes. A mark outside is cut off, never moved to the edge.
  mutating func clipped(to plot: Plot, _ body: (inout Markup) -> Void) {
    let id = newID()
    element("clipPath", ["id": id]) { page in
      // Marks of the first and the last day reach over the sides by half their width, and those at the ends of the axis too.
      page.bar(
        x: plot.left - 6, y: plot.top - 4, width: plot.right - plot.left + 12, height: plot.bottom - plot.top + 8,
        "clip")
    }
    element("g", ["clip-path": "url(#\(id))"], body)
  }

  /// Marks of one series: which it is, for its looks and for programs.
  mutating func series(_ name: String, _ style: String, _ body: (inout Markup) -> Void) {
    element("g", ["class": style, "data-series": name], body)
  }

  /// Marks with words that a pointer over them shows.
  mutating func hover(_ words: String, _ body: (inout Markup) -> Void) {
    element("g") { page in
      page.element("title", text: words)
      body(&page)
    }
  }

  /// The same for whole columns of a plot, so that nobody has to hit a small point: each reaches halfway to its neighbours.
  /// - Parameter columns: by `x`, in pixels.
  mutating func hover(_ columns: [(x: Double, words: String)], in plot: Plot) {
    for (i, column) in columns.enumerated() {
      let left = i == 0 ? plot.left : (columns[i - 1].x + column.x) / 2
      let right = i + 1 == columns.count ? plot.right : (column.x + columns[i + 1].x) / 2
      hover(column.words) {
        $0.bar(x: left, y: plot.top, width: right - left, height: plot.bottom - plot.top, "hit")
      }
    }
  }

  /// A drawing whose content is also in words next to it.
  mutating func ornament(width: Double, height: Double, _ body: (inout Markup) -> Void) {
    element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Plot.px(width)) \(Plot.px(height))",
        "aria-hidden": "true",
      ], body)
  }
}

// MARK: The axes of charts: they fit the data, ticks are round numbers, and small multiples share one

enum Drawable {
  /// A share of fewer users than these is chance: only its interval is drawn, never the share itself.
  static let leastBase = 10

  static let fewWords = "Of fewer than \(leastBase) users only the interval is drawn, not the share."
}

/// An axis of shares, or of their differences, that covers the data and ends at round percentages.
struct ChartAxis: Sendable {
  let low: Double
  let high: Double
  let ticks: [Double]
  /// The label of a tick.
  let text: @Sendable (Double) -> String

  /// - Parameter step: in percent, from tick to tick.
  private init(_ ends: ClosedRange<Int>, step: Double, _ text: @escaping @Sendable (Double) -> String) {
    ticks = ends.map { Double($0) * step / 100 }
    low = Double(ends.lowerBound) * step / 100
    high = Double(ends.upperBound) * step / 100
    self.text = text
  }

  /// An axis of shares, within 0 and 1.
  /// - Parameters:
  ///   - shares: the values to cover.
  ///   - leastSpan: the least span, so noise does not look like a mountain range.
  ///   - startsAtZero: it also starts at 0 if that costs at most half of its length.
  init(_ shares: [Double], leastSpan: Double = 0.05, startsAtZero: Bool = false) {
    let known = shares.filter(\.isFinite).map { min(1, max(0, $0)) }
    var (bottom, top) = (known.min() ?? 0, known.max() ?? 1)
    if startsAtZero { bottom = 0 }
    // Rates of a thousandth have an axis that they fit, too.
    let least = min(leastSpan, max(0.001, top))
    if top - bottom < least {
      bottom = max(0, min((top + bottom - least) / 2, 1 - least))
      top = bottom + least
    }
    if bottom <= top - bottom { bottom = 0 }
    // Without the noise of binary fractions, a round end would be passed by one step.
    let step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].first { (top - bottom) * 100 / $0 <= 5 + 1e-9 } ?? 20
    let first = Int((bottom * 100 / step + 1e-9).rounded(.down))
    let last = max(first + 1, Int((top * 100 / step - 1e-9).rounded(.up)))
    let decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2
    self.init(first...last, step: step) { fixed($0 * 100, decimals) + "\u{A0}%" }
  }

  /// The axis of rates that are drawn with their intervals. All values are within; the intervals of the larger half
  /// of the bases set the span, because intervals of a handful of people would flatten all others.
  init(rates: [(rate: Estimate, base: Int)], leastSpan: Double = 0.05) {
    var shown = rates.filter { $0.base >= Drawable.leastBase }
    let values = shown.map(\.rate.value)
    if shown.isEmpty { shown = rates }
    let bases = shown.map(\.base).sorted()
    let middle = bases.isEmpty ? 0 : bases[bases.count / 2]
    let bounds = shown.filter { $0.base >= middle }.flatMap { [$0.rate.low, $0.rate.high] }.compactMap { $0 }
    self.init(values + bounds, leastSpan: leastSpan)
  }

  var words: String {
    "Every chart has the same axis, from \(text(low)) to \(text(high))\(low > 0 ? "; it does not begin at 0" : "")."
  }

  /// An axis of differences in points that holds 0.
  /// - Parameters:
  ///   - from: what the axis must show at least, a share of 1; cut at −1.
  ///   - to: cut at 1.
  init(from: Double, to: Double) {
    let bottom = from.isFinite ? min(0, max(-1, from)) * 100 : -100
    let top = to.isFinite ? max(0, min(1, to)) * 100 : 100
    let span = max(0.2, top - bottom)
    let step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].first { span / $0 <= 6 } ?? 50
    self.init(Int((bottom / step).rounded(.down))...max(1, Int((top / step).rounded(.up))), step: step) {
      NumberText.signed($0 * 100, step < 1 ? 1 : 0)
    }
  }
}

// MARK: The marks that charts are made of

extension Markup {
  mutating func label(_ text: String, x: Double, y: Double, _ style: String = "") {
    let (x, y) = (Plot.px(x), Plot.px(y))
    element("text", style.isEmpty ? ["x": x, "y": y] : ["x": x, "y": y, "class": style], text: text)
  }

  mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, _ style: String) {
    empty(
      "line", ["x1": Plot.px(x1), "y1": Plot.px(y1), "x2": Plot.px(x2), "y2": Plot.px(y2), "class": style])
  }

  mutating func bar(x: Double, y: Double, width: Double, height: Double, _ style: String, radius: Double = 0) {
    let (x, y, width, height) = (Plot.px(x), Plot.px(y), Plot.px(max(0, width)), Plot.px(max(0, height)))
    empty(
      "rect",
      radius > 0
        ? ["x": x, "y": y, "width": width, "height": height, "rx": Plot.px(radius), "class": style]
        : ["x": x, "y": y, "width": width, "height": height, "class": style])
  }

  mutating func path(_ path: String, _ style: String) { empty("path", ["d": path, "class": style]) }

  /// A line through points, in pixels.
  mutating func polyline(_ points: [(x: Double, y: Double)], _ style: String) {
    guard points.count > 1 else { return }
    path(Self.move(points), style)
  }

  /// The area between an upper and a lower line over the same x values.
  mutating func band(_ points: [(x: Double, low: Double, high: Double)], _ style: String) {
    guard points.count > 1 else { return }
    let upper = points.map { (x: $0.x, y: $0.high) }
    let lower = points.reversed().map { (x: $0.x, y: $0.low) }
    path(Self.move(upper + lower) + "Z", style)
  }

  private static func move(_ points: [(x: Double, y: Double)]) -> String {
    var path = ""
    for (i, point) in points.enumerated() { path += (i == 0 ? "M" : "L") + Plot.px(point.x) + " " + Plot.px(point.y) }
    return path
  }

  /// A point with one of four shapes, so its colour is not the only difference.
  mutating func point(_ shape: PointShape, x: Double, y: Double, size r: Double = 4, _ style: String) {
    switch shape {
    case .circle: empty("circle", ["cx": Plot.px(x), "cy": Plot.px(y), "r": Plot.px(r), "class": style])
    case .square: bar(x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8, style)
    case .triangle:
      path(Self.move([(x, y - r * 1.1), (x + r * 1.1, y + r * 0.9), (x - r * 1.1, y + r * 0.9)]) + "Z", style)
    case .diamond:
      path(Self.move([(x, y - r * 1.25), (x + r * 1.25, y), (x, y + r * 1.25), (x - r * 1.25, y)]) + "Z", style)
    }
  }

  /// An upright interval; nothing if it is not known.
  mutating func whisker(x: Double, _ ends: (low: Double, high: Double)?, _ y: Scale, _ style: String = "thin") {
    if let ends { line(x1: x, y1: y(ends.low), x2: x, y2: y(ends.high), style) }
  }
}

enum PointShape: Sendable, CaseIterable { case circle, square, triangle, diamond }

/// How the outcomes look everywhere: class of the colour, shape, and whether the line is dashed.
struct OutcomeMark: Sendable {
  var name: String
  var style: String
  var shape: PointShape
  var isDashed: Bool

  static let all = [
    OutcomeMark(name: "granted", style: "granted", shape: .circle, isDashed: false),
    OutcomeMark(name: "denied", style: "denied", shape: .square, isDashed: false),
    OutcomeMark(name: "skipped", style: "skipped", shape: .triangle, isDashed: true),
    OutcomeMark(name: "no answer", style: "dropped", shape: .diamond, isDashed: true),
  ]
}

/// Names from outside in the labels of a chart, which break into no lines.
enum ChartName {
  /// The name; its middle is left out if it is long.
  static func short(_ name: String, most: Int = 16) -> String {
    DisplayWidth.cutMiddle(TextStyle.plain.legible(name), to: most, mark: "…")
  }

  /// The words of a heading. A name without spaces may have 256 letters and would push the answer off the page.
  /// Tables have it in full.
  static func heading(_ words: String) -> String {
    words.split(separator: " ", omittingEmptySubsequences: false).map { short(String($0), most: 40) }
      .joined(separator: " ")
  }
}
