// The page that sections write on: lines, paragraphs and tables, none wider than the style's width.

struct TextPage {
  /// A piece of a line.
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
    case .verdict(let words, let tone, _): line(words, tone: tone)
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

  /// A blank line and the title of a section with a rule after it.
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

  /// Words beside a label, which has a column of its own.
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

  /// Rows of one cell with words in it: names to the left, the words broken to lines beside them.
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
  fileprivate var trimmedRight: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
