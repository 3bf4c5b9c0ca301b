// A table of names from outside: how often each occurred and what became of it.

/// Rows of a count, a name and words about it.
package struct NameTable: Sendable {
  package struct Row: Sendable {
    var count: Int
    var name: String
    var outcome: String

    package init(count: Int, name: String, outcome: String) {
      self.count = count
      self.name = name
      self.outcome = outcome
    }
  }

  private let rows: [Row]
  private let style: TextStyle

  package init(_ rows: [Row], style: TextStyle) {
    self.rows = rows
    self.style = style
  }

  /// Lines of at most the style's width. Names are not cut, because people copy them: where name and outcome do not fit
  /// beside one another the outcome takes a line of its own.
  package var text: String {
    let shown = rows.map {
      (count: grouped($0.count), name: style.legible($0.name), outcome: style.legible($0.outcome))
    }
    let mark = style.isASCII ? "..." : "…"
    let counts = max(5, shown.map { DisplayWidth.of($0.count) }.max() ?? 0)
    let room = style.width - counts - 4
    let outcomes = min(shown.map { DisplayWidth.of($0.outcome) }.max() ?? 0, room / 2)
    let names = max(5, min(shown.map { DisplayWidth.of($0.name) }.max() ?? 0, room - outcomes))
    func line(_ count: String, _ name: String, _ outcome: String) -> String {
      let begin = DisplayWidth.padLeft(count, to: counts) + "  "
      if DisplayWidth.of(name) <= names, DisplayWidth.of(outcome) <= room - names {
        return begin + DisplayWidth.padRight(name, to: names) + "  " + outcome
      }
      let margin = DisplayWidth.spaces(counts + 4)
      return begin + DisplayWidth.cut(name, to: style.width - counts - 2, mark: mark) + "\n" + margin
        + DisplayWidth.cut(outcome, to: style.width - counts - 4, mark: mark)
    }
    return ([line("count", "event", "became")] + shown.map { line($0.count, $0.name, $0.outcome) })
      .joined(separator: "\n") + "\n"
  }
}
