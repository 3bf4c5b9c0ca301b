// Where the users who are active now stand, by the last word on each permission.

import PermissionAnalysis

enum ReachSection {
  static func write(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    let rows = scope.report.reach
    let users = rows.first?.activeUsers ?? 0
    page.section("Reach at as_of")
    page.paragraph(
      "Of \(NumberText.counted(users, "user")) with any event in the 28 days up to as_of, whatever their week of exposure: "
        + "where each permission stands by the last thing the app learned. Never asked: no event of it. Descriptive, "
        + "and as fresh as the app's last look.")
    page.blank()
    var table = Table("permission", ["on", "partial", "off", "restricted", "undecided", "never asked"])
    for row in rows {
      let counts = [row.on, row.partial, row.off, row.restricted, row.undecided, row.neverAsked]
      table.row(
        RowNames.permission(row.permission),
        counts.map {
          page.style.isWide ? cells.part($0, of: row.activeUsers) : cells.share($0, of: row.activeUsers)
        })
    }
    guard !table.isEmpty else { return page.paragraph("No active user has an event of a permission.") }
    page.table(table)
    page.cautions(rows.map(\.permission))
  }
}
