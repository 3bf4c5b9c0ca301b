// How many events of each kind there were, by their own time.

import PermissionAnalysis
import PermissionEvents

enum ActivitySection {
  static func section(_ scope: ReportScope) -> ReportSection {
    let totals = totals(scope)
    var table = Table("permission", ["events"], isList: true)
    for total in totals {
      let kinds = zip(EventKind.names, total.counts).filter { $0.1 > 0 }
        .map { $0.0 + "\u{A0}" + NumberText.count($0.1) }.joined(separator: "\u{A0}· ")
      table.row(RowNames.permission(total.permission ?? "(the app)"), [TableCell(kinds)])
    }
    return ReportSection(
      .activity, "Activity, " + scope.leadName,
      "Events by their own time, not by exposure; a plain count, copies left out. Kinds without an event are not named.",
      table, permissions: totals.compactMap(\.permission), empty: "No events.")
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
