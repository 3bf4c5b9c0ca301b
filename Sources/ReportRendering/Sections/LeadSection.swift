// The answer on the first screen: the last complete week, one line a permission.

import PermissionAnalysis
import PermissionEvents

enum LeadSection {
  static func section(_ scope: ReportScope, _ style: TextStyle, _ form: ReportDocument.Form) -> Section {
    let isBeside = form == .markdown || form == .text && style.isWide
    let more = form == .page ? Sparklines.cells(scope) : nil
    var blocks: [Block] = [
      .headline(Headline.text(scope)), .gap, .table(table(scope, style, sparkline: isBeside), more: more),
    ]
    blocks += notes(scope).map { .note($0, hanging: 2) }
    if form == .text, !style.isWide, let table = Sparklines.table(scope, style) { blocks += [.gap, .table(table)] }
    blocks += [.gap, .note(legend(scope, style))]
    if !scope.hasBase { blocks += [.gap, .paragraph(ReportSection.undecided(style.hints))] }
    return Section("lead", title(scope), blocks)
  }

  static func title(_ scope: ReportScope) -> String {
    guard let week = scope.leadWeek else {
      return "All weeks" + (scope.runningWeek.map { " (\($0.text) partial)" } ?? "")
    }
    let days = week.text + " " + MomentText.days(week)
    guard scope.isBounded else { return "Last complete week: " + days }
    let zone = scope.report.zone
    let isAlone =
      scope.report.from == zone.firstMoment(of: week.firstDay)
      && scope.report.to == zone.firstMoment(of: week.firstDay + 7)
    return isAlone ? "Week " + days + ", complete" : "Last complete week of the interval: " + days
  }

  /// - Parameter sparkline: whether a column of small bars is part of it.
  static func table(_ scope: ReportScope, _ style: TextStyle, sparkline: Bool) -> Table {
    let cells = FigureCells(style: style)
    let hasTrend = scope.leadWeek != nil
    let weeks = sparkline ? Sparklines.weeks(scope, last: 12) : []
    var titles = ["exposed", "grant rate"]
    if hasTrend { titles.append("change") }
    titles += ["skip", "deny", style.isWide ? "drop-off" : "drop", "median"]
    if !weeks.isEmpty { titles.append("last \(weeks.count) weeks") }
    var table = Table(Table.nameTitle(scope.report), titles)
    func rate(_ estimate: Estimate?) -> TableCell {
      guard let estimate, !style.isWide else { return cells.share(estimate) }
      return TableCell(fixed(estimate.value * 100, 1))
    }
    var cautioned: String?
    var lines = scope.leadGroups.map { Sparklines.line($0, weeks, style) }.makeIterator()
    table.add(
      scope.leadRows,
      notes: { row in
        guard let caution = RowNames.caution(row.permission), cautioned != row.permission else { return [] }
        cautioned = row.permission
        return ["! " + caution]
      },
      cells: { row in
        var line = [cells.count(row.grants.exposed), cells.rate(row.grants.grantRate)]
        if hasTrend { line.append(cells.change(row.trend)) }
        line += [
          rate(row.grants.skipRate), rate(row.grants.denyRate), rate(row.grants.dropOffRate),
          cells.time(row.times.toAnswer.p50),
        ]
        if !weeks.isEmpty { line.append(TableCell(lines.next() ?? "")) }
        return line
      })
    return table
  }

  /// Exposures that are in no rate, grants that are partial, and permissions that nobody was asked for.
  static func notes(_ scope: ReportScope) -> [String] {
    func list(_ title: String, _ number: (ReportRow) -> String?) -> String? {
      let parts = scope.leadRows.compactMap { row in number(row).map { $0 + "\u{A0}" + RowNames.short(row) } }
      return parts.isEmpty ? nil : title + ": " + parts.joined(separator: "; ")
    }
    func positive(_ n: Int) -> String? { n > 0 ? NumberText.count(n) : nil }
    let window = NumberText.window(scope.report.responseWindow)
    return [
      list("Pending (within \(window), in no rate yet)") { positive($0.grants.pending) },
      list("Restricted (had no say, in no rate)") { positive($0.grants.restricted) },
      list("Partial grants") { row in
        positive(row.grants.partial).map { $0 + "\u{A0}of\u{A0}" + NumberText.count(row.grants.granted) }
      },
      missing(scope),
    ].compactMap { $0 }
  }

  /// Permissions of the report that nobody was asked for in the week.
  private static func missing(_ scope: ReportScope) -> String? {
    guard let week = scope.leadWeek else { return nil }
    // Groups of one permission follow one another.
    var permissions: [(name: String, isAsked: Bool)] = []
    for group in scope.groups {
      let isAsked = group.row(in: week) != nil
      if let last = permissions.last, RowNames.isSame(last.name, group.all.permission) {
        permissions[permissions.count - 1].isAsked = last.isAsked || isAsked
      } else {
        permissions.append((group.all.permission, isAsked))
      }
    }
    let names = permissions.filter { !$0.isAsked }.map { RowNames.permission($0.name) }
    guard !names.isEmpty else { return nil }
    let rest = names.count > 6 ? " and \(names.count - 6) more" : ""
    return "No exposures that week: " + names.prefix(6).joined(separator: ", ") + rest
  }

  static func legend(_ scope: ReportScope, _ style: TextStyle) -> String {
    var text = "Grant rate: granted of the base (exposed less pending and restricted), with its 95\u{A0}% interval. "
    if scope.leadWeek != nil {
      let marks = style.isASCII ? "* marks" : "▲ and ▼ mark"
      text += "Change: percentage points against the week before; \(marks) p\u{A0}<\u{A0}0.05 after Holm's correction. "
    }
    text += "Skip, deny, drop-off (no answer): \(style.isWide ? "shares" : "percent") of the base. "
    text += "Median: from the first screen to the answer, of those who answered; descriptive."
    if Sparklines.weeks(scope, last: 2).count > 1 {
      text += style.isASCII ? " By week: 1 low to 8 high, " : " By week: "
      text += "each line on a scale of its own, of at least 20 points; a dot or gap is a week without a rate."
    }
    return text
  }
}
