// The marks that charts are made of.

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

  /// The area between an upper and a lower line over the same places.
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

  /// A point, its shape one of four, so that it is not told by its colour alone.
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

  /// An upright interval.
  mutating func whisker(x: Double, from low: Double, to high: Double, _ style: String = "thin") {
    line(x1: x, y1: low, x2: x, y2: high, style)
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

  /// Words of a heading: a name without a blank may have 256 letters, and would push the answer off the page. Tables have it
  /// in full.
  static func heading(_ words: String) -> String {
    words.split(separator: " ", omittingEmptySubsequences: false).map { short(String($0), most: 40) }
      .joined(separator: " ")
  }
}
