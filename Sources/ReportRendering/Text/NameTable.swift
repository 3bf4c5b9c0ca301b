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

  /// Lines of at most the style's width: names are cut before outcomes are.
  package var text: String {
    let shown = rows.map {
      (count: grouped($0.count), name: style.legible($0.name), outcome: style.legible($0.outcome))
    }
    let mark = style.isASCII ? "..." : "…"
    let counts = max(5, shown.map { DisplayWidth.of($0.count) }.max() ?? 0)
    let room = style.width - counts - 4
    let outcomes = min(shown.map { DisplayWidth.of($0.outcome) }.max() ?? 0, room * 3 / 5)
    let names = max(5, min(shown.map { DisplayWidth.of($0.name) }.max() ?? 0, room - outcomes))
    func line(_ count: String, _ name: String, _ outcome: String) -> String {
      let name = DisplayWidth.padRight(DisplayWidth.cut(name, to: names, mark: mark), to: names)
      return DisplayWidth.padLeft(count, to: counts) + "  " + name + "  "
        + DisplayWidth.cut(outcome, to: max(outcomes, 8), mark: mark)
    }
    return ([line("count", "event", "became")] + shown.map { line($0.count, $0.name, $0.outcome) })
      .joined(separator: "\n") + "\n"
  }
}
