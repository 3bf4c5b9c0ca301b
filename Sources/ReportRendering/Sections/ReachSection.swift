// Where the users who are active now stand, by the last word on each permission.

import PermissionAnalysis

enum ReachSection {
  static func section(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let rows = scope.report.reach
    let users = rows.first?.activeUsers ?? 0
    let words =
      "Of \(NumberText.counted(users, "user")) with any event in the 28 days up to as_of, whatever their week of exposure: "
      + "where each permission stands by the last thing the app learned. Never asked: no event of it. Descriptive, "
      + "and as fresh as the app's last look."
    var table = Table("permission", ["on", "partial", "off", "restricted", "undecided", "never asked"])
    for row in rows {
      let counts = [row.on, row.partial, row.off, row.restricted, row.undecided, row.neverAsked]
      table.row(
        RowNames.permission(row.permission),
        counts.map {
          style.isWide ? cells.part($0, of: row.activeUsers) : cells.share($0, of: row.activeUsers)
        })
    }
    return ReportSection(
      .reach, "Reach at as_of", words, table, permissions: rows.map(\.permission),
      empty: "No active user has an event of a permission.")
  }
}
