// The way from the first screen to the grant, and where people leave it: each line begins where the one above ends.

import PermissionAnalysis

enum FunnelChart {
  private struct Line {
    var name: String
    var count: Int
    var style: String
    /// How many of the base are to the left of the bar.
    var before = 0
    /// True for those who leave.
    var isExit = false
  }

  static func draw(_ row: ReportRow, on page: inout Markup) {
    let lines = lines(row)
    let height = Double(lines.count) * 27 + 6
    let description = lines.map { "\($0.name): \(part($0, row))" }.joined(separator: "; ") + "."
    page.drawing(
      height: height, title: "From the first screen to the grant, " + RowNames.full(row), description: description
    ) { page in
      let x = Scale(low: 0, high: Double(max(1, row.grants.base)), start: 0, end: Plot.width)
      for (i, line) in lines.enumerated() {
        let y = Double(i) * 27 + 14
        page.label((line.isExit ? "↳ " : "") + line.name, x: line.isExit ? 10 : 0, y: y, line.isExit ? "" : "strong")
        page.label(part(line, row), x: Plot.width, y: y, line.isExit ? "end" : "end strong")
        page.bar(x: 0, y: y + 4, width: Plot.width, height: 6, "rail", radius: 1.5)
        guard line.count > 0 else { continue }
        let start = x(Double(line.before))
        page.bar(
          x: start, y: y + 4, width: max(1.5, x(Double(line.before + line.count)) - start), height: 6,
          line.style + " fill", radius: 1.5)
      }
    }
  }

  private static func part(_ line: Line, _ row: ReportRow) -> String {
    guard row.grants.base > 0 else { return NumberText.count(line.count) }
    return NumberText.count(line.count) + " · " + NumberText.percent(Double(line.count) / Double(row.grants.base))
  }

  private static func lines(_ row: ReportRow) -> [Line] {
    let (explanation, prompt) = (row.steps.explanation, row.steps.prompt)
    var lines: [Line] = []
    var left = row.grants.base
    func exit(_ name: String, _ count: Int, _ style: String) {
      left -= count
      lines.append(Line(name: name, count: count, style: style, before: left, isExit: true))
    }
    let first =
      explanation.shown == 0
      ? "Saw the system's prompt" : explanation.shown == row.grants.base ? "Saw the explanation" : "Saw a first screen"
    lines.append(Line(name: first, count: row.grants.base, style: "neutral"))
    if explanation.shown > 0 {
      exit("skipped at the explanation", explanation.skipped, "skipped")
      exit("no answer at the explanation", explanation.dropped, "dropped")
      let unseen = explanation.answered > 0 ? " (\(NumberText.count(explanation.answered)) not recorded)" : ""
      lines.append(Line(name: "Came to the system's prompt" + unseen, count: left, style: "neutral"))
    }
    exit("denied", row.grants.denied, "denied")
    if prompt.skipped > 0 { exit("skipped at the prompt", prompt.skipped, "skipped") }
    exit("no answer at the prompt", prompt.dropped, "dropped")
    lines.append(Line(name: "Granted", count: row.grants.granted, style: "granted"))
    return lines
  }
}
