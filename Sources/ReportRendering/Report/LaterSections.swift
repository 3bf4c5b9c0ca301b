// What comes after the first answer: later opt-ins, Settings prompts, revoked grants, use of the app.

import PermissionAnalysis
import PermissionEvents

extension ReportSection {
  static func returning(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Later opt-in: users who did not grant and enabled the permission later. Enabled: within "
      + "\(NumberText.window(scope.report.followUp)), of those followed that long. Day n: share enabled in the first n "
      + "days (Kaplan–Meier, over all of them); at risk: still followed on the last of the 28 days. Descriptive: who "
      + "denies depends on the message, so do not compare messages by it."
    var columns: [TableColumn<EnabledLater>] = [
      TableColumn("enabled") { style.countOf($0.share.count, $0.share.eligible) },
      TableColumn("rate") { style.rate($0.share.rate) },
    ]
    for (i, day) in [1, 7, 28].enumerated() {
      columns.append(
        TableColumn("day \(day)") { later in
          let estimate = later.kaplanMeier[i].estimate
          return style.isWide || day == 28 ? style.rate(estimate) : style.share(estimate)
        })
    }
    columns.append(
      TableColumn("at risk") { later in later.kaplanMeier.last.map { style.count($0.atRisk) } ?? style.unknownCell })
    func counts(_ row: ReportRow) -> [Int] { [row.grants.denied, row.grants.skipped, row.grants.droppedOff] }
    let rows = scope.allRows.filter { counts($0).contains { $0 > 0 } }
    let table = Table(rows, naming: scope.names, columns) { row in
      zip(["denied", "skipped", "no answer"], row.returns.enabledLater).enumerated()
        .filter { counts(row)[$0.offset] > 0 }.map(\.element)
    }
    return ReportSection(
      .returning, "Re-engagement, " + scope.allName, words, table, of: rows, naming: scope.names,
      notes: EvidenceNotes.sentences([.enabledLater], rows.filter { $0.grants.denied > 0 }),
      empty: EvidenceNotes.empty("The base has no users who did not grant.", scope.allRows))
  }

  static func settings(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let window = NumberText.window(scope.report.settingsWindow)
    let words =
      "People who denied and were then shown the app's own alert that points to Settings. Opened: went to Settings within "
      + "\(NumberText.window(scope.report.responseWindow)). Enabled: turned the permission on within \(window) of the alert, of "
      + "those followed that long. Prompted and others: what the alert brings. On each of the \(SettingsFigures.Trials.days) "
      + "days after a denial, users with the alert are compared with users who opened the app that day, were off and had "
      + "not had it (a user counts on each such day): how many enabled within \(window). Ratio: how many times as often the "
      + "prompted did. An observation: the app, not chance, chose the prompted, and some of the others are prompted later."
    let columns: [TableColumn<ReportRow>] = [
      TableColumn("shown") { style.count($0.settings.shown) },
      TableColumn("opened") { row in
        let opened = style.part(row.settings.opened, of: row.settings.shown)
        return style.isWide ? opened : TableCell(opened.detail ?? opened.text)
      },
      TableColumn("enabled") { style.countOf($0.settings.enabled, $0.settings.eligible) },
      TableColumn("prompted") { style.trials($0.settings.trials?.prompted) },
      TableColumn("others") { style.trials($0.settings.trials?.notPrompted) },
      TableColumn("ratio") { style.ratio($0.settings.trials?.riskRatio) },
    ]
    let table = Table(scope, scope.allRows, columns, where: { $0.settings.shown > 0 })
    var section = ReportSection(
      .settings, "Settings prompts, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: EvidenceNotes.sentences(
        [.enabledLater, .settingsOpened, .activity], scope.allRows.filter { $0.settings.shown > 0 }),
      empty: EvidenceNotes.empty("No Settings prompt was shown after a denial.", scope.allRows))
    if scope.report.properties.isEmpty { section.lead = whatAlertsBring(scope) }
    return section
  }

  /// The others may be prompted later, so the effect is farther from 1 than the ratio.
  private static func whatAlertsBring(_ scope: ReportScope) -> [String] {
    let ratios = scope.allRows.compactMap { row in
      row.settings.trials?.riskRatio.flatMap { ratio in ratio.ends.map { (row.permission, ratio.value, $0) } }
    }
    let found = ratios.filter { $0.2.low > 1 || $0.2.high < 1 }
    var sentences = found.map { permission, value, ends in
      let ends = (low: NumberText.threeDigits(ends.low), high: NumberText.threeDigits(ends.high))
      return
        "\(scope.names.permission(permission)): of users who opened the app on the same day after a denial, those who "
        + "were prompted came back at \(value > 1 ? "least" : "most") \(NumberText.threeDigits(value)) times as often "
        + "(\(ends.low) to \(ends.high))."
    }
    if found.count < ratios.count {
      sentences.append(
        found.isEmpty
          ? "Whether an alert brings users back is not known yet: the intervals of the ratios have 1 in them."
          : "All other ratios with an interval may be chance: it has 1 in it.")
    }
    return sentences
  }

  static func afterGrant(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Revoked: grants revoked within \(NumberText.window(scope.report.followUp)), of those followed that long. "
      + "Upgraded: partial grants that became full in that time, "
      + "of those followed that long. Descriptive: only users who granted."
    let columns = [("revoked", \AfterGrantFigures.revoked), ("upgraded", \AfterGrantFigures.upgraded)].flatMap {
      name, share -> [TableColumn<ReportRow>] in
      [
        TableColumn(name) {
          style.countOf($0.afterGrant[keyPath: share].count, $0.afterGrant[keyPath: share].eligible)
        },
        TableColumn("rate") { style.rate($0.afterGrant[keyPath: share].rate) },
      ]
    }
    let table = Table(scope, scope.allRows, columns, where: { $0.grants.granted > 0 })
    return ReportSection(
      .afterGrant, "After the grant, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: EvidenceNotes.sentences([.revoked], scope.allRows.filter { $0.grants.granted > 0 }),
      empty: EvidenceNotes.empty("No users in the base granted.", scope.allRows))
  }

  static func engagement(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Means over the 28 calendar days from the day of exposure, of users followed that long: days with any use, and "
      + "uses of a feature. Others: users who did not grant. Correlation: of granting with the number of days or uses. "
      + "Observations, not effects: "
      + "keen users grant more and use more."
    typealias Use = (granted: Double?, others: Double?, difference: Estimate?, correlation: Estimate?, users: Int)
    let columns: [TableColumn<Use>] = [
      TableColumn("users") { style.count($0.users) }, TableColumn("granted") { style.mean($0.granted) },
      TableColumn("others") { style.mean($0.others) }, TableColumn("difference") { style.difference($0.difference) },
      TableColumn("correlation") { style.difference($0.correlation) },
    ]
    let table = Table(scope.allRows.filter { $0.grants.base > 0 }, naming: scope.names, columns) { row in
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
      .engagement, "Engagement, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: EvidenceNotes.sentences([.activity, .featureUsed], scope.allRows),
      empty: "The base has no users.")
  }

  static func retention(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Share that used the app on that calendar day after the day of exposure, "
      + (style.isWide ? "of how many, " : "and n, of how many, ")
      + "by outcome; difference: granted minus all others, in points. Observations, not effects: this does not show that "
      + "granting is the reason."
    var columns: [TableColumn<RetentionFigures>] = []
    for (i, name) in ["granted", "denied", "skipped", "no answer"].enumerated() {
      if style.isWide {
        columns.append(TableColumn(name) { style.shareOf($0.outcomes[i].count, $0.outcomes[i].eligible) })
      } else {
        columns += [
          TableColumn(name) { style.share($0.outcomes[i].rate) },
          TableColumn("n") { style.count($0.outcomes[i].eligible) },
        ]
      }
    }
    columns.append(TableColumn("difference") { style.points($0.difference) })
    let table = Table(scope.allRows.filter { $0.grants.base > 0 }, naming: scope.names, columns) { row in
      row.retention.map { ("day \($0.day)", $0) }
    }
    return ReportSection(
      .retention, "Retention, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: EvidenceNotes.sentences([.activity], scope.allRows),
      empty: "The base has no users.")
  }

  // MARK: Where users are now, how many events there were, and every week of every permission

  static func reach(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let rows = scope.report.reach
    // Without rows the number of users is not known.
    let active = rows.first.map { NumberText.counted($0.activeUsers, "user") } ?? "users"
    let words =
      "Of \(active) with any event in the 28 days up to the moment of this report, whenever they were exposed: the "
      + "last state of each permission that the app learned. "
      + "Never asked: no event of the permission. Turned on or off: the state before was the opposite, and the app learned of the "
      + "change in these 28 days. "
      + "Descriptive, and as fresh as the app's last check."
    let columns = ReachBar.parts.map { part in
      TableColumn<ReachRow>(part.name) { row in
        let cell = style.part(part.count(row), of: row.activeUsers)
        return style.isWide ? cell : TableCell(cell.detail ?? cell.text)
      }
    }
    let table = Table("permission", rows, columns, weight: { Double($0.activeUsers - $0.neverAsked) }) {
      scope.names.permission($0.permission)
    }
    var section = ReportSection(
      .reach, "Reach, as of " + DayWords.day(scope.report.zone.day(of: scope.report.asOf ?? 0)), words, table,
      permissions: rows.map(\.permission),
      empty: "No active user has an event of a permission.")
    section.notes =
      rows.filter { $0.turnedOn + $0.turnedOff > 0 }.map { row in
        "\(scope.names.permission(row.permission)): turned on by \(NumberText.counted(row.turnedOn, "user")), off by "
          + "\(NumberText.count(row.turnedOff))."
      } + scope.published(.reach, of: rows.filter { $0.activeUsers > 0 }.map(\.permission))
    return section
  }

  static func activity(_ scope: ReportScope) -> ReportSection {
    let totals = totals(scope)
    var table = Table("permission", ["events"], isList: true)
    for total in totals {
      let kinds = zip(EventKind.names, total.counts).filter { $0.1 > 0 }
        .map { $0.0 + "\u{A0}" + NumberText.count($0.1) }.joined(separator: "\u{A0}· ")
      table.row(
        scope.names.permission(total.permission ?? "(the app)"), [TableCell(kinds)],
        weight: Double(total.counts.reduce(0, +)))
    }
    return ReportSection(
      .activity, "Activity, " + scope.leadName,
      "Events by their own time, not by exposure; a plain count without copies. Kinds without events are left out.",
      table, permissions: totals.compactMap(\.permission), empty: "No events.")
  }

  /// The counts of the week that the report leads with, or of all weeks; engagement last.
  private static func totals(_ scope: ReportScope) -> [(permission: String?, counts: [Int])] {
    func isSame(_ a: String?, _ b: String?) -> Bool {
      guard let a, let b else { return a == nil && b == nil }
      return RowNames.isSame(a, b)
    }
    var totals: [(permission: String?, counts: [Int])] = []
    for row in scope.report.activity where scope.leadWeek == nil || row.week == scope.leadWeek {
      if let last = totals.last, isSame(last.permission, row.permission) {
        for (i, n) in row.counts.enumerated() where i < last.counts.count { totals[totals.count - 1].counts[i] += n }
      } else {
        totals.append((row.permission, row.counts))
      }
    }
    return totals.filter { $0.permission != nil } + totals.filter { $0.permission == nil }
  }

  /// Rows of one kind that the section on numbered events shows: the newest weeks, the versions with most numbers.
  private static let mostNumbered = 8

  static func arrived(_ all: Completeness, _ style: TextStyle) -> ReportSection {
    typealias Row = (name: String, events: NumberedEvents)
    let columns: [TableColumn<Row>] = [
      TableColumn("numbered") { style.count(Int($0.events.numbered)) },
      TableColumn("arrived") { style.count(Int($0.events.arrived)) },
      TableColumn("missing") { style.count(Int($0.events.missing)) },
      TableColumn("arrived, %") { style.share(Int($0.events.arrived), of: Int($0.events.numbered)) },
    ]
    var table = Table("events", columns.map(\.title))
    func rows(_ rows: [Row], depth: Int) {
      for (number, row) in rows.enumerated() {
        table.row(row.name, columns.map { $0.cell(row, number) }, weight: Double(row.events.numbered), depth: depth)
      }
    }
    func group(_ title: String, _ all: [Row], shown: [Row]) {
      guard !all.isEmpty else { return }
      table.heading(title)
      rows(shown, depth: 1)
      if shown.count < all.count { table.note("and \(NumberText.count(all.count - shown.count)) more") }
    }
    if all.all.numbered > 0 {
      rows([("all", all.all)], depth: 0)
      let weeks = all.byWeek.map { Row($0.week.text, $0.events) }
      group("by week", weeks, shown: Array(weeks.suffix(mostNumbered)))
      let versions = all.byVersion.map { Row($0.version.map(AuditQuote.name) ?? "no version", $0.events) }
      let largest = versions.map { Int($0.events.numbered) }.places(ofLargest: mostNumbered)
      group("by version", versions, shown: largest.map { versions[$0] })
      let platforms = all.byPlatform.map { Row($0.platform.map(AuditQuote.name) ?? "no platform", $0.events) }
      if platforms.count > 1 { group("by platform", platforms, shown: Array(platforms.prefix(mostNumbered))) }
    }
    var section = ReportSection(
      .arrived, "Which numbered events arrived",
      "The app numbers its events. A number that is missing between two that arrived is an event that was lost, or that is not in "
        + "the export. Losses after the last number are not known. A gap between two weeks counts in all, and in neither week; "
        + "so with versions and platforms.",
      table, empty: "No counter has three numbers yet.")
    if all.leftOut > 0 {
      section.notes = [
        "\(NumberText.counted(Int(all.leftOut), "counter")) of \(NumberText.count(Int(all.counters))) cannot be read: their numbers "
          + "are not counted up."
      ]
    }
    return section
  }

  // MARK: By week, the newest last

  static func weeks(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    var columns: [TableColumn<ReportRow>] = [
      style.column("exposed", \.exposed), style.column("pending", \.pending), style.column("base", \.base),
      TableColumn("grant rate") { style.rate($0.grants.grantRate) },
      TableColumn("change") { row in
        if row.week == nil { return TableCell("") }
        // What a week cut short grants is no news of the week.
        return scope.state(row) == nil ? style.change(row) : style.unknownCell
      },
    ]
    if style.isWide {
      columns += [
        TableColumn("usual, %") { row in
          if row.week == nil { return TableCell("") }
          return scope.state(row) == nil ? style.usual(row.usual) : style.unknownCell
        },
        TableColumn("skip") { style.share($0.grants.skipRate) },
        TableColumn("deny") { style.share($0.grants.denyRate) },
        TableColumn("no answer") { style.share($0.grants.dropOffRate) },
      ]
    }
    var table = Table("week", columns.map(\.title))
    for group in scope.groups {
      table.heading(scope.names.full(group.all))
      for (index, row) in (group.weeks + [group.all]).enumerated() {
        let state = scope.state(row).map { " " + $0 } ?? ""
        let name = row.week.map { $0.text + state } ?? (scope.isBounded ? "together" : "all weeks")
        // The newest weeks of the largest groups matter most.
        let age = group.weeks.count - index
        table.row(
          name, columns.map { $0.cell(row, 0) }, weight: Double(group.all.grants.exposed) / Double(1 + age), depth: 1)
      }
      if let caution = RowNames.caution(group.all.permission) { table.caution(caution) }
    }
    return ReportSection(.weeks, "By week", weekWords(scope, style), table, empty: "No week has exposures.")
  }

  private static func weekWords(_ scope: ReportScope, _ style: TextStyle) -> String {
    var text =
      "Weeks of the first screen. Base: exposed minus pending (shown less than "
      + "\(NumberText.window(scope.report.responseWindow)) ago) and restricted. Change: points from the week before, "
      + LeadSection.usualWords(style)
    if scope.whole.runningWeek != nil {
      text += " Partial: the week is not over at the moment of this report, and is not compared."
    }
    if scope.groups.contains(where: { $0.weeks.contains { scope.state($0) == "cut" } }) {
      text += " Cut: the requested interval covers only a part of the week."
    }
    return text
  }
}
