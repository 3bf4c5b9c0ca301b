// How many events of each kind there were, by their own time.

import PermissionAnalysis
import PermissionEvents

enum ActivitySection {
  static func write(_ scope: ReportScope, on page: inout TextPage) {
    page.section("Activity, " + scope.leadName)
    page.paragraph(
      "Events by their own time, not by exposure; a plain count, copies left out. Kinds without an event are not named."
    )
    page.blank()
    let totals = totals(scope)
    let names = totals.map { RowNames.permission($0.permission ?? "(the app)") }
    let width = min(page.style.width / 3, names.map { DisplayWidth.of(page.style.legible($0)) }.max() ?? 0)
    for (name, total) in zip(names, totals) {
      let kinds = zip(EventKind.names, total.counts).filter { $0.1 > 0 }
        .map { $0.0 + "\u{A0}" + NumberText.count($0.1) }.joined(separator: "\u{A0}· ")
      page.field(name, width: width + 2, kinds)
    }
    if totals.isEmpty { page.paragraph("No events.") }
    page.cautions(totals.compactMap(\.permission))
  }

  /// The counts of the week that the report leads with, or of all weeks; engagement last.
  private static func totals(_ scope: ReportScope) -> [(permission: String?, counts: [Int])] {
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

  private static func isSame(_ a: String?, _ b: String?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return RowNames.isSame(a, b)
  }
}
