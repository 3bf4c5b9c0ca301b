// Paragraphs, lists and tables of Markdown.

struct MarkdownPage {
  private(set) var text = ""

  var bytes: [UInt8] { Array(text.utf8) }

  mutating func heading(_ level: Int, _ title: String) {
    text += (text.isEmpty ? "" : "\n") + String(repeating: "#", count: level) + " " + MarkdownText.escape(title) + "\n"
  }

  mutating func paragraph(_ words: String) { text += "\n" + MarkdownText.escape(words) + "\n" }

  mutating func list(_ items: [(name: String, text: String)]) {
    text += "\n"
    for item in items { text += "- **\(MarkdownText.escape(item.name.trimmed))** \(MarkdownText.escape(item.text))\n" }
  }

  mutating func strong(_ words: String) { text += "\n**\(MarkdownText.escape(words))**\n" }

  /// - Parameter line: of our own, never of data.
  mutating func code(_ line: String, language: String = "sh") {
    let end = line.lastIndex { $0 != " " }
    text += "\n```\(language)\n\(end.map { String(line[...$0]) } ?? "")\n```\n"
  }

  /// A table; its notes stand below it.
  mutating func table(_ table: Table) {
    text += "\n"
    line([table.nameTitle] + table.titles)
    line(["---"] + table.titles.map { _ in table.isList ? "---" : "--:" }, isRaw: true)
    var notes: [String] = []
    for entry in table.entries {
      switch entry {
      case .heading(let name):
        line(["**\(MarkdownText.escape(name))**"] + table.titles.map { _ in "" }, isRaw: true)
      case .row(let name, let cells):
        line([name] + cells.map(words))
      case .note(let words): notes.append(words)
      }
    }
    for note in notes { paragraph(note) }
  }

  /// What the text aligns in a column of its own stands in brackets: an interval, a share.
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
