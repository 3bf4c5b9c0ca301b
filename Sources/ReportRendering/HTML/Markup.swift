// HTML and the SVG within it, written so that it is also well-formed XML. Text and attributes are escaped only here,
// so text from an export cannot become markup.

/// A page that is being written.
///
/// For example:
///
/// ```swift
/// var page = Markup()
/// page.element("p") { $0.text(name) }
/// ```
public struct Markup: Sendable {
  /// Names and values, in their order.
  public struct Attributes: ExpressibleByDictionaryLiteral, Sendable {
    fileprivate let pairs: [(name: String, value: String)]

    public init(dictionaryLiteral elements: (String, String)...) { pairs = elements.map { ($0, $1) } }

    /// Those that have a value.
    public init(_ pairs: [(String, String?)]) {
      self.pairs = pairs.compactMap { name, value in value.map { (name, $0) } }
    }
  }

  /// What is written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []
  private let idPrefix: String
  private var lastID = 0

  /// - Parameter idPrefix: of the ids within drawings: parts that are written apart, and put together with ``append(_:)``, need different ones.
  public init(idPrefix: String = "i") { self.idPrefix = idPrefix }

  /// Appends a part that was written apart.
  public mutating func append(_ part: Markup) { bytes += part.bytes }

  /// An element with content. In HTML an element without content needs its end tag too, if it is not void.
  public mutating func element(_ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void) {
    start(name, attributes)
    bytes.append(0x3E)
    body(&self)
    bytes += "</\(name)>".utf8
  }

  /// The same with text as its content.
  public mutating func element(_ name: String, _ attributes: Attributes = [:], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// A void element of HTML, or an element of SVG without content.
  public mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
    start(name, attributes)
    bytes += "/>".utf8
  }

  public mutating func newLine() { bytes.append(0x0A) }

  /// Markup of our own that is never made of data.
  mutating func raw(_ markup: String) { bytes += markup.utf8 }

  mutating func newID() -> String {
    lastID += 1
    return "\(idPrefix)\(lastID)"
  }

  private mutating func start(_ name: String, _ attributes: Attributes) {
    bytes += "<\(name)".utf8
    for (key, value) in attributes.pairs {
      bytes += " \(key)=\"".utf8
      // What a form sends back is the name as it is.
      // XML has no such characters.
      let isOdd = key == "value" && value.unicodeScalars.contains { $0.value & 0xFFFE == 0xFFFE }
      if key == "value", !isOdd { escaped(value) } else { text(value) }
      bytes.append(0x22)
    }
  }

  /// Text. Signs of markup in it are escaped, and hidden characters are shown.
  public mutating func text(_ text: String) { escaped(TextStyle.plain.legible(text)) }

  private mutating func escaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case 0x26: bytes += "&amp;".utf8
      case 0x3C: bytes += "&lt;".utf8
      case 0x3E: bytes += "&gt;".utf8
      case 0x22: bytes += "&quot;".utf8
      case 0x27: bytes += "&#39;".utf8
      case 0x09, 0x0A, 0x0D: bytes += "&#\(byte);".utf8
      // No markup has these.
      case 0..<0x20: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
  }

  // MARK: Sections and blocks as HTML

  /// - Parameter afterAnswer: what follows the first drawing of the section that leads a page.
  mutating func write(_ section: Section, afterAnswer: ((inout Markup) -> Void)? = nil) {
    guard section.heading != .none else {
      for block in section.blocks { write(block) }
      return
    }
    newLine()
    element("section", ["id": section.id, "aria-labelledby": section.id + "-title"]) { page in
      page.element("h2", ["id": section.id + "-title"]) { $0.name(ChartName.heading(section.title)) }
      let answer = section.blocks.firstIndex { if case .drawing = $0 { true } else { false } }
      var caption = section.caption
      for (index, block) in section.blocks.enumerated() {
        if case .words(let definition) = block, let words = caption {
          page.prose(words, ["class": "words"])
          page.details("How this is computed") { $0.prose(definition) }
          caption = nil
        } else {
          page.write(block, caption: section.title)
        }
        if index == answer { afterAnswer?(&page) }
      }
      if answer == nil { afterAnswer?(&page) }
    }
  }

  /// - Parameter caption: of tables, for those who hear the page.
  mutating func write(_ block: Block, caption: String = "") {
    switch block {
    case .words(let words): prose(words, ["class": "words"])
    case .paragraph(let words, _): prose(words)
    case .headline(let words): prose(words, ["class": "headline"])
    case .verdict(let words, let kind): signed("p", "verdict", kind) { $0.held(ChartName.heading(words)) }
    case .note(let words, _): prose(words, ["class": "note"])
    case .caution(let words, .note): prose("Note: " + words, ["class": "caution"])
    case .caution(let words, _): prose(words, ["class": "caution"])
    case .strong(let words, nil): element("h3") { $0.name(ChartName.heading(words)) }
    case .strong(let words, let kind?): signed("h3", "kind", kind) { $0.name(ChartName.heading(words)) }
    case .facts(let facts, _): self.facts(facts)
    case .table(let table, let empty, let more):
      guard !table.isEmpty else { return prose(empty) }
      self.table(table, caption: caption, more)
    case .command(let words): element("pre") { $0.element("code") { $0.held(words) } }
    case .source(let address): source(address)
    case .drawing(let draw): draw(&self)
    case .ruler, .gap: break
    }
  }

  // MARK: Words

  /// A paragraph.
  public mutating func prose(_ words: String, _ attributes: Attributes = [:]) {
    element("p", attributes) { $0.held(words) }
  }

  /// Text whose options, such as `--minimum-effect`, are not broken at their hyphens.
  mutating func held(_ words: String) {
    var rest = Substring(words)
    while let option = Self.option(in: rest) {
      text(String(rest[..<option.lowerBound]))
      element("code", ["class": "option"], text: String(rest[option]))
      rest = rest[option.upperBound...]
    }
    text(String(rest))
  }

  /// The first word that begins with two hyphens and a letter.
  private static func option(in words: Substring) -> Range<Substring.Index>? {
    let bytes = words.utf8
    var index = bytes.startIndex
    var isStart = true
    func isWord(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D }
    while index < bytes.endIndex {
      if isStart, bytes[index...].starts(with: "--".utf8) {
        let end = bytes[index...].firstIndex { !isWord($0) } ?? bytes.endIndex
        if let letter = bytes[index...].dropFirst(2).first, letter >= 0x61, isWord(letter) { return index..<end }
      }
      isStart = !isWord(bytes[index])
      index = bytes.index(after: index)
    }
    return nil
  }

  /// The sign of a verdict alone, in its colour.
  mutating func sign(_ kind: VerdictKind) {
    element("span", ["class": "verdict-sign " + kind.rawValue]) { page in
      page.ornament(width: 24, height: 24) { kind.draw(on: &$0) }
    }
  }

  private mutating func signed(_ name: String, _ style: String, _ kind: VerdictKind, _ words: (inout Markup) -> Void) {
    element(name, ["class": style + " " + kind.rawValue]) { page in
      page.ornament(width: 24, height: 24) { kind.draw(on: &$0) }
      page.element("span") { words(&$0) }
    }
  }

  /// A link only if it works from a page on its own.
  private mutating func source(_ address: String) {
    element("p", ["class": "note"]) { page in
      page.text("See ")
      if address.hasPrefix("https:") {
        page.element("a", ["href": address, "rel": "noreferrer"], text: address)
      } else {
        page.text(address)
      }
    }
  }

  // MARK: Names, facts and what opens with a click

  /// A name from outside: its direction of writing stays its own.
  public mutating func name(_ text: String) {
    element("bdi") { page in
      // A long name breaks after an underscore rather than in a word.
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      for (i, part) in parts.enumerated() {
        page.text(part + (i + 1 < parts.count ? "_" : ""))
        if i + 1 < parts.count, text.utf8.count > 12 { page.empty("wbr") }
      }
    }
  }

  /// - Parameter sign: of the name of a number, in a drawing of 24 by 12.
  mutating func legend(_ names: [String], _ sign: (inout Markup, Int) -> Void) {
    element("ul", ["class": "legend"]) { page in
      for (number, name) in names.enumerated() {
        page.element("li") { page in
          page.ornament(width: 24, height: 12) { sign(&$0, number) }
          page.text(name)
        }
      }
    }
  }

  /// What opens with a click, and is left out on paper.
  public mutating func details(_ summary: String, _ body: (inout Markup) -> Void) {
    element("details") { page in
      page.element("summary", text: summary)
      body(&page)
    }
  }

  /// What a drawing shows, as a table that opens with a click.
  mutating func numbers(_ table: Table, _ caption: String) { details("Numbers") { $0.table(table, caption: caption) } }

  private mutating func facts(_ facts: [Fact]) {
    element("dl", ["class": "facts"]) { page in
      for fact in facts {
        page.element("dt", text: fact.name)
        page.element("dd") { page in
          if fact.isAlarm { page.element("strong", ["class": "bad"], text: Fact.alarm) }
          page.held((fact.isAlarm ? " " : "") + fact.text)
        }
      }
    }
  }

  // MARK: Tables as HTML
  // Wide tables scroll in their own box, in which the names and the answer stay visible.

  /// A table that scrolls sideways if it is too wide, its notes below it.
  /// - Parameter caption: for those who hear the page.
  mutating func table(_ table: Table, caption: String, _ more: Block.MoreCells? = nil) {
    let table = table.withKeyFirst
    element("div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"]) { page in
      page.element("table", table.isList ? ["class": "list"] : table.hasKey ? ["class": "keyed"] : [:]) { page in
        page.element("caption", ["class": "hidden"], text: caption)
        page.head(table, more)
        page.body(table, more)
      }
    }
    for entry in table.entries {
      switch entry {
      case .note(let words): prose(words, ["class": "caution"])
      case .caution(let words): prose("! " + words, ["class": "caution"])
      case .heading, .row: break
      }
    }
    newLine()
  }

  private mutating func head(_ table: Table, _ more: Block.MoreCells?) {
    element("thead") { page in
      page.element("tr") { page in
        // A column of names without a title has no header of its own.
        if table.nameTitle.isEmpty {
          page.element("td") { _ in }
        } else {
          page.element("th", ["scope": "col"], text: table.nameTitle)
        }
        for title in table.titles { page.element("th", ["scope": "col"], text: title) }
        if let more { page.element("th", ["scope": "col"], text: more.title) }
      }
    }
  }

  private mutating func body(_ table: Table, _ more: Block.MoreCells?) {
    let columns = table.titles.count + (more == nil ? 1 : 2)
    var number = 0
    for group in table.entries.runs({ if case .heading = $1 { false } else { true } }) {
      element("tbody") { page in
        for entry in group {
          switch entry {
          case .heading(let name):
            page.element("tr") { page in
              page.element("th", ["scope": "rowgroup", "colspan": "\(columns)"]) { $0.name(name) }
            }
          case .row(let name, let cells, let depth):
            page.element("tr") { page in
              page.element("th", depth > 0 ? ["scope": "row", "class": "indent"] : ["scope": "row"]) { page in
                page.name(name)
              }
              for cell in cells { page.cell(cell) }
              more?.draw(&page, number)
            }
            number += 1
          case .note, .caution: break
          }
        }
      }
    }
  }

  private mutating func cell(_ cell: TableCell) {
    element("td") { page in
      page.text(cell.text)
      guard let detail = cell.detail else { return }
      page.text(" ")
      switch cell.tone {
      // Signs, with their meaning for screen readers.
      case .good:
        page.element("span", ["class": "good", "role": "img", "aria-label": "higher than usual"], text: detail)
      case .bad:
        page.element("span", ["class": "bad", "role": "img", "aria-label": "lower than usual"], text: detail)
      default: page.element("span", ["class": "detail"], text: detail)
      }
    }
  }
}

// MARK: The column to be read first

extension Table {
  /// Titles of columns that hold the answer, the first that a table has; a plain rate is the answer of messages alone.
  private static let keys = ["verdict", "decision", "grant rate", "difference so far"]

  private var key: Int? {
    guard !isList else { return nil }
    let keys = Self.keys + (nameTitle == "message" ? ["rate"] : [])
    return keys.lazy.compactMap { titles.firstIndex(of: $0) }.first
  }

  /// Whether the column next to the names has the answer.
  fileprivate var hasKey: Bool { key == 0 }

  /// The same table with the answer in the column next to the names, where a phone shows it.
  fileprivate var withKeyFirst: Table {
    guard let key, key > 0 else { return self }
    var table = self
    table.titles.insert(table.titles.remove(at: key), at: 0)
    table.entries = entries.map { entry in
      guard case .row(let name, var cells, let depth) = entry, key < cells.count else { return entry }
      cells.insert(cells.remove(at: key), at: 0)
      return .row(name, cells, depth: depth)
    }
    return table
  }
}
