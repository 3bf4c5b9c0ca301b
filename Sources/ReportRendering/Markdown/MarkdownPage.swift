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
    for item in items { text += "- **\(MarkdownText.escape(item.name))** \(MarkdownText.escape(item.text))\n" }
  }

  mutating func code(_ line: String) { text += "\n```sh\n\(line)\n```\n" }

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
        line([name] + cells.map { [$0.text, $0.detail].compactMap { $0 }.joined(separator: " ") })
      case .note(let words): notes.append(words)
      }
    }
    for note in notes { paragraph(note) }
  }

  private mutating func line(_ cells: [String], isRaw: Bool = false) {
    let cells = cells.map { cell in
      let start = cell.drop { $0 == " " }
      return isRaw ? String(start) : MarkdownText.escape(String(start))
    }
    text += "| " + cells.joined(separator: " | ") + " |\n"
  }
}
