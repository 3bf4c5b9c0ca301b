// Grant rates that dropped, for those who want to be told of nothing else.

import PermissionAnalysis

extension Report {
  /// Rows of the week that the report leads with whose grant rate is significantly lower than in the week before, after
  /// Holm's correction. None if there is no complete week to lead with.
  public var significantDrops: [ReportRow] {
    ReportScope(self).leadRows.filter { row in
      guard let trend = row.trend, trend.isSignificant, let change = trend.change?.value else { return false }
      return change < 0
    }
  }
}
