// The way from the first screen to the grant, and where people leave it: each line begins where the one above ends.

import PermissionAnalysis

enum FunnelChart {
  /// A line of the funnel: its name, and who of the base it stands for.
  struct Line {
    var name: String
    var count: Int
    var style: String
    /// How many of the base are to the left of the bar.
    var before = 0
    /// True for those who leave.
    var isExit = false
  }

  private static let axis = ShareAxis([0, 1], startsAtZero: true)
  private static let lineHeight = 27.0

  static func draw(_ row: ReportRow, on page: inout Markup) {
    let lines = lines(row)
    let plot = Plot(
      height: Double(lines.count) * lineHeight + 24, left: 0, right: 0, top: 0, bottom: 20, x: axis.low...axis.high,
      y: 0...1)
    let description = lines.map { "\($0.name): \(part($0, row))" }.joined(separator: "; ") + "."
    page.drawing(
      height: plot.height, title: "From the first screen to the grant, " + RowNames.full(row), description: description
    ) { page in
      // Shares of the base: bars begin at 0, and the axis ends at all of it.
      for tick in axis.ticks {
        let place = tick == axis.low ? "" : tick == axis.high ? "end" : "middle"
        plot.xTick(&page, tick, axis.text(tick), place: place)
      }
      let base = Double(max(1, row.grants.base))
      for (i, line) in lines.enumerated() {
        let y = Double(i) * lineHeight + 14
        page.label((line.isExit ? "↳ " : "") + line.name, x: line.isExit ? 10 : 0, y: y, line.isExit ? "" : "strong")
        page.label(part(line, row), x: Plot.width, y: y, line.isExit ? "end" : "end strong")
        page.bar(x: 0, y: y + 4, width: Plot.width, height: 6, "rail", radius: 1.5)
        guard line.count > 0 else { continue }
        let start = plot.x(Double(line.before) / base)
        let end = plot.x(Double(line.before + line.count) / base)
        page.series(line.name, line.style) { $0.bar(x: start, y: y + 4, width: end - start, height: 6, "fill") }
      }
    }
  }

  private static func part(_ line: Line, _ row: ReportRow) -> String {
    NumberText.count(line.count) + " · " + NumberText.percent(Double(line.count) / Double(max(1, row.grants.base)))
  }

  static func lines(_ row: ReportRow) -> [Line] {
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
