// What comes after the first answer: later opt-ins, Settings prompts, revoked grants, use of the app.

import PermissionAnalysis

extension ReportSection {
  static func returning(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "Later opt-in: users who did not grant and enabled the permission later. Enabled: within "
      + "\(NumberText.window(scope.report.followUp)), of those followed that long. Day n: share enabled in the first n "
      + "days (Kaplan–Meier, over all of them); at risk: still followed on the last of the 28 days. Descriptive: who "
      + "denies depends on the message, so do not compare messages by it."
    var columns: [TableColumn<EnabledLater>] = [
      TableColumn("enabled") { cells.countOf($0.share.count, $0.share.eligible) },
      TableColumn("rate") { cells.rate($0.share.rate) },
    ]
    for (i, day) in [1, 7, 28].enumerated() {
      columns.append(
        TableColumn("day \(day)") { later in
          let point = later.kaplanMeier[i]
          let estimate = point.value.map { Estimate($0, low: point.low, high: point.high) }
          return style.isWide || day == 28 ? cells.rate(estimate) : cells.share(estimate)
        })
    }
    columns.append(
      TableColumn("at risk") { later in later.kaplanMeier.last.map { cells.count($0.atRisk) } ?? cells.unknown })
    func counts(_ row: ReportRow) -> [Int] { [row.grants.denied, row.grants.skipped, row.grants.droppedOff] }
    let rows = scope.allRows.filter { counts($0).contains { $0 > 0 } }
    let table = Table(rows, columns) { row in
      zip(["denied", "skipped", "no answer"], row.returns.enabledLater).enumerated()
        .filter { counts(row)[$0.offset] > 0 }.map(\.element)
    }
    return ReportSection(
      .returning, "Re-engagement, all weeks", words, table, of: rows,
      empty: "There is nobody in the base who did not grant.")
  }

  static func settings(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let window = NumberText.window(scope.report.settingsWindow)
    let words =
      "After a denial the app pointed to Settings. Enabled: within \(window), of those followed that long. After and "
      + "other: enabled per 100 person-days in the \(window) after the prompt, and in all other time after the denial; "
      + "ratio: the first over the second. Descriptive: the alert is shown to people who just tried the feature, who "
      + "would enable more often anyway."
    let columns: [TableColumn<ReportRow>] = [
      TableColumn("shown") { cells.count($0.settings.shown) },
      TableColumn("opened") { cells.part($0.settings.opened, of: $0.settings.shown) },
      TableColumn("enabled") { cells.countOf($0.settings.enabled, $0.settings.eligible) },
      TableColumn("after") { cells.number($0.settings.exposed?.per100PersonDays) },
      TableColumn("other") { cells.number($0.settings.unexposed?.per100PersonDays) },
      TableColumn("ratio") { cells.ratio($0.settings.rateRatio) },
    ]
    let table = Table(scope, scope.allRows, columns, where: { $0.settings.shown > 0 })
    return ReportSection(
      .settings, "Settings prompts, all weeks", words, table, of: scope.allRows,
      empty: "No Settings prompt was shown after a denial.")
  }

  static func afterGrant(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "Revoked: of grants followed for \(NumberText.window(scope.report.followUp)), those revoked in that time. Upgraded: "
      + "of the partial grants among them, those that became full. Descriptive: among those who granted."
    let columns = [("revoked", \AfterGrantFigures.revoked), ("upgraded", \AfterGrantFigures.upgraded)].flatMap {
      name, share -> [TableColumn<ReportRow>] in
      [
        TableColumn(name) {
          cells.countOf($0.afterGrant[keyPath: share].count, $0.afterGrant[keyPath: share].eligible)
        },
        TableColumn("rate") { cells.rate($0.afterGrant[keyPath: share].rate) },
      ]
    }
    let table = Table(scope, scope.allRows, columns, where: { $0.grants.granted > 0 })
    return ReportSection(
      .afterGrant, "After the grant, all weeks", words, table, of: scope.allRows,
      empty: "Nobody in the base granted.")
  }

  static func engagement(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "Means over the 28 calendar days from the day of exposure, of users followed that long: days with any use, and uses "
      + "of a feature; others did not grant. Correlation: of granting with the number. Observations, not effects: "
      + "keen users grant more and use more."
    typealias Use = (granted: Double?, others: Double?, difference: Estimate?, correlation: Estimate?, users: Int)
    let columns: [TableColumn<Use>] = [
      TableColumn("users") { cells.count($0.users) }, TableColumn("granted") { cells.mean($0.granted) },
      TableColumn("others") { cells.mean($0.others) }, TableColumn("difference") { cells.difference($0.difference) },
      TableColumn("correlation") { cells.difference($0.correlation) },
    ]
    let table = Table(scope.allRows.filter { $0.grants.base > 0 }, columns) { row in
      let use = row.engagement
      let (yes, no) = (use.granted, use.notGranted)
      return [
        (
          "active days",
          (yes.meanActiveDays, no.meanActiveDays, use.activeDaysDifference, use.activeDaysCorrelation, use.eligible)
        ),
        (
          "feature uses",
          (
            yes.meanFeatureEvents, no.meanFeatureEvents, use.featureEventsDifference, use.featureEventsCorrelation,
            use.eligible
          )
        ),
      ]
    }
    return ReportSection(
      .engagement, "Engagement, all weeks", words, table, of: scope.allRows, empty: "There is nobody in the base.")
  }

  static func retention(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "Share that used the app on that calendar day after the day of exposure, "
      + (style.isWide ? "of how many, " : "and n, of how many, ")
      + "by outcome; difference: granted minus all others, in points. Observations, not effects: this does not show that "
      + "granting is the reason."
    var columns: [TableColumn<RetentionFigures>] = []
    for (i, name) in ["granted", "denied", "skipped", style.noAnswer].enumerated() {
      if style.isWide {
        columns.append(TableColumn(name) { cells.shareOf($0.outcomes[i].count, $0.outcomes[i].eligible) })
      } else {
        columns += [
          TableColumn(name) { cells.share($0.outcomes[i].rate) },
          TableColumn("n") { cells.count($0.outcomes[i].eligible) },
        ]
      }
    }
    columns.append(TableColumn("difference") { cells.points($0.difference) })
    let table = Table(scope.allRows.filter { $0.grants.base > 0 }, columns) { row in
      row.retention.map { ("day \($0.day)", $0) }
    }
    return ReportSection(
      .retention, "Retention, all weeks", words, table, of: scope.allRows, empty: "There is nobody in the base.")
  }
}
