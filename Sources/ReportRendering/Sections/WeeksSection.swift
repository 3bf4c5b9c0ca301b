// Every week of every permission, the newest last.

import PermissionAnalysis

enum WeeksSection {
  static func section(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let table = table(scope, style)
    return ReportSection(.weeks, "By week", words(scope, style), table, empty: "No week has exposures.")
  }

  private static func words(_ scope: ReportScope, _ style: TextStyle) -> String {
    var text =
      "Weeks of the first screen. Base: exposed less pending (still within "
      + "\(NumberText.window(scope.report.responseWindow))) and restricted. Change: points against the week before, "
      + (style.isASCII ? "* marks" : "▲ and ▼ mark") + " p\u{A0}<\u{A0}0.05 after Holm's correction."
    if scope.hasRunningWeek { text += " Partial: the week is still running, and gets no trend." }
    if scope.groups.contains(where: { $0.weeks.contains { isCut($0, scope) } }) {
      text += " Cut: the interval asked for holds only a part of the week."
    }
    return text
  }

  private static func table(_ scope: ReportScope, _ style: TextStyle) -> Table {
    let cells = FigureCells(style: style)
    let isWide = style.isWide
    let titles = ["exposed", "pending", "base", "grant rate", "change"]
    var table = Table("week", isWide ? titles + ["adjusted p", "skip", "deny", "drop-off"] : titles)
    for group in scope.groups {
      table.heading(RowNames.full(group.all))
      for row in group.weeks + [group.all] {
        var line = [
          cells.count(row.grants.exposed), cells.count(row.grants.pending), cells.count(row.grants.base),
          cells.rate(row.grants.grantRate),
          row.week == nil ? TableCell("") : cells.change(row.trend),
        ]
        if isWide {
          line.append(row.week == nil ? TableCell("") : pValue(row.trend, cells))
          line += [row.grants.skipRate, row.grants.denyRate, row.grants.dropOffRate].map { cells.share($0) }
        }
        table.row("  " + label(row, scope), line)
      }
      if let caution = RowNames.caution(group.all.permission) { table.note("! " + caution) }
    }
    return table
  }

  private static func label(_ row: ReportRow, _ scope: ReportScope) -> String {
    guard let week = row.week else { return "all weeks" }
    return week.text + (state(row, scope).map { " " + $0 } ?? "")
  }

  /// Why a week cannot be compared with others; nil where it is whole.
  static func state(_ row: ReportRow, _ scope: ReportScope) -> String? {
    row.isComplete == false ? "partial" : isCut(row, scope) ? "cut" : nil
  }

  private static func isCut(_ row: ReportRow, _ scope: ReportScope) -> Bool {
    row.isComplete == true && row.week.map { !scope.isWhole($0) } ?? false
  }

  private static func pValue(_ trend: Trend?, _ cells: FigureCells) -> TableCell {
    guard let p = trend?.adjustedPValue, p.isFinite else { return cells.unknown }
    return TableCell(p < 0.001 ? "<0.001" : fixed(p, 3))
  }
}
