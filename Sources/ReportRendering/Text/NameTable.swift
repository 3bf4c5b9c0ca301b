// A table of names from outside: how often each occurred, with which answer, and what became of it.

/// Rows of a count, a name, an answer and words about them.
package struct NameTable: Sendable {
  package struct Row: Sendable {
    var count: Int
    var name: String
    /// The properties that had a say; may be empty.
    var answer: String
    var outcome: String
    /// Where the first one is; may be empty.
    var example: String

    package init(count: Int, name: String, answer: String, outcome: String, example: String) {
      self.count = count
      self.name = name
      self.answer = answer
      self.outcome = outcome
      self.example = example
    }
  }

  private let rows: [Row]
  private let style: TextStyle

  package init(_ rows: [Row], style: TextStyle) {
    self.rows = rows
    self.style = style
  }

  /// Lines of at most the style's width. People copy names, so that they are cut at the line's end alone: if the columns do not
  /// fit beside one another, what became of the name takes a line of its own.
  package var text: String {
    let cells =
      [["event", "answer", "became", "first at"]]
      + rows.map { row in
        [row.name, row.answer, row.outcome, row.example].map { style.legible($0) }
      }
    let counts = ["count"] + rows.map { grouped($0.count) }
    let countWidth = counts.map { DisplayWidth.of($0) }.max() ?? 5
    let used = (0..<4).filter { column in rows.isEmpty || cells.dropFirst().contains { !$0[column].isEmpty } }
    let widths = used.map { column in cells.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
    let fits = countWidth + widths.reduce(0) { $0 + $1 + 2 } <= style.width
    let lines = zip(counts, cells).map { count, row in
      let begin = DisplayWidth.padLeft(count, to: countWidth)
      if fits { return begin + beside(used.map { row[$0] }, widths) }
      return begin + below(row, margin: countWidth + 4)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func beside(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (i, (cell, width)) in zip(row, widths).enumerated() {
      line += "  " + (i == row.count - 1 ? cell : DisplayWidth.padRight(cell, to: width))
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  /// The name and its answer, then what became of them and the example on the next line.
  private func below(_ row: [String], margin: Int) -> String {
    let mark = style.isASCII ? "..." : "…"
    let name = DisplayWidth.cut(row[0], to: style.width - margin + 2, mark: mark)
    let space = DisplayWidth.spaces(margin)
    var lines = "  " + name
    let answer = row[1]
    if !answer.isEmpty {
      let isBeside = margin + DisplayWidth.of(name) + DisplayWidth.of(answer) <= style.width
      lines += isBeside ? "  " + answer : "\n" + space + DisplayWidth.cut(answer, to: style.width - margin, mark: mark)
    }
    let rest = (style.isASCII ? "-> " : "→ ") + (row[3].isEmpty ? row[2] : row[2] + "  " + row[3])
    return lines + "\n" + space + DisplayWidth.cut(rest, to: style.width - margin, mark: mark)
  }
}
