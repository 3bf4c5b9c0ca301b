// Use of the app by those who granted and those who did not: 28 days of it, and who is back on a day.

import PermissionAnalysis

enum EngagementSection {
  static func sections(_ scope: ReportScope, _ style: TextStyle) -> [ReportSection] {
    [engagement(scope, style), retention(scope, style)]
  }

  private static func engagement(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "Engagement, all weeks"
    let words =
      "Means over the 28 calendar days from the day of exposure, of users seen that long: days with any use, and uses "
      + "of a feature; others did not grant. Correlation: of granting with the number. Observations, not effects: "
      + "keen users grant more and use more."
    var table = Table("", ["users", "granted", "others", "difference", "correlation"])
    for row in scope.allRows where row.grants.base > 0 {
      let use = row.engagement
      table.heading(RowNames.full(row))
      table.row(
        "  active days",
        [
          users(use, cells), cells.mean(use.granted.meanActiveDays), cells.mean(use.notGranted.meanActiveDays),
          cells.difference(use.activeDaysDifference), cells.difference(use.activeDaysCorrelation),
        ])
      table.row(
        "  feature uses",
        [
          users(use, cells), cells.mean(use.granted.meanFeatureEvents), cells.mean(use.notGranted.meanFeatureEvents),
          cells.difference(use.featureEventsDifference), cells.difference(use.featureEventsCorrelation),
        ])
    }
    return ReportSection(
      .engagement, title, words, table, of: scope.allRows, empty: "There is nobody in the base.")
  }

  private static func users(_ use: EngagementFigures, _ cells: FigureCells) -> TableCell { cells.count(use.eligible) }

  static func retention(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let isWide = style.isWide
    let title = "Retention, all weeks"
    let words =
      "Share that used the app on that calendar day after the day of exposure, "
      + (isWide ? "of how many, " : "and n, of how many, ")
      + "by outcome; difference: granted less all others, in points. Observations, not effects: granting is not "
      + "shown to be the reason."
    let names = ["granted", "denied", "skipped", isWide ? "dropped off" : "dropped"]
    var table = Table("", (isWide ? names : names.flatMap { [$0, "n"] }) + ["difference"])
    for row in scope.allRows where row.grants.base > 0 {
      table.heading(RowNames.full(row))
      for day in row.retention {
        let shares = day.outcomes.flatMap { share in
          isWide
            ? [cells.shareOf(share.count, share.eligible)]
            : [cells.share(share.rate), cells.count(share.eligible)]
        }
        table.row("  day \(day.day)", shares + [cells.points(day.difference)])
      }
    }
    return ReportSection(
      .retention, title, words, table, of: scope.allRows, empty: "There is nobody in the base.")
  }
}
