// What a strict parser finds in a page.

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Written while it is made, and only read afterwards.
final class PageTree: NSObject, XMLParserDelegate, @unchecked Sendable {
  struct Broken: Error { var words: String }
  struct Drawing {
    var title = ""
    var description = ""
  }

  /// Elements that the pages are made of.
  static let known: Set = [
    "html", "head", "meta", "link", "title", "style", "body", "header", "main", "footer", "section", "nav", "h1", "h2",
    "h3", "h4", "p", "ul", "li", "a", "dl", "dt", "dd", "figure", "details", "summary", "div", "span", "bdi", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "svg", "g", "path", "line", "rect", "circle", "text", "desc",
    "pattern", "clipPath", "pre", "code", "strong", "wbr",
  ]

  private(set) var elements: Set<String> = []
  private(set) var attributes: Set<String> = []
  private(set) var scripts: [String] = []
  /// Of `href` and `src`.
  private(set) var addresses: [String] = []
  private(set) var ids: [String] = []
  private(set) var references: [String] = []
  private(set) var headings: [Int] = []
  private(set) var drawings: [Drawing] = []
  private(set) var figuresWithoutTable = 0
  private(set) var cells: [String] = []
  private(set) var coordinates: [String] = []
  private(set) var text = ""

  private var open: [String] = []
  private var hasTable = false

  init(_ bytes: [UInt8]) throws {
    super.init()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = self
    guard parser.parse() else {
      throw Broken(words: "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "")")
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes found: [String: String]
  ) {
    elements.insert(name)
    open.append(name)
    attributes.formUnion(found.keys)
    for (key, value) in found {
      switch key {
      case "href", "src": addresses.append(value)
      case "id": ids.append(value)
      case "aria-labelledby": references += value.split(separator: " ").map(String.init)
      case "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width",
        "height" where open.contains("svg"):
        coordinates.append(value)
      default: break
      }
    }
    if let address = found["href"], address.hasPrefix("#") { references.append(String(address.dropFirst())) }
    switch name {
    case "script", "iframe", "object", "embed", "img": scripts.append(name)
    case "h1", "h2", "h3", "h4": headings.append(Int(name.dropFirst()) ?? 0)
    case "svg" where found["role"] == "img": drawings.append(Drawing())
    case "figure": hasTable = false
    case "table": hasTable = true
    case "td": cells.append("")
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    text += characters
    if open.contains("svg"), let last = drawings.indices.last {
      if open.last == "title" { drawings[last].title += characters }
      if open.last == "desc" { drawings[last].description += characters }
    }
    if open.contains("td"), let last = cells.indices.last { cells[last] += characters }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
    if name == "figure", !hasTable { figuresWithoutTable += 1 }
  }
}
