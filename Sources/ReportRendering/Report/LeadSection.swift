// The answer on the first screen: the last complete week, one line a permission.

import PermissionAnalysis
import PermissionEvents

enum LeadSection {
  static func section(_ scope: ReportScope, _ style: TextStyle, _ form: Document.Form) -> Section {
    let sparklines = Sparklines(scope)
    let isBeside = form == .markdown || form == .text && style.isWide
    let table = table(scope, style, isBeside && !sparklines.weeks.isEmpty ? sparklines : nil)
    var blocks: [Block] = [
      .headline(headline(scope)), .gap, .table(table, more: form == .html ? sparklines.cells : nil),
    ]
    blocks += notes(scope).map { .note($0, hanging: 2) }
    if form == .text, !style.isWide, let table = sparklines.table(scope, style) { blocks += [.gap, .table(table)] }
    blocks += [.gap, .note(legend(scope, style))]
    if !scope.hasBase {
      blocks += [
        .gap,
        .paragraph(
          "No exposure has an outcome yet: all are pending or restricted. Rates, steps, times and later opt-ins follow when "
            + "the first outcome is known, or when the report looks from a later moment\(style.words(.lookFromLater))."),
      ]
    }
    return Section("lead", title(scope), blocks)
  }

  private static func title(_ scope: ReportScope) -> String {
    guard let week = scope.leadWeek else {
      return "All weeks" + (scope.runningWeek.map { " (\($0.text) partial)" } ?? "")
    }
    let days = week.text + " " + NumberText.days(week)
    guard scope.isBounded else { return "Last complete week: " + days }
    let zone = scope.report.zone
    let isAlone =
      scope.report.from == zone.firstMoment(of: week.firstDay)
      && scope.report.to == zone.firstMoment(of: week.firstDay + 7)
    return isAlone ? "Week " + days + ", complete" : "Last complete week of the interval: " + days
  }

  // MARK: The sentences above the table

  private static func headline(_ scope: ReportScope) -> String {
    [trend(scope), running(scope), silence(scope)].compactMap { $0 }.joined(separator: " ")
  }

  private static func trend(_ scope: ReportScope) -> String {
    guard scope.leadWeek != nil else {
      let place = scope.isBounded ? "in the interval asked for" : "yet"
      return "There is no complete week with exposures \(place), so this counts all weeks together, without a trend."
    }
    let trends = scope.leadRows.compactMap { row in row.trend.map { (row, $0) } }
    guard let previous = trends.first?.1.previousWeek else {
      return "There is no complete week just before it to compare with."
    }
    let changed = trends.filter { $0.1.isSignificant }
    guard !changed.isEmpty else {
      return "No grant rate differs significantly from that of \(previous.text)."
    }
    let parts = changed.prefix(4).map { row, trend in
      let change = trend.change?.value ?? 0
      return "\(RowNames.full(row)) \(change < 0 ? "down" : "up") \(fixed(abs(change) * 100, 1))\u{A0}points"
    }
    let more = changed.count > 4 ? " and \(changed.count - 4) more" : ""
    return "Significant change from \(previous.text): " + parts.joined(separator: "; ") + more + "."
  }

  private static func running(_ scope: ReportScope) -> String? {
    scope.runningWeek.map { "\($0.text) is still running (partial): see the weeks below." }
  }

  /// Says if the newest complete week with exposures is not the newest complete week.
  private static func silence(_ scope: ReportScope) -> String? {
    guard let lead = scope.leadWeek, let asOf = scope.report.asOf, scope.report.to == nil else { return nil }
    let running = ISOWeek(day: scope.report.zone.lastBegunDay(at: asOf))
    let silent = running.index - lead.index - 1
    guard silent > 0 else { return nil }
    return silent == 1
      ? "The complete week since then has no exposures." : "The \(silent) complete weeks since then have no exposures."
  }

  // MARK: The table

  /// - Parameter sparklines: to be a column of it.
  private static func table(_ scope: ReportScope, _ style: TextStyle, _ sparklines: Sparklines?) -> Table {
    let cells = FigureCells(style: style)
    func rate(_ estimate: Estimate?) -> TableCell {
      guard let estimate, !style.isWide else { return cells.share(estimate) }
      return TableCell(fixed(estimate.value * 100, 1))
    }
    var columns: [TableColumn<ReportRow>] = [
      TableColumn("exposed") { cells.count($0.grants.exposed) },
      TableColumn("grant rate") { cells.rate($0.grants.grantRate) },
    ]
    if scope.leadWeek != nil { columns.append(TableColumn("change") { cells.change($0.trend) }) }
    columns += [
      TableColumn("skip") { rate($0.grants.skipRate) }, TableColumn("deny") { rate($0.grants.denyRate) },
      TableColumn(style.noAnswer) { rate($0.grants.dropOffRate) },
      TableColumn("median") { cells.time($0.times.toAnswer.p50) },
    ]
    if let sparklines {
      columns.append(
        TableColumn(title: sparklines.title) { _, number in
          TableCell(Sparkline.draw(sparklines.lines[number], isASCII: style.isASCII))
        })
    }
    // Rows of one permission follow one another; its caution follows the first.
    var cautioned: String?
    return Table(
      scope, scope.leadRows, columns,
      notes: { row in
        guard let caution = RowNames.caution(row.permission), cautioned != row.permission else { return [] }
        cautioned = row.permission
        return ["! " + caution]
      })
  }

  // MARK: Below the table

  /// Exposures that are in no rate, grants that are partial, and permissions that nobody was asked for.
  private static func notes(_ scope: ReportScope) -> [String] {
    func list(_ title: String, _ number: (ReportRow) -> String?) -> String? {
      let parts = scope.leadRows.compactMap { row in number(row).map { $0 + "\u{A0}" + RowNames.short(row) } }
      return parts.isEmpty ? nil : title + ": " + parts.joined(separator: "; ")
    }
    func positive(_ n: Int) -> String? { n > 0 ? NumberText.count(n) : nil }
    let window = NumberText.window(scope.report.responseWindow)
    return [
      list("Pending (shown less than \(window) ago, not yet in any rate)") { positive($0.grants.pending) },
      list("Restricted (the user had no choice; not in any rate)") { positive($0.grants.restricted) },
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

  private static func legend(_ scope: ReportScope, _ style: TextStyle) -> String {
    var text =
      "Grant rate (opt-in rate): granted, as a share of the base (exposed minus pending and restricted), with its "
      + "95\u{A0}% interval. "
    if scope.leadWeek != nil {
      let marks = style.isASCII ? "* marks" : "▲ and ▼ mark"
      text += "Change: percentage points from the week before; \(marks) p\u{A0}<\u{A0}0.05 after Holm's correction. "
    }
    text +=
      style.isWide
      ? "Skip, deny, no answer: shares of the base. " : "Skip, deny, none (no answer): percent of the base. "
    text += "Median: from the first screen to the answer, of those who answered; descriptive."
    if Sparklines(scope, last: 2).weeks.count > 1 {
      text += style.isASCII ? " By week: 1 low to 8 high, " : " By week: "
      text += "each line has its own scale of at least 20 points; a dot or gap is a week without a rate."
    }
    return text
  }
}
