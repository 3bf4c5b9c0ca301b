// The grant rates of the last weeks as a small picture: a line, and behind it the usual range. Mailers show no SVG.

import CZlib
import PermissionAnalysis

struct WeeksPicture {
  /// Pixels, two for each point of a page.
  static let width = 240
  static let height = 72
  private static let most = 12
  private static let margin = 8.0
  /// Shares: less than this is not drawn as a mountain.
  private static let leastSpan = 0.2

  /// For those who do not see it.
  let words: String
  let png: [UInt8]

  /// Nil unless two weeks have enough users for a point.
  init?(_ weeks: [ReportRow]) {
    let weeks = weeks.filter { $0.grants.base >= Drawable.leastBase && $0.grants.grantRate != nil }.suffix(Self.most)
    guard let first = weeks.first?.week, let last = weeks.last?.week, first != last else { return nil }
    let rates = weeks.map { $0.grants.grantRate?.value ?? 0 }
    let ends = rates + weeks.flatMap { row in row.usual.map { [$0.low, $0.high] } ?? [] }
    let (low, high) = (ends.min() ?? 0, ends.max() ?? 1)
    let span = max(Self.leastSpan, high - low)
    let bottom = min(max(0, (low + high - span) / 2), 1 - span)
    let (right, height) = (Double(Self.width) - Self.margin, Double(Self.height) - 2 * Self.margin)
    func x(_ row: ReportRow) -> Double {
      let share = Double((row.week?.index ?? 0) - first.index) / Double(last.index - first.index)
      return Self.margin + share * (right - Self.margin)
    }
    func y(_ rate: Double) -> Double { Self.margin + height * (1 - (rate - bottom) / span) }
    let points = zip(weeks, rates).map { (x: x($0), y: y($1)) }
    let band = weeks.compactMap { row in row.usual.map { (x: x(row), top: y($0.high), bottom: y($0.low)) } }
    var canvas = Canvas(width: Self.width, height: Self.height)
    canvas.fill(band, .grey)
    canvas.line(points, .blue)
    if let end = points.last, let row = weeks.last {
      let colour: Canvas.Colour =
        switch row.usual?.outside {
        case .lower: .red
        case .higher: .green
        case nil: .blue
        }
      canvas.dot(end, colour)
    }
    png = canvas.png
    words =
      "\(first.text) \(NumberText.percent(rates[0])), \(last.text) \(NumberText.percent(rates[rates.count - 1]))"
  }
}

/// Pixels with a transparent ground, so that a mail may be light or dark.
private struct Canvas {
  struct Colour {
    var red, green, blue: Double
    var alpha = 1.0

    static let grey = Colour(red: 128, green: 128, blue: 128, alpha: 0.28)
    static let blue = Colour(red: 47, green: 124, blue: 196)
    static let red = Colour(red: 214, green: 69, blue: 65)
    static let green = Colour(red: 46, green: 154, blue: 87)
  }

  let width, height: Int
  /// Red, green, blue and alpha of each pixel, by rows.
  private var pixels: [UInt8]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    pixels = Array(repeating: 0, count: 4 * width * height)
  }

  /// - Parameter coverage: how much of a pixel is covered, by its middle.
  private mutating func paint(_ colour: Colour, _ coverage: (_ x: Double, _ y: Double) -> Double) {
    for row in 0..<height {
      for column in 0..<width {
        let covered = min(1, max(0, coverage(Double(column) + 0.5, Double(row) + 0.5))) * colour.alpha
        guard covered > 0 else { continue }
        let place = 4 * (row * width + column)
        let under = Double(pixels[place + 3]) / 255
        let alpha = covered + under * (1 - covered)
        for (i, value) in [colour.red, colour.green, colour.blue].enumerated() {
          let mixed = (value * covered + Double(pixels[place + i]) * under * (1 - covered)) / alpha
          pixels[place + i] = UInt8(mixed.rounded())
        }
        pixels[place + 3] = UInt8((alpha * 255).rounded())
      }
    }
  }

  mutating func fill(_ band: [(x: Double, top: Double, bottom: Double)], _ colour: Colour) {
    paint(colour) { x, y in
      for (a, b) in zip(band, band.dropFirst()) where a.x <= x && x < b.x {
        let share = (x - a.x) / (b.x - a.x)
        let (top, bottom) = (a.top + share * (b.top - a.top), a.bottom + share * (b.bottom - a.bottom))
        return min(y - top, bottom - y) + 0.5
      }
      return 0
    }
  }

  mutating func line(_ points: [(x: Double, y: Double)], _ colour: Colour) {
    paint(colour) { x, y in
      let distance = zip(points, points.dropFirst()).reduce(Double.infinity) { least, ends in
        let (a, b) = ends
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let share = min(1, max(0, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy)))
        let (ex, ey) = (x - a.x - share * dx, y - a.y - share * dy)
        return min(least, (ex * ex + ey * ey).squareRoot())
      }
      return 2.2 - distance
    }
  }

  mutating func dot(_ point: (x: Double, y: Double), _ colour: Colour) {
    paint(colour) { x, y in 6 - ((x - point.x) * (x - point.x) + (y - point.y) * (y - point.y)).squareRoot() }
  }

  /// PNG (RFC 2083): 8 bits, red, green, blue and alpha, no filter.
  var png: [UInt8] {
    var rows: [UInt8] = []
    for row in 0..<height {
      rows.append(0)
      rows += pixels[4 * row * width..<4 * (row + 1) * width]
    }
    var size = compressBound(uLong(rows.count))
    var packed = [UInt8](repeating: 0, count: Int(size))
    compress2(&packed, &size, rows, uLong(rows.count), 9)
    packed.removeLast(packed.count - Int(size))
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    Self.append("IHDR", Self.bytes(width) + Self.bytes(height) + [8, 6, 0, 0, 0], to: &file)
    Self.append("IDAT", packed, to: &file)
    Self.append("IEND", [], to: &file)
    return file
  }

  private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
    let chunk = Array(type.utf8) + content
    file += bytes(content.count) + chunk + bytes(Int(crc32(0, chunk, uInt(chunk.count))))
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
