// The first drawn section of a page as a picture: one SVG of its charts, and as PNG if the machine has `rsvg-convert`.

import Foundation
import Permlog

enum Picture {
  /// Charts beside each other.
  private static let columns = 3
  private static let gap = 24.0
  private static let titleHeight = 22.0

  /// The charts of the first section that has some.
  /// - Parameter page: a whole page of HTML.
  /// - Returns: nil if nothing is drawn on it.
  static func svg(of page: [UInt8]) -> [UInt8]? {
    let text = String(decoding: page, as: UTF8.self)
    guard let section = text.components(separatedBy: "<section ").first(where: { !Self.charts($0).isEmpty }) else {
      return nil
    }
    let charts = Self.charts(section)
    let width = charts.map(\.width).max() ?? 0
    let across = width > 400 ? 1 : min(columns, charts.count)
    var (x, y, rowHeight) = (gap, gap, 0.0)
    var body = ""
    for (i, chart) in charts.enumerated() {
      if i > 0, i % across == 0 {
        (x, y, rowHeight) = (gap, y + rowHeight + gap, 0)
      }
      body += "<text class=\"strong\" x=\"\(x)\" y=\"\(y + 12)\">\(chart.title)</text>\n"
      body += "<g transform=\"translate(\(x),\(y + titleHeight))\">" + chart.body + "</g>\n"
      x += width + gap
      rowHeight = max(rowHeight, chart.height + titleHeight)
    }
    let size = (width: gap + Double(across) * (width + gap), height: y + rowHeight + gap)
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" viewBox="0 0 \(size.width) \(size.height)">
      <style>\(style)</style>
      <pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="3" height="5" class="granted fill"/></pattern>
      <rect width="100%" height="100%" fill="\(colors["paper"] ?? "#ffffff")"/>
      \(body)</svg>

      """.utf8)
  }

  private struct Chart {
    var width, height: Double
    var title: String
    var body: String
  }

  /// The charts of a piece of a page. Of one that is drawn for two widths, the broad one.
  private static func charts(_ section: String) -> [Chart] {
    let pieces = section.components(separatedBy: "<svg ").dropFirst()
    var isNarrow = section.components(separatedBy: "<svg ").map { $0.hasSuffix("<div class=\"narrow\">") }
    isNarrow.removeLast()
    return zip(pieces, isNarrow).compactMap { piece, isNarrow in
      guard !isNarrow, let start = piece.firstIndex(of: ">"), let end = piece.range(of: "</svg>")?.lowerBound,
        piece[..<start].contains("role=\"img\""),
        let box = piece[..<start].firstMatch(of: /viewBox="0 0 ([0-9.]+) ([0-9.]+)"/),
        let width = Double(box.1), let height = Double(box.2)
      else { return nil }
      let body = String(piece[piece.index(after: start)..<end])
      let title = body.firstMatch(of: /<title[^>]*>([^<]*)<\/title>/).map { String($0.1) } ?? ""
      return Chart(width: width, height: height, title: title, body: body)
    }
  }

  /// The colours of the light page, by name.
  private static let colors: [String: String] = {
    var colors: [String: String] = [:]
    for match in PageFrame.css.matches(of: /--([a-z]+):(#[0-9a-f]{6})/) where colors[String(match.1)] == nil {
      colors[String(match.1)] = String(match.2)
    }
    return colors
  }()

  /// The rules of style for what is drawn, with their colours: other programs know no variables.
  private static let style: String = {
    let rules = PageFrame.css.split(separator: "\n").filter { line in
      (line.hasPrefix("svg ") || line.hasPrefix(".")) && line.contains("{") && line.hasSuffix("}")
        && !line.contains(" li")
    }
    var text = rules.joined(separator: "\n")
    for (name, color) in colors { text = text.replacing("var(--\(name))", with: color) }
    return "text{font-family:system-ui,'DejaVu Sans',sans-serif}\n"
      + text.replacing("font-family:inherit;", with: "")
      .replacing("font-family:inherit", with: "")
  }()

  // MARK: PNG

  /// The program that draws an SVG; nil if the machine has none.
  static let converter: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    .map { $0 + "/rsvg-convert" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Why there is no picture.
  enum Problem: Error {
    case nothingDrawn, noConverter, failed

    var text: String {
      switch self {
      case .nothingDrawn: "nothing is drawn on this page"
      case .noConverter: "this machine has no rsvg-convert: install librsvg2-bin and a font, or ask for svg"
      case .failed: "rsvg-convert failed; ask for svg"
      }
    }
  }

  /// The picture as PNG, sharp on a screen with small pixels.
  static func png(of svg: [UInt8], with converter: String) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("permlog-" + UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let (from, to) = (folder.appendingPathComponent("a.svg"), folder.appendingPathComponent("a.png"))
    try Data(svg).write(to: from)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: converter)
    process.arguments = ["--zoom", "2", "--output", to.path, from.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = DispatchTime.now() + .seconds(20)
    DispatchQueue.global().asyncAfter(deadline: deadline) { if process.isRunning { process.terminate() } }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Problem.failed }
    return [UInt8](try Data(contentsOf: to))
  }
}
