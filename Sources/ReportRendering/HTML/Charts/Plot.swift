// The ground of a chart: a place for marks, scales from values to pixels, axes. Ticks carry their values as attributes, so
// that a program can read back what the marks say.

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

  var height: Double
  var x: Scale
  var y: Scale

  var left: Double { x.start }
  var right: Double { x.end }
  var bottom: Double { y.start }
  var top: Double { y.end }

  init(
    height: Double, left: Double = 42, right: Double = 12, top: Double = 12, bottom: Double = 24,
    x: ClosedRange<Double>, y: ClosedRange<Double>
  ) {
    self.height = height
    self.x = Scale(low: x.lowerBound, high: x.upperBound, start: left, end: Self.width - right)
    self.y = Scale(low: y.lowerBound, high: y.upperBound, start: height - bottom, end: top)
  }

  /// A number of pixels.
  static func px(_ value: Double) -> String {
    let text = fixed(value, 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A value for programs that read the drawing: exact enough for any pixel.
  static func exact(_ value: Double) -> String { fixed(value, 6) }

  /// Lines across with their labels at the left.
  func yAxis(_ page: inout Markup, _ axis: some ChartAxis) {
    for tick in axis.ticks {
      page.element("g", ["data-y": Self.exact(tick)]) { page in
        let style = tick == 0 ? axis.low < 0 ? "zero" : "axis" : "grid"
        page.line(x1: left, y1: y(tick), x2: right, y2: y(tick), style)
        page.label(axis.text(tick), x: left - 6, y: y(tick) + 4, "end")
      }
    }
  }

  /// Upright lines with their labels below.
  func xAxis(_ page: inout Markup, _ axis: some ChartAxis) {
    for tick in axis.ticks {
      xTick(&page, tick, axis.text(tick), from: top, style: tick == 0 ? "zero" : "grid")
    }
  }

  /// A short line below the plot, or one that begins higher up, and its label.
  /// - Parameters:
  ///   - value: what it stands for.
  ///   - x: its place if the axis is not in proportion.
  ///   - place: of the label, `middle` if it has room.
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

  /// Every n-th of a number of ticks, so that no more than some are labelled; the last always is.
  static func labelled(_ count: Int, most: Int) -> Set<Int> {
    guard count > 0 else { return [] }
    let step = max(1, (count + most - 1) / most)
    return Set(stride(from: count - 1, through: 0, by: -step))
  }
}

extension Markup {
  /// A drawing with its alternatives in words.
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

  /// Marks of which only what lies within the axes is seen: a mark beyond them is cut off there, never moved to the edge.
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

  /// A drawing that says nothing that is not also in words beside it.
  mutating func ornament(width: Double, height: Double, _ body: (inout Markup) -> Void) {
    element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Plot.px(width)) \(Plot.px(height))",
        "aria-hidden": "true",
      ], body)
  }
}
