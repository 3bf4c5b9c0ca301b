// The page that sections write on: lines, paragraphs and tables, none wider than the style's width.

struct TextPage {
  struct Span {
    var text: String
    var tone: TextTone = .plain
  }

  let style: TextStyle
  private(set) var bytes: [UInt8] = []

  init(_ style: TextStyle) { self.style = style }

  private var cutMark: String { style.legible("…") }

  mutating func blank() { bytes.append(0x0A) }

  /// One line of legible text.
  private mutating func write(_ spans: [Span]) {
    var spans = spans
    while let last = spans.last {
      let text = last.text.trimmedRight
      spans[spans.count - 1].text = text
      if !text.isEmpty { break }
      spans.removeLast()
    }
    for span in spans {
      let code = style.hasColor && !span.text.isEmpty ? span.tone.code : nil
      if let code { bytes += "\u{1B}[\(code)m".utf8 }
      for scalar in span.text.unicodeScalars { bytes += String(scalar == "\u{A0}" ? " " : scalar).utf8 }
      if code != nil { bytes += "\u{1B}[0m".utf8 }
    }
    bytes.append(0x0A)
  }

  /// A line, broken at spaces where it is too long.
  mutating func line(_ text: String, tone: TextTone = .plain) {
    guard DisplayWidth.of(style.legible(text)) > style.width else {
      return write([Span(text: style.legible(text), tone: tone)])
    }
    paragraph(text, start: "", hanging: 2, tone: tone)
  }

  /// A blank line and the title of a section with a rule behind it.
  mutating func section(_ title: String) {
    blank()
    let head = DisplayWidth.cut(style.legible("── " + title + " "), to: style.width, mark: cutMark)
    let rule = String(repeating: style.legible("─"), count: max(0, style.width - DisplayWidth.of(head)))
    write([Span(text: head + rule, tone: .strong)])
  }

  /// Words, broken at spaces; a no-break space holds. Lines but the first are indented by `hanging` more.
  mutating func paragraph(_ text: String, indent: Int = 0, hanging: Int = 0) {
    paragraph(text, start: DisplayWidth.spaces(indent), hanging: indent + hanging)
  }

  /// Words beside a label, which has a column of its own.
  mutating func field(_ label: String, width: Int, _ text: String) {
    let label = DisplayWidth.cut(style.legible(label), to: width - 2, mark: cutMark)
    paragraph(text, start: DisplayWidth.padRight(label, to: width), hanging: width)
  }

  private mutating func paragraph(_ text: String, start: String, hanging: Int, tone: TextTone = .plain) {
    var current = start
    var used = DisplayWidth.of(start)
    var isFresh = true
    for word in style.legible(text).split(separator: " ") {
      let word = DisplayWidth.cut(String(word), to: max(1, style.width - hanging), mark: cutMark)
      let width = DisplayWidth.of(word)
      if !isFresh, used + 1 + width > style.width {
        write([Span(text: current, tone: tone)])
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
    write([Span(text: current, tone: tone)])
  }

  /// A table, its columns in several bands under each other where they do not fit side by side.
  mutating func table(_ table: Table) {
    let table = legible(table)
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
        case .row(let name, let cells): writeRow(name, cells, layout, band)
        }
      }
    }
  }

  /// Rows of one cell with words in it: names to the left, the words broken to lines beside them.
  mutating func list(_ table: Table) {
    let names = table.names.map { DisplayWidth.of(style.legible($0)) }
    let width = min(style.width / 3, names.max() ?? 0)
    for case .row(let name, let cells) in table.entries { field(name, width: width + 2, cells.first?.text ?? "") }
  }

  private func legible(_ table: Table) -> Table {
    var table = table
    table.nameTitle = style.legible(table.nameTitle)
    table.titles = table.titles.map { style.legible($0) }
    table.entries = table.entries.map { entry in
      switch entry {
      case .row(let name, let cells):
        return .row(
          style.legible(name),
          cells.map { TableCell(style.legible($0.text), $0.detail.map { style.legible($0) }, tone: $0.tone) })
      default: return entry
      }
    }
    return table
  }

  private mutating func writeTitles(_ table: Table, _ layout: TableLayout, _ band: Range<Int>) {
    var text = padName(table.nameTitle, layout)
    for i in band {
      text += DisplayWidth.spaces(layout.gaps[i]) + DisplayWidth.padLeft(table.titles[i], to: layout.columns[i].width)
    }
    write([Span(text: text, tone: .faint)])
  }

  private mutating func writeRow(_ name: String, _ cells: [TableCell], _ layout: TableLayout, _ band: Range<Int>) {
    var spans = [Span(text: padName(name, layout))]
    for i in band where i < cells.count {
      let (cell, column) = (cells[i], layout.columns[i])
      var text = DisplayWidth.padLeft(cell.text, to: column.text)
      if column.detail > 0 { text += " " + DisplayWidth.padLeft(cell.detail ?? "", to: column.detail) }
      spans.append(Span(text: DisplayWidth.spaces(layout.gaps[i] + column.width - DisplayWidth.of(text))))
      spans.append(Span(text: text, tone: cell.tone))
    }
    write(spans)
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
