// The answer: the last complete week, one line a permission, and what changed.

import PermissionAnalysis
import PermissionEvents

enum LeadSection {
  static func section(_ scope: ReportScope, _ style: TextStyle, _ form: Document.Form) -> Section {
    let sparklines = Sparklines(scope)
    let isBeside = form == .markdown || form == .text && style.isWide
    let table = table(scope, style, form, isBeside && !sparklines.weeks.isEmpty ? sparklines : nil)
    var blocks: [Block] = [
      .headline(headline(scope)), .gap,
      .table(table, empty: "None of these has exposures in the week.", more: form == .html ? sparklines.cells : nil),
    ]
    blocks += notes(scope).map { .note($0, hanging: 2) }
    if form == .text, !style.isWide, let table = sparklines.table(scope, style) { blocks += [.gap, .table(table)] }
    blocks += [.gap, .note(legend(scope, style, form, columns: table.titles))]
    if !scope.hasBase { blocks += [.gap, .paragraph(noOutcome(style))] }
    return Section(.lead, "Grant rates, " + scope.leadName, blocks)
  }

  /// Said if nothing is known of anybody.
  static func noOutcome(_ style: TextStyle) -> String {
    "No exposure has an outcome yet: all are pending or restricted. Rates, steps, times and later opt-ins follow when "
      + "the first outcome is known, or when the report looks from a later moment\(style.words(.lookFromLater))."
  }

  // MARK: The sentences above the table

  private static func headline(_ scope: ReportScope) -> String {
    [change(scope, most: 4), running(scope)].compactMap { $0 }.joined(separator: " ")
  }

  /// What changed from the week before.
  /// - Parameter most: changes that are named.
  static func change(_ scope: ReportScope, most: Int) -> String {
    guard scope.leadWeek != nil else {
      if scope.askedWeek != nil { return "The week is not complete, so it is not compared with the week before." }
      let place = scope.isBounded ? "in the interval asked for" : "yet"
      return "There is no complete week with exposures \(place), so this counts all of them together, without a trend."
    }
    guard let previous = scope.whole.previousWeek else {
      return "There is no complete week just before it to compare with."
    }
    let changed = scope.whole.changed
    guard !changed.isEmpty else {
      return "No grant rate differs significantly from that of \(previous.text)."
    }
    let parts = NameList.of(changed, most: most, separator: "; ") { counts in
      let row = scope.whole.report.rows[counts.number]
      let change = row.trend?.change?.value ?? 0
      return "\(RowNames.full(row)) \(change < 0 ? "down" : "up") \(fixed(abs(change) * 100, 1))\u{A0}points"
    }
    return "Significant change from \(previous.text): " + parts + "."
  }

  private static func running(_ scope: ReportScope) -> String? {
    scope.runningWeek.map { week in
      scope.hasEnded(week)
        ? "\(week.text) has ended, but the newest event is from before its end: it counts as partial, see the weeks below."
        : "\(week.text) is still running (partial): see the weeks below."
    }
  }

  // MARK: The table

  /// - Parameter sparklines: to be a column of it.
  private static func table(
    _ scope: ReportScope, _ style: TextStyle, _ form: Document.Form, _ sparklines: Sparklines?
  ) -> Table {
    let rows = scope.leadRows.enumerated().map { (row: $1, line: $0) }
    // Rows of one permission follow one another; its caution follows the first.
    let table = LeadTable(scope: scope, style: style, rows: rows, sparklines: sparklines) { columns in
      var cautioned: String?
      return Table(
        scope, scope.leadRows, columns.map { column in TableColumn(title: column.title) { column.cell(($0, $1), $1) } },
        caution: { row in
          guard let caution = RowNames.caution(row.permission), cautioned != row.permission else { return nil }
          cautioned = row.permission
          return caution
        })
    }
    return form == .text ? table.fitting : table.whole
  }

  // MARK: Below the table

  /// Exposures that are in no rate, and grants that are partial.
  private static func notes(_ scope: ReportScope) -> [String] {
    func list(_ title: String, _ count: (RowCounts) -> Int, of all: ((RowCounts) -> Int)? = nil) -> String? {
      let rows = scope.whole.leadRows.filter { count($0) > 0 }
      guard !rows.isEmpty else { return nil }
      return title + ": "
        + NameList.of(rows, most: 12, separator: "; ") { row in
          let number = NumberText.count(count(row))
          let share = all.map { number + "\u{A0}of\u{A0}" + NumberText.count($0(row)) } ?? number
          return share + "\u{A0}" + scope.whole.shortName(row)
        }
    }
    let window = NumberText.window(scope.report.responseWindow)
    return [
      list("Pending (shown less than \(window) ago, not yet in any rate)", \.pending),
      list("Restricted (the user had no choice; not in any rate)", \.restricted),
      list("Partial grants", \.partial, of: \.granted),
    ].compactMap { $0 }
  }

  /// - Parameter columns: titles of those that the table has.
  private static func legend(
    _ scope: ReportScope, _ style: TextStyle, _ form: Document.Form, columns: [String]
  ) -> String {
    var text =
      "Grant rate (opt-in rate): granted, as a share of the base (exposed minus pending and restricted), with its "
      + "95\u{A0}% interval."
    if columns.contains("change") {
      let marks = style.isASCII ? "* marks" : "▲ and ▼ mark"
      text += " Change: percentage points from the week before; \(marks) p\u{A0}<\u{A0}0.05 after Holm's correction."
    }
    if columns.contains("skip") {
      text += " Skip, deny, no answer: " + (style.isWide ? "shares" : "percent") + " of the base."
    }
    if columns.contains("median") {
      text += " Median: from the first screen to the answer, of those who answered; descriptive."
    }
    if Sparklines(scope, last: 2).weeks.count > 1 {
      text += style.isASCII ? " By week: 1 low to 8 high, " : " By week: "
      text +=
        form == .html
        ? "all lines have the scale that the title of their column names; a gap is a week of fewer than "
          + "\(Drawable.leastBase) users."
        : "each line has its own scale of at least 20 points; a dot or gap is a week without a rate."
    }
    return text
  }
}
