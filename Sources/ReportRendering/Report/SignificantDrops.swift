// Grant rates that dropped, for those who want to be told of nothing else.

import PermissionAnalysis
import PermissionEvents

extension Report {
  /// Rows of the newest complete week whose grant rate is significantly lower than in the week before, after Holm's
  /// correction. None if that week has no exposures: an older drop has been told.
  public var significantDrops: [ReportRow] {
    let scope = ReportScope(self)
    guard let asOf, let lead = scope.leadWeek,
      to != nil || lead.index + 1 == ISOWeek(day: zone.lastBegunDay(at: asOf)).index
    else { return [] }
    return scope.leadRows.filter { row in
      guard let trend = row.trend, trend.isSignificant, let change = trend.change?.value else { return false }
      return change < 0
    }
  }
}
