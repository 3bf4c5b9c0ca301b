// A report on one screen: the last complete week, what changed, what to look at, and how to see more.

import PermissionAnalysis
import PermissionEvents

struct SummaryScreen {
  /// Lines of a terminal of 24, less one for the prompt.
  static let height = 23
  private static let mostRows = 8
  private static let label = 11

  private let scope: ReportScope
  private let style: TextStyle
  private let attention: [String]
  /// The rows of the lead week, by exposures.
  private let rows: [LeadTable.Row]
  private let sparklines: Sparklines

  init(_ scope: ReportScope, _ style: TextStyle) {
    (self.scope, self.style) = (scope, style)
    attention = Attention(scope).lines
    let leadRows = scope.leadRows
    rows = RowNames.byExposures(leadRows).map { (row: leadRows[$0], line: $0) }
    sparklines = Sparklines(scope)
  }

  /// The fullest screen that is not too high: rows count most, then what to look at, then
  /// what the columns are and the names of sections.
  var bytes: [UInt8] {
    let shown = min(rows.count, Self.mostRows)
    for rows in stride(from: shown, through: min(shown, 3), by: -1) {
      let few = rows > 3 ? min(2, attention.count) : min(1, attention.count)
      for lines in stride(from: min(6, attention.count), through: few, by: -1) {
        for (isExplained, isLong) in [(true, true), (true, false), (false, true), (false, false)] {
          let page = screen(rows: rows, lines: lines, isExplained: isExplained, isLong: isLong)
          if page.count(where: { $0 == 0x0A }) <= Self.height { return page }
        }
      }
    }
    return screen(rows: min(shown, 3), lines: 0, isExplained: false, isLong: false)
  }

  // MARK: The screen

  private func screen(rows: Int, lines: Int, isExplained: Bool, isLong: Bool) -> [UInt8] {
    var page = TextPage(style)
    page.line(scope.headlineWithAge, tone: .strong)
    for block in head { page.write(block) }
    page.write(.gap)
    var titles: [String] = []
    if scope.report.rows.isEmpty {
      page.write(.paragraph(ReportDocument.nothing(scope.report, style.words)))
    } else {
      let table = table(Array(self.rows.prefix(rows)))
      titles = table.titles
      page.write(.table(table))
      if let more = more(than: rows) { page.write(.paragraph(more, indent: 2)) }
    }
    page.write(.gap)
    var facts: [Fact] = []
    if !scope.report.rows.isEmpty { facts.append(Fact("changed", changed)) }
    for (i, line) in attention.prefix(lines).enumerated() { facts.append(Fact(i == 0 ? "look at" : "", short(line))) }
    if lines > 0, lines < attention.count { facts[facts.count - 1].text += " And \(attention.count - lines) more." }
    if isExplained, !titles.isEmpty { facts.append(Fact("columns", meaning(of: titles))) }
    let names = isLong ? ReportSectionName.allCases.map(\.rawValue) : []
    let way = style.words(.seeMore(sections: names))
    if !way.isEmpty { facts.append(Fact("see more", way)) }
    page.write(.facts(facts, width: Self.label))
    return page.bytes
  }

  private var head: [Block] {
    let report = scope.report
    var subject = isOfOne ? scope.groups.first.map { scope.names.permission($0.all.permission) } : nil
    if let properties = scope.propertyWords { subject = (subject ?? "all permissions") + " by " + properties }
    let parts = [
      subject, "as of " + (report.asOf.map { NumberText.moment($0, report.zone) } ?? "–"), report.timeZone,
      NumberText.counted(report.events, "event"), NumberText.counted(report.users, "user"),
      ComparisonWords.leftOut(report.leftOutUsers),
    ].compactMap { $0 }
    return [
      .paragraph(parts.joined(separator: "\u{A0}· ")), .paragraph("exposures " + scope.exactInterval()),
    ]
      + [
        scope.conditions.map { "where " + $0 + "; " + ReportScope.unfiltered },
        scope.joinedValues.map { "values: " + $0 }, permissions,
      ].compactMap { $0.map { .paragraph($0) } }
  }

  /// A note if there are too many permissions to show.
  private var permissions: String? {
    scope.allPermissions.map {
      "permissions: the \(Report.mostDrawn) with the most exposures, of \(NumberText.count($0))" + style.words(.readCSV)
    }
  }

  private func meaning(of titles: [String]) -> String {
    let marks = style.isASCII ? "*" : "▲▼"
    let alone = scope.whole.isUnknown(.screens) ? ", or answered if no screens are logged" : ""
    let meanings = [
      ("exposed", "exposed: saw a first screen" + alone),
      ("grant rate", "grant rate: of those with an outcome, with its 95\u{A0}% interval"),
      ("change", "change: points from the week before (\(marks) not usual)"),
      ("skip", "skip, deny, no answer: percent"), ("median", "median: time to the answer"),
    ]
    return meanings.filter { titles.contains($0.0) }.map(\.1).joined(separator: "; ") + "."
  }

  /// What changed, in two lines if possible.
  private var changed: String {
    if !scope.whole.hasBase { return "Nothing yet: no exposure has an outcome." }
    for (most, isBrief) in [(4, false), (3, false), (2, false), (1, false), (4, true), (3, true), (2, true), (1, true)]
    {
      let text = LeadSection.change(scope, most: most, isBrief: isBrief)
      if DisplayWidth.of(style.legible(text)) <= 2 * (style.width - Self.label) - 24 { return text }
    }
    return short(LeadSection.change(scope, most: 1, isBrief: true))
  }

  /// At most two lines.
  private func short(_ line: String) -> String {
    var page = TextPage(style)
    page.write(.facts([Fact("", line)], width: Self.label))
    if page.bytes.count(where: { $0 == 0x0A }) <= 2 { return line }
    return DisplayWidth.cut(style.legible(line), to: 2 * (style.width - Self.label) - 24, mark: style.legible("…"))
  }

  private func more(than shown: Int) -> String? {
    let rest = rows.dropFirst(shown)
    if scope.report.hasFewerValues { return "and more" + style.words(.readCSV) }
    guard !rest.isEmpty else { return nil }
    let exposed = rest.reduce(0) { $0 + $1.row.grants.exposed }
    if rest.contains(where: { $0.row.by.isOther }) {
      return "and all others, with \(NumberText.counted(exposed, "exposure")) together"
    }
    return "and \(NumberText.count(rest.count)) more, with \(NumberText.counted(exposed, "exposure")) together"
  }

  // MARK: The table

  private func table(_ rows: [LeadTable.Row]) -> Table {
    LeadTable(
      scope: scope, style: style, sparklines: style.isWide && !sparklines.weeks.isEmpty ? sparklines : nil,
      leastName: scope.report.properties.isEmpty ? LeadTable.usualName : 32
    ) { columns in
      let title = scope.properties.map { isOfOne ? $0 : "permission, " + $0 } ?? "permission"
      return Table(title, rows, columns) { name($0.row) }
    }.fitting
  }

  private var isOfOne: Bool { ReportScope.permissions(scope.groups).count == 1 }

  /// Both parts of a name stay legible, however long they are.
  private func name(_ row: ReportRow) -> String {
    guard !row.by.isEmpty else { return scope.names.permission(row.permission) }
    // Next to the permission there is no room for the names of the properties. The column's title has them.
    let value = style.legible(isOfOne ? RowNames.values(row.by) : RowNames.bare(row.by))
    let mark = style.legible("…")
    guard !isOfOne else { return DisplayWidth.cutMiddle(value, to: 32, mark: mark) }
    let permission = DisplayWidth.cut(style.legible(scope.names.permission(row.permission)), to: 20, mark: mark)
    return permission + ", " + DisplayWidth.cutMiddle(value, to: 16, mark: mark)
  }
}
