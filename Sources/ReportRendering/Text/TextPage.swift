// The page that sections write on: lines, paragraphs and tables, none wider than the style's width.

import PermissionEvents

struct TextPage {
  private struct Piece {
    var text: String
    var tone: TextTone = .plain
  }

  let style: TextStyle
  private(set) var bytes: [UInt8] = []

  init(_ style: TextStyle) { self.style = style }

  mutating func write(_ section: Section) {
    if section.heading == .everywhere { self.section(section.title) }
    for block in section.blocks { write(block) }
  }

  mutating func write(_ block: Block) {
    switch block {
    case .words(let words), .headline(let words): paragraph(words)
    case .paragraph(let words, let indent): paragraph(words, indent: indent)
    case .verdict(let words, let kind): line(words, tone: kind.tone)
    case .note(let words, let hanging): paragraph(words, hanging: hanging)
    case .caution(let words, .none): paragraph(words)
    case .caution(let words, .exclamation): paragraph("! " + words, hanging: 2)
    case .caution(let words, .note): paragraph("Note: " + words, indent: 2, hanging: 2)
    case .strong(let words, _): line(words, tone: .strong)
    case .facts(let facts, let width):
      for fact in facts { field((fact.isIndented ? "  " : "") + fact.name, width: width, fact.words) }
    case .table(let table, let empty, _):
      if table.isEmpty { paragraph(empty) } else if table.isList { list(table) } else { self.table(table) }
    // Never broken: it is copied.
    case .command(let words): write([Piece(text: "  " + style.legible(words))])
    case .source(let address): write([Piece(text: "  See " + address)])
    case .ruler(let drawn): line(drawn)
    case .drawing: break
    case .gap: blank()
    }
  }

  // MARK: Lines and paragraphs

  private var cutMark: String { style.legible("…") }

  private mutating func blank() { bytes.append(0x0A) }

  /// One line of legible text.
  private mutating func write(_ pieces: [Piece]) {
    var pieces = pieces
    while let last = pieces.last {
      let text = last.text.trimmedRight
      pieces[pieces.count - 1].text = text
      if !text.isEmpty { break }
      pieces.removeLast()
    }
    for piece in pieces {
      let code = style.hasColor && !piece.text.isEmpty ? piece.tone.code : nil
      if let code { bytes += "\u{1B}[\(code)m".utf8 }
      for scalar in piece.text.unicodeScalars { bytes += String(scalar == "\u{A0}" ? " " : scalar).utf8 }
      if code != nil { bytes += "\u{1B}[0m".utf8 }
    }
    bytes.append(0x0A)
  }

  /// A line, broken at spaces if it is too long.
  mutating func line(_ text: String, tone: TextTone = .plain) {
    guard DisplayWidth.of(style.legible(text)) > style.width else {
      return write([Piece(text: style.legible(text), tone: tone)])
    }
    paragraph(text, start: "", hanging: 2, tone: tone)
  }

  private mutating func section(_ title: String) {
    blank()
    let head = DisplayWidth.cut(style.legible("── " + title + " "), to: style.width, mark: cutMark)
    let rule = String(repeating: style.legible("─"), count: max(0, style.width - DisplayWidth.of(head)))
    write([Piece(text: head + rule, tone: .strong)])
  }

  /// Words, broken at spaces; a no-break space holds. Lines but the first are indented by `hanging` more.
  mutating func paragraph(_ text: String, indent: Int = 0, hanging: Int = 0) {
    paragraph(text, start: DisplayWidth.spaces(indent), hanging: indent + hanging)
  }

  /// Words next to a label, which has its own column.
  private mutating func field(_ label: String, width: Int, _ text: String) {
    let label = DisplayWidth.cut(style.legible(label), to: width - 2, mark: cutMark)
    paragraph(text, start: DisplayWidth.padRight(label, to: width), hanging: width, breaksWords: true)
  }

  private mutating func paragraph(
    _ text: String, start: String, hanging: Int, tone: TextTone = .plain, breaksWords: Bool = false
  ) {
    let room = max(1, style.width - hanging)
    let words = style.legible(text).split(separator: " ").flatMap { word in
      // An id that is broken can be put together again.
      breaksWords
        ? DisplayWidth.parts(String(word), of: room) : [DisplayWidth.cut(String(word), to: room, mark: cutMark)]
    }
    var current = start
    var used = DisplayWidth.of(start)
    var isFresh = true
    for word in words {
      let width = DisplayWidth.of(word)
      if !isFresh, used + 1 + width > style.width {
        write([Piece(text: current, tone: tone)])
        current = DisplayWidth.spaces(hanging)
        used = hanging
        isFresh = true
      }
      if !isFresh {
        current += " "
        used += 1
      }
      current += word
      used += width
      isFresh = false
    }
    write([Piece(text: current, tone: tone)])
  }

  // MARK: Tables

  /// A table, its columns in several bands under each other if they do not fit side by side.
  private mutating func table(_ table: Table) {
    let table = table.legible(style)
    var layout = TableLayout(table)
    layout.fit(style.width)
    let bands = layout.bands(style.width)
    for (number, band) in bands.enumerated() {
      if number > 0 { blank() }
      writeTitles(table, layout, band)
      for entry in table.entries {
        switch entry {
        case .heading(let text): line(text, tone: .strong)
        case .note(let text): if number == bands.count - 1 { paragraph(text, indent: 4, hanging: 2) }
        case .caution(let text): if number == bands.count - 1 { paragraph("! " + text, indent: 4, hanging: 2) }
        case .row(_, let cells, _): writeRow(entry.indentedName ?? "", cells, layout, band)
        }
      }
    }
  }

  /// Rows with one cell of words: names to the left, the words wrapped next to them.
  private mutating func list(_ table: Table) {
    let names = table.entries.compactMap(\.indentedName)
    let width = min(style.width / 3, names.map { DisplayWidth.of(style.legible($0)) }.max() ?? 0)
    for entry in table.entries {
      guard case .row(_, let cells, _) = entry, let name = entry.indentedName else { continue }
      field(name, width: width + 2, cells.first?.text ?? "")
    }
  }

  private mutating func writeTitles(_ table: Table, _ layout: TableLayout, _ band: Range<Int>) {
    var text = padName(table.nameTitle, layout)
    for i in band {
      text += DisplayWidth.spaces(layout.gaps[i]) + DisplayWidth.padLeft(table.titles[i], to: layout.columns[i].width)
    }
    write([Piece(text: text, tone: .faint)])
  }

  private mutating func writeRow(_ name: String, _ cells: [TableCell], _ layout: TableLayout, _ band: Range<Int>) {
    var pieces = [Piece(text: padName(name, layout))]
    for i in band where i < cells.count {
      let (cell, column) = (cells[i], layout.columns[i])
      var text = DisplayWidth.padLeft(cell.text, to: column.text)
      if column.detail > 0 { text += " " + DisplayWidth.padLeft(cell.detail ?? "", to: column.detail) }
      pieces.append(Piece(text: DisplayWidth.spaces(layout.gaps[i] + column.width - DisplayWidth.of(text))))
      pieces.append(Piece(text: text, tone: cell.tone))
    }
    write(pieces)
  }

  private func padName(_ name: String, _ layout: TableLayout) -> String {
    DisplayWidth.padRight(DisplayWidth.cut(name, to: layout.name, mark: cutMark), to: layout.name)
  }
}

extension String {
  package var trimmedRight: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

// MARK: Markdown as GitHub reads it (GFM), with as few escapes as it takes: chats show them

struct MarkdownPage {
  /// GitHub takes 65,536 characters a comment; some room is left for words around it.
  static let mostBytes = 60_000

  private(set) var text = ""
  /// The most rows of a table. The least important rows are left out and counted.
  private let mostRows: Int
  private let words: RemedyWords

  private init(mostRows: Int, words: @escaping RemedyWords) { (self.mostRows, self.words) = (mostRows, words) }

  /// The document with as many rows of its tables as keep it short enough.
  static func render(_ document: Document, words: @escaping RemedyWords) -> String {
    func page(_ document: Document, _ rows: Int) -> String {
      var page = MarkdownPage(mostRows: rows, words: words)
      page.write(document)
      return page.text
    }
    func fits(_ text: String) -> Bool { text.utf8.count <= mostBytes }
    let longest = document.sections.flatMap(\.blocks).map(\.rows).max() ?? 0
    var (few, many) = (0, Int?.none)
    var best = page(document, few)
    while few + 1 < many ?? longest + 1 {
      // Doubles first, so no page is ever much too long.
      let middle = many.map { few + ($0 - few) / 2 } ?? max(16, few * 2)
      let text = page(document, middle)
      if fits(text) { (few, best) = (middle, text) } else { many = middle }
    }
    // Words alone are too long: sections go, the last first.
    var document = document
    var left = 0
    while !fits(best), !document.sections.isEmpty {
      document.sections.removeLast()
      left += 1
      best = page(document, 0) + "\nToo long for Markdown: \(left) of the sections are left out.\n"
    }
    return best
  }

  private mutating func write(_ document: Document) {
    if !document.title.isEmpty { heading(2, document.title) }
    for block in document.head { write(block) }
    for section in document.sections { write(section) }
  }

  mutating func write(_ section: Section) {
    if section.isFolded {
      text += "\n<details>\n<summary>\(MarkdownText.escape(section.title).replacing("<", with: "&lt;"))</summary>\n"
    } else if section.heading == .everywhere {
      heading(3, section.title)
    }
    for block in section.blocks { write(block) }
    if section.isFolded { text += "\n</details>\n" }
  }

  mutating func write(_ block: Block) {
    switch block {
    case .words(let words), .headline(let words), .paragraph(let words, _), .note(let words, _),
      .caution(let words, .none):
      paragraph(words)
    case .verdict(let words, _): heading(3, words)
    case .caution(let words, .exclamation): paragraph("! " + words)
    case .caution(let words, .note): paragraph("Note: " + words)
    case .strong(let words, _): strong(words)
    case .facts(let facts, _): list(facts)
    case .table(let table, let empty, _): if table.isEmpty { paragraph(empty) } else { self.table(table) }
    case .command(let words): code(words, language: "sh")
    case .source(let address):
      text += "\nSee " + (address.hasPrefix("https:") ? "<\(address)>" : MarkdownText.escape(address)) + "\n"
    case .ruler(let drawn): code(drawn, language: "text")
    case .drawing, .gap: break
    }
  }

  mutating func heading(_ level: Int, _ title: String) {
    text += (text.isEmpty ? "" : "\n") + String(repeating: "#", count: level) + " " + MarkdownText.escape(title) + "\n"
  }

  private mutating func paragraph(_ words: String) { text += "\n" + MarkdownText.line(words) + "\n" }

  private mutating func list(_ facts: [Fact]) {
    text += "\n"
    for fact in facts { text += "- **\(MarkdownText.escape(fact.name))** \(MarkdownText.escape(fact.words))\n" }
  }

  private mutating func strong(_ words: String) { text += "\n**\(MarkdownText.escape(words))**\n" }

  /// - Parameter line: of our own, never of data.
  private mutating func code(_ line: String, language: String) {
    let end = line.lastIndex { $0 != " " }
    text += "\n```\(language)\n\(end.map { String(line[...$0]) } ?? "")\n```\n"
  }

  private mutating func table(_ whole: Table) {
    let left = whole.weights.count - mostRows
    let table = left > 0 ? whole.only(Set(whole.order.prefix(mostRows))) : whole
    guard !table.isEmpty else { return paragraph(NumberText.counted(left, "row") + " left out" + words(.readCSV)) }
    text += "\n"
    line([table.nameTitle] + table.titles)
    line(["---"] + table.titles.map { _ in table.isList ? "---" : "--:" }, isRaw: true)
    var notes: [String] = []
    for entry in table.entries {
      switch entry {
      case .heading(let name):
        line(["**\(MarkdownText.escape(name))**"] + table.titles.map { _ in "" }, isRaw: true)
      case .row(let name, let cells, _):
        line([name] + cells.map(words))
      case .note(let words): notes.append(words)
      case .caution(let words): notes.append("! " + words)
      }
    }
    for note in notes { paragraph(note) }
    if left > 0 { paragraph("and " + NumberText.count(left) + " more row" + (left == 1 ? "" : "s") + words(.readCSV)) }
  }

  /// What text aligns in a column of its own is in brackets: an interval, a share.
  private func words(_ cell: TableCell) -> String {
    guard let detail = cell.detail else { return cell.text }
    let isSentence = cell.text.hasSuffix("of") || cell.tone == .good || cell.tone == .bad
    return cell.text + (isSentence ? " \(detail)" : " (\(detail))")
  }

  private mutating func line(_ cells: [String], isRaw: Bool = false) {
    let cells = cells.map { cell in
      isRaw ? cell : MarkdownText.escape(cell.trimmed)
    }
    text += "| " + cells.joined(separator: " | ") + " |\n"
  }
}

extension String {
  /// Without the spaces that indent it.
  var trimmed: String { String(drop { $0 == " " }) }
}

enum MarkdownText {
  /// The same at the beginning of a line, where a sign may begin a list, a quotation, a heading or code.
  static func line(_ text: String) -> String {
    let escaped = escape(text)
    let rest = escaped.drop { $0 == " " || $0 == "\t" }
    // A no-break space begins no code.
    let spaces = String(repeating: "\u{A0}", count: escaped.count - rest.count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let after = rest.dropFirst(digits.count)
    // A list's sign has a space after it.
    func isSign(_ signs: String, _ text: Substring) -> Bool {
      text.first.map { signs.contains($0) } == true && (text.dropFirst().first ?? " ") == " "
    }
    if !digits.isEmpty, isSign(".)", after) { return spaces + digits + "\\" + after }
    if rest.first.map({ ">#=".contains($0) }) == true || isSign("-+", rest) || rest.hasPrefix("--") {
      return spaces + "\\" + rest
    }
    return spaces + rest
  }

  /// One line of text without formatting, links or mentions.
  static func escape(_ text: String) -> String {
    let scalars = Array(TextStyle.plain.legible(text).unicodeScalars)
    var out = String.UnicodeScalarView()
    for (i, scalar) in scalars.enumerated() {
      let next = i + 1 < scalars.count ? scalars[i + 1] : nil
      if isMarkup(scalar, before: i > 0 ? scalars[i - 1] : nil, after: next) { out.append("\\") }
      out.append(scalar)
      if isReference(scalars, i) { out.append(invisible) }
    }
    return String(out)
  }

  /// A zero-width space: breaks mentions, issue numbers and addresses.
  private static let invisible: Unicode.Scalar = "\u{200B}"

  /// Whether a character has a meaning in Markdown at its position.
  private static func isMarkup(
    _ scalar: Unicode.Scalar, before: Unicode.Scalar?, after: Unicode.Scalar?
  ) -> Bool {
    switch scalar {
    case "\\", "`", "*", "|", "~", "$": true
    // Within a word it is an underscore.
    case "_": !(isWord(before) && isWord(after))
    // Tags and addresses begin with these; elsewhere it is the sign for less.
    case "<": after.map { isWord($0) || $0 == "/" || $0 == "!" || $0 == "?" } ?? false
    case "&": after.map { isWord($0) || $0 == "#" } ?? false
    // A link, an image or a footnote needs one of these after its bracket.
    case "]": after == "(" || after == "[" || after == ":"
    default: false
    }
  }

  private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar?.properties.isAlphabetic ?? false || isDigit(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }

  /// `@name`, `#123`, `GH-1`, `:boom:`, `https://…`, `www.…`.
  private static func isReference(_ scalars: [Unicode.Scalar], _ i: Int) -> Bool {
    let next = i + 1 < scalars.count ? scalars[i + 1] : nil
    switch scalars[i] {
    case "@": return isWord(next)
    case "#": return isDigit(next)
    case ":": return next == "/" || isEmoji(scalars, i)
    case "H", "h":
      return next == "-" && i > 0 && (scalars[i - 1] == "G" || scalars[i - 1] == "g")
        && isDigit(i + 2 < scalars.count ? scalars[i + 2] : nil)
    case "w", "W": return next == "." && i >= 2 && scalars[i - 2...i].allSatisfy { $0 == "w" || $0 == "W" }
    default: return false
    }
  }

  /// Whether a picture's name begins with the colon.
  private static func isEmoji(_ scalars: [Unicode.Scalar], _ i: Int) -> Bool {
    let name = scalars[(i + 1)...].prefix { $0.isASCII && (isWord($0) || "_+-".unicodeScalars.contains($0)) }
    // A time of day has colons too.
    guard let first = name.first, !isDigit(first) || name.elementsEqual("100".unicodeScalars) else { return false }
    return name.endIndex < scalars.count && scalars[name.endIndex] == ":"
  }
}
