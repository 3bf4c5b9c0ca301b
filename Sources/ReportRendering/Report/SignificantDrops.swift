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
    return ReportScope.inOrder(rows.rows(of: lead)).filter { row in
      guard let trend = row.trend, trend.isSignificant, let change = trend.change?.value else { return false }
      return change < 0
    }
  }
}
