// The ground of a chart: a place for marks, scales from values to pixels, axes.

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

  /// Shares on the y axis: 0, the middle, the top.
  func shareAxis(_ page: inout Markup) {
    for share in [y.low, (y.low + y.high) / 2, y.high] {
      horizontal(&page, share, share == 0 ? "axis" : "grid")
      let percent = share * 100
      let text = percent == percent.rounded() ? fixed(percent, 0) : fixed(percent, 1)
      page.label(text + "\u{A0}%", x: left - 6, y: y(share) + 4, "end")
    }
  }

  func horizontal(_ page: inout Markup, _ value: Double, _ style: String) {
    page.line(x1: left, y1: y(value), x2: right, y2: y(value), style)
  }

  /// The least top of an axis of shares that holds a value, one that divides well.
  static func top(for share: Double) -> Double { [0.1, 0.2, 0.4, 0.6, 0.8].first { $0 >= share } ?? 1 }

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

  /// Marks of which only what lies between the lowest and the highest value is seen.
  mutating func clipped(to plot: Plot, _ body: (inout Markup) -> Void) {
    let id = newID()
    element("clipPath", ["id": id]) { page in
      // Marks of the first and the last day reach over the sides by half their width.
      page.bar(
        x: plot.left - 6, y: plot.top, width: plot.right - plot.left + 12, height: plot.bottom - plot.top, "clip")
    }
    element("g", ["clip-path": "url(#\(id))"], body)
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
