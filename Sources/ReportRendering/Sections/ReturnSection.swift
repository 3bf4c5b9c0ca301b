// What comes after the first answer: who enables later, the Settings prompts, who revokes.

import PermissionAnalysis

enum ReturnSection {
  static let outcomes = ["denied", "skipped", "dropped off"]

  static func sections(_ scope: ReportScope, _ style: TextStyle) -> [ReportSection] {
    [returning(scope, style), settings(scope, style), afterGrant(scope, style)]
  }

  static func returning(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let isWide = style.isWide
    let title = "Re-engagement, all weeks"
    let words =
      "Who did not grant, and enabled it later. Enabled: within \(NumberText.window(scope.report.followUp)), of those "
      + "followed that long. Day n: share enabled in the first n days (Kaplan–Meier, over all of them); at risk: "
      + "still followed at the last of the 28 days. Descriptive: who denies depends on the message, so do not "
      + "compare messages by it."
    var table = Table("", ["enabled", "rate", "day 1", "day 7", "day 28", "at risk"])
    var shown: [ReportRow] = []
    for row in scope.allRows where row.grants.denied + row.grants.skipped + row.grants.droppedOff > 0 {
      shown.append(row)
      table.heading(RowNames.full(row))
      for (i, (name, later)) in zip(outcomes, row.returns.enabledLater).enumerated() {
        guard [row.grants.denied, row.grants.skipped, row.grants.droppedOff][i] > 0 else { continue }
        var line = [cells.countOf(later.share.count, later.share.eligible), cells.rate(later.share.rate)]
        for point in later.kaplanMeier {
          let estimate = point.value.map { Estimate($0, low: point.low, high: point.high) }
          line.append(isWide || point.day == 28 ? cells.rate(estimate) : cells.share(estimate))
        }
        line.append(later.kaplanMeier.last.map { cells.count($0.atRisk) } ?? cells.unknown)
        table.row("  " + name, line)
      }
    }
    return ReportSection(
      .returning, title, words, table, of: shown, empty: "There is nobody in the base who did not grant.")
  }

  private static func settings(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "Settings prompts, all weeks"
    let window = NumberText.window(scope.report.settingsWindow)
    let words =
      "After a denial the app pointed to Settings. Enabled: within \(window), of those seen that long. After and "
      + "other: enablings per 100 person-days in the \(window) after the prompt, and in all other time of the denied; "
      + "ratio: of the two. Descriptive: the alert is shown to people who just tried the feature, who would enable "
      + "more often anyway."
    var table = Table(Table.nameTitle(scope.report), ["shown", "opened", "enabled", "after", "other", "ratio"])
    table.add(scope.allRows) { row in
      let settings = row.settings
      guard settings.shown > 0 else { return nil }
      return [
        cells.count(settings.shown), cells.part(settings.opened, of: settings.shown),
        cells.countOf(settings.enabled, settings.eligible), cells.number(settings.exposed.per100PersonDays),
        cells.number(settings.unexposed.per100PersonDays), cells.ratio(settings.rateRatio),
      ]
    }
    return ReportSection(
      .settings, title, words, table, of: scope.allRows, empty: "No Settings prompt was shown after a denial.")
  }

  private static func afterGrant(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "After the grant, all weeks"
    let words =
      "Of grants followed for \(NumberText.window(scope.report.followUp)): revoked again in that time. Upgraded: of "
      + "the partial ones among them, those that became full. Descriptive: among those who granted."
    var table = Table(Table.nameTitle(scope.report), ["revoked", "rate", "upgraded", "rate"])
    table.add(scope.allRows) { row in
      guard row.grants.granted > 0 else { return nil }
      return [
        cells.countOf(row.afterGrant.revoked.count, row.afterGrant.revoked.eligible),
        cells.rate(row.afterGrant.revoked.rate),
        cells.countOf(row.afterGrant.upgraded.count, row.afterGrant.upgraded.eligible),
        cells.rate(row.afterGrant.upgraded.rate),
      ]
    }
    return ReportSection(
      .afterGrant, title, words, table, of: scope.allRows, empty: "Nobody in the base granted.")
  }
}
