// Every week of every permission, the newest last.

import PermissionAnalysis

enum WeeksSection {
  static func write(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    let isWide = page.style.isWide
    page.section("By week")
    var text =
      "Weeks of the first screen. Base: exposed less pending (still within "
      + "\(NumberText.window(scope.report.responseWindow))) and restricted. Change: points against the week before, "
      + (page.style.isASCII ? "* marks" : "▲ and ▼ mark") + " p\u{A0}<\u{A0}0.05 after Holm's correction."
    if scope.hasRunningWeek { text += " Partial: the week is still running, and gets no trend." }
    if scope.groups.contains(where: { $0.weeks.contains { isCut($0, scope) } }) {
      text += " Cut: the interval asked for holds only a part of the week."
    }
    page.paragraph(text)
    page.blank()
    let titles = ["exposed", "pending", "base", "grant rate", "change"]
    var table = Table("week", isWide ? titles + ["adjusted p", "skip", "deny", "drop-off"] : titles)
    for group in scope.groups {
      table.heading(RowNames.full(group.all))
      for row in group.weeks + [group.all] {
        var line = [
          cells.count(row.exposed), cells.count(row.pending), cells.count(row.base), cells.rate(row.grantRate),
          row.week == nil ? TableCell("") : cells.change(row.trend),
        ]
        if isWide {
          line.append(row.week == nil ? TableCell("") : pValue(row.trend, cells))
          line += [row.skipRate, row.denyRate, row.dropOffRate].map { cells.share($0) }
        }
        table.row("  " + label(row, scope), line)
      }
      if let caution = RowNames.caution(group.all.permission) { table.note("! " + caution) }
    }
    page.table(table)
  }

  private static func label(_ row: ReportRow, _ scope: ReportScope) -> String {
    guard let week = row.week else { return "all weeks" }
    if row.isComplete == false { return week.text + " partial" }
    return isCut(row, scope) ? week.text + " cut" : week.text
  }

  private static func isCut(_ row: ReportRow, _ scope: ReportScope) -> Bool {
    row.isComplete == true && row.week.map { !scope.isWhole($0) } ?? false
  }

  private static func pValue(_ trend: Trend?, _ cells: FigureCells) -> TableCell {
    guard let p = trend?.adjustedPValue, p.isFinite else { return cells.unknown }
    return TableCell(p < 0.001 ? "<0.001" : fixed(p, 3))
  }
}
