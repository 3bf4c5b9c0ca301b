// Charts read back from a page: their axes through the ticks' labels, and where each mark lies.

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A tick: what its label says it stands for, and where its line is.
struct DrawnTick {
  var value: Double
  var pixel: Double
  var label = ""
  /// Where the label is.
  var labelPixel = 0.0
}

/// Pixels to values and back, by the first and the last of the ticks.
struct DrawnAxis {
  var ticks: [DrawnTick] = []

  func pixel(_ value: Double) -> Double {
    guard let a = ticks.first, let b = ticks.last, a.value != b.value else { return .nan }
    return a.pixel + (value - a.value) / (b.value - a.value) * (b.pixel - a.pixel)
  }

  func value(_ pixel: Double) -> Double {
    guard let a = ticks.first, let b = ticks.last, a.pixel != b.pixel else { return .nan }
    return a.value + (pixel - a.pixel) / (b.pixel - a.pixel) * (b.value - a.value)
  }

  func isWithin(_ pixel: Double) -> Bool {
    let pixels = ticks.map(\.pixel)
    return pixel >= (pixels.min() ?? 0) - 4 && pixel <= (pixels.max() ?? 0) + 4
  }
}

struct DrawnMark {
  enum Shape { case point, line, bar, curve, band }
  var shape: Shape
  var style: Set<Substring>
  /// A point; the two ends; the upper left and the lower right corner; the corners in order.
  var points: [(x: Double, y: Double)]
}

struct DrawnSeries {
  var name: String
  var isClipped: Bool
  var marks: [DrawnMark] = []
  /// Ticks of its own.
  var y = DrawnAxis()

  func marks(_ shape: DrawnMark.Shape) -> [DrawnMark] { marks.filter { $0.shape == shape } }
}

struct Drawing {
  var title = ""
  /// False for an ornament.
  var isChart = true
  var x = DrawnAxis()
  var y = DrawnAxis()
  var series: [DrawnSeries] = []

  func series(_ name: String) -> DrawnSeries? { series.first { $0.name == name } }
}

/// Read once, when it is made.
final class DrawnPage: NSObject, XMLParserDelegate {
  private(set) var drawings: [Drawing] = []
  private(set) var titles: [String] = []

  private enum Place { case other, drawing, title, xTick, yTick, series, tickLabel, clip, column }
  private var open: [Place] = []

  init(_ bytes: [UInt8]) throws {
    super.init()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = self
    guard parser.parse() else { throw PageTree.Broken(words: "line \(parser.lineNumber)") }
  }

  var charts: [Drawing] { drawings.filter(\.isChart) }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes found: [String: String]
  ) {
    open.append(enter(name, found))
    guard !drawings.isEmpty, open.contains(.drawing), !open.contains(.clip) else { return }
    let now = drawings.count - 1
    if open.contains(.xTick) || open.contains(.yTick) {
      tick(name, found)
    } else if open.contains(.series), let last = drawings[now].series.indices.last, let mark = mark(name, found) {
      drawings[now].series[last].marks.append(mark)
    }
  }

  private func enter(_ name: String, _ found: [String: String]) -> Place {
    switch name {
    case "svg":
      drawings.append(Drawing(isChart: found["role"] == "img"))
      return .drawing
    case "title" where open.last == .drawing: return .title
    case "clipPath": return .clip
    case "th" where found["scope"] == "col":
      titles.append("")
      return .column
    case "text" where open.last == .xTick || open.last == .yTick: return .tickLabel
    case "g":
      if let value = found["data-x"].flatMap(Double.init) { return start(DrawnTick(value: value, pixel: .nan), .xTick) }
      if let value = found["data-y"].flatMap(Double.init) { return start(DrawnTick(value: value, pixel: .nan), .yTick) }
      if let series = found["data-series"], !drawings.isEmpty {
        drawings[drawings.count - 1].series.append(DrawnSeries(name: series, isClipped: clips > 0))
        return .series
      }
      if found["clip-path"] != nil {
        clips += 1
        clipDepths.append(open.count)
      }
      return .other
    default: return .other
    }
  }

  private var clips = 0
  private var clipDepths: [Int] = []

  private func start(_ tick: DrawnTick, _ place: Place) -> Place {
    let now = drawings.count - 1
    if place == .xTick {
      drawings[now].x.ticks.append(tick)
    } else if open.contains(.series), let last = drawings[now].series.indices.last {
      drawings[now].series[last].y.ticks.append(tick)
    } else {
      drawings[now].y.ticks.append(tick)
    }
    return place
  }

  private func change(_ body: (inout DrawnTick, Bool) -> Void) {
    let now = drawings.count - 1
    if open.contains(.xTick), let i = drawings[now].x.ticks.indices.last {
      body(&drawings[now].x.ticks[i], true)
    } else if open.contains(.series), let last = drawings[now].series.indices.last,
      let i = drawings[now].series[last].y.ticks.indices.last
    {
      body(&drawings[now].series[last].y.ticks[i], false)
    } else if let i = drawings[now].y.ticks.indices.last {
      body(&drawings[now].y.ticks[i], false)
    }
  }

  private func tick(_ name: String, _ found: [String: String]) {
    func number(_ key: String) -> Double { found[key].flatMap(Double.init) ?? .nan }
    change { tick, isX in
      if name == "line" { tick.pixel = isX ? number("x1") : number("y1") }
      if name == "text" { tick.labelPixel = isX ? number("x") : number("y") }
    }
  }

  private func mark(_ name: String, _ found: [String: String]) -> DrawnMark? {
    func number(_ key: String) -> Double { found[key].flatMap(Double.init) ?? .nan }
    let style = Set((found["class"] ?? "").split(separator: " "))
    let isPoint = style.contains("dot") || style.contains("hollow")
    switch name {
    case "circle": return DrawnMark(shape: .point, style: style, points: [(number("cx"), number("cy"))])
    case "line":
      return DrawnMark(
        shape: .line, style: style, points: [(number("x1"), number("y1")), (number("x2"), number("y2"))])
    case "rect":
      let (x, y, width, height) = (number("x"), number("y"), number("width"), number("height"))
      return isPoint
        ? DrawnMark(shape: .point, style: style, points: [(x + width / 2, y + height / 2)])
        : DrawnMark(shape: .bar, style: style, points: [(x, y), (x + width, y + height)])
    case "path":
      let path = found["d"] ?? ""
      let points = path.split { "MLZ".contains($0) }.map { pair -> (x: Double, y: Double) in
        let numbers = pair.split(separator: " ").compactMap { Double($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : (.nan, .nan)
      }
      guard isPoint else {
        return DrawnMark(shape: path.hasSuffix("Z") ? .band : .curve, style: style, points: points)
      }
      let (low, high) = (points.map(\.y).min() ?? .nan, points.map(\.y).max() ?? .nan)
      // A triangle's point is a little below the middle of its box; see `point`.
      let y = points.count == 3 ? (0.9 * low + 1.1 * high) / 2 : (low + high) / 2
      let x = ((points.map(\.x).min() ?? .nan) + (points.map(\.x).max() ?? .nan)) / 2
      return DrawnMark(shape: .point, style: style, points: [(x, y)])
    default: return nil
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    switch open.last {
    case .title: drawings[drawings.count - 1].title += characters
    case .tickLabel: change { tick, _ in tick.label += characters }
    case .column: titles[titles.count - 1] += characters
    default: break
    }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
    if clipDepths.last == open.count {
      clipDepths.removeLast()
      clips -= 1
    }
  }
}
