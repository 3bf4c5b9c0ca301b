// What a mail and a chat message say of a report: what a busy person reads of it.

import PermissionAnalysis
import PermissionEvents

struct ReportBrief {
  struct Line {
    var weeks: [ReportRow]
    var name: String
    /// The grant rate; of a few users their number.
    var rate: String
    /// `33 of 94 · −8.2 points, within the usual range`.
    var detail: String
  }

  /// `Week of 23 to 29 March 2026 (2026-W13)`.
  var headline: String
  /// `Permissions, week of 23 to 29 March 2026 (2026-W13): notifications lower`.
  var subject: String
  /// What changed.
  var news: String
  var lines: [Line] = []
  /// `and 3 more`; nil if all are lines.
  var more: String?
  var attention: [String] = []
  /// From when the numbers are, and of how many.
  var source: String
  let text: [UInt8]

  private static let mostAttention = 6

  init(_ report: Report, _ words: @escaping RemedyWords = TextStyle.plain.words) {
    let drawn = report.drawn(values: ReportPage.mostCards)
    var style = TextStyle(width: 78)
    style.words = words
    text = ReportDocument.render(report, .text, style, part: .summary)
    let scope = ReportScope(drawn, of: ReportOverview(report, .titles))
    guard let asOf = report.asOf else {
      headline = "Permissions report"
      if let users = report.leftOutUsers, users > 0 {
        subject = "Permissions report: all users are left out"
        news = "All users with events are left out (\(NumberText.count(users)))."
      } else {
        (subject, news) = ("Permissions report: the log is empty", "The log is empty: no events to report yet.")
      }
      source = ""
      return
    }
    headline = scope.headlineWithAge
    news = scope.whole.hasBase ? LeadSection.change(scope, most: 4) : "Nothing yet: no exposure has an outcome."
    let changed = scope.whole.changed
    let what = NameList.of(changed, most: 2) { row, usual in
      "\(scope.whole.shortName(row)) \(usual.outside?.rawValue ?? "")"
    }
    subject =
      "Permissions, \(scope.headline.prefix(1).lowercased() + scope.headline.dropFirst())"
      + (changed.isEmpty ? "" : ": " + what)
    let groups = scope.leadGroups
    let rows = groups.map(scope.leadRow)
    let order = RowNames.byExposures(rows)
    lines = order.prefix(ReportPage.mostCards).map { index in
      Line(
        weeks: groups[index].weeks.filter { scope.state($0) == nil },
        name: RowNames.titles.full(rows[index]), rate: ReportPage.large(rows[index]),
        detail: ReportPage.beside(rows[index]))
    }
    if order.count > lines.count { more = "and \(NumberText.count(order.count - lines.count)) more" }
    let all = Attention(scope).lines
    attention = Array(all.prefix(Self.mostAttention))
    if all.count > attention.count { attention.append("And \(all.count - attention.count) more.") }
    source =
      "As of \(NumberText.moment(asOf, report.zone)), \(report.timeZone). \(NumberText.counted(report.events, "event")), "
      + "\(NumberText.counted(report.users, "user"))"
      + (ComparisonWords.leftOut(report.leftOutUsers).map { ", " + $0 } ?? "")
      + ". Exposures \(scope.exactInterval("then"))."
      + (scope.conditions.map { " Where \($0); \(ReportScope.unfiltered)." } ?? "")
  }
}
