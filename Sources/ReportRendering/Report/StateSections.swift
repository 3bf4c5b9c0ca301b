// Where users are now, how many events there were, and every week of every permission.

import PermissionAnalysis
import PermissionEvents

extension ReportSection {
  static func reach(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let rows = scope.report.reach
    // Without a row it is not said how many there are.
    let active = rows.first.map { NumberText.counted($0.activeUsers, "user") } ?? "users"
    let words =
      "Of \(active) with any event in the 28 days up to the moment of this report, whenever "
      + "they were exposed: the state of each permission by the last thing the app learned. Never asked: no event of it. "
      + "Descriptive, and as fresh as the app's last check."
    var table = Table("permission", ["on", "partial", "off", "restricted", "undecided", "never asked"])
    for row in rows {
      let counts = [row.on, row.partial, row.off, row.restricted, row.undecided, row.neverAsked]
      table.row(
        RowNames.permission(row.permission),
        counts.map { style.isWide ? cells.part($0, of: row.activeUsers) : cells.share($0, of: row.activeUsers) },
        weight: Double(row.activeUsers - row.neverAsked))
    }
    return ReportSection(
      .reach, "Reach, as of " + DayWords.day(scope.report.zone.day(of: scope.report.asOf ?? 0)), words, table,
      permissions: rows.map(\.permission),
      empty: "No active user has an event of a permission.")
  }

  static func activity(_ scope: ReportScope) -> ReportSection {
    let totals = totals(scope)
    var table = Table("permission", ["events"], isList: true)
    for total in totals {
      let kinds = zip(EventKind.names, total.counts).filter { $0.1 > 0 }
        .map { $0.0 + "\u{A0}" + NumberText.count($0.1) }.joined(separator: "\u{A0}· ")
      table.row(
        RowNames.permission(total.permission ?? "(the app)"), [TableCell(kinds)],
        weight: Double(total.counts.reduce(0, +)))
    }
    return ReportSection(
      .activity, "Activity, " + scope.leadName,
      "Events by their own time, not by exposure; a plain count without copies. Kinds without an event are not named.",
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

  // MARK: By week, the newest last

  static func weeks(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    var columns: [TableColumn<ReportRow>] = [
      TableColumn("exposed") { cells.count($0.grants.exposed) },
      TableColumn("pending") { cells.count($0.grants.pending) },
      TableColumn("base") { cells.count($0.grants.base) },
      TableColumn("grant rate") { cells.rate($0.grants.grantRate) },
      TableColumn("change") { row in
        if row.week == nil { return TableCell("") }
        // What a week cut short grants is no news of the week.
        return scope.state(row) == nil ? cells.change(row.trend) : cells.unknown
      },
    ]
    if style.isWide {
      columns += [
        TableColumn("adjusted p") { row in
          if row.week == nil { return TableCell("") }
          return scope.state(row) == nil ? adjustedPValue(row.trend, cells) : cells.unknown
        },
        TableColumn("skip") { cells.share($0.grants.skipRate) },
        TableColumn("deny") { cells.share($0.grants.denyRate) },
        TableColumn("no answer") { cells.share($0.grants.dropOffRate) },
      ]
    }
    var table = Table("week", columns.map(\.title))
    for group in scope.groups {
      table.heading(RowNames.full(group.all))
      for (place, row) in (group.weeks + [group.all]).enumerated() {
        let state = scope.state(row).map { " " + $0 } ?? ""
        let name = row.week.map { $0.text + state } ?? (scope.isBounded ? "together" : "all weeks")
        // The newest weeks of the largest groups matter most.
        let age = group.weeks.count - place
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
      + (style.isASCII ? "* marks" : "▲ and ▼ mark") + " p\u{A0}<\u{A0}0.05 after Holm's correction."
    if scope.runningWeek != nil {
      text += " Partial: the week is not over at the moment of this report, and gets no trend."
    }
    if scope.groups.contains(where: { $0.weeks.contains { scope.state($0) == "cut" } }) {
      text += " Cut: the interval asked for holds only a part of the week."
    }
    return text
  }

  private static func adjustedPValue(_ trend: Trend?, _ cells: FigureCells) -> TableCell {
    guard let p = trend?.adjustedPValue, p.isFinite else { return cells.unknown }
    return TableCell(p < 0.001 ? "<0.001" : fixed(p, 3))
  }
}
