// Grant rates that dropped, for those who want to be told of nothing else.

import PermissionAnalysis
import PermissionEvents

extension Report {
  /// Rows of the newest complete week whose grant rate is significantly lower than in the week before, after Holm's
  /// correction. None if that week has no exposures: an older drop has been told.
  public var significantDrops: [ReportRow] {
    // Of all rows, not only of those that a page has room for.
    guard let asOf, let lead = ReportScope.leadWeek(self),
      to != nil || lead.index + 1 == ISOWeek(day: zone.lastBegunDay(at: asOf)).index
    else { return [] }
    let changed = rows.rows(of: lead) { Trend.isSignificant($0) }
    return ReportScope.inOrder(changed.filter { ($0.trend?.change?.value ?? 0) < 0 })
  }
}
