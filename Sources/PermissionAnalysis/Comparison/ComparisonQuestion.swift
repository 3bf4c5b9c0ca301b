// What a comparison is asked for.

import PermissionEvents

/// What is done with users who saw both messages.
package enum ContaminationPolicy: String, CaseIterable, Sendable {
  /// They count for the message that they saw first.
  case first
  /// They are left out.
  case exclude
}

package struct ComparisonQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Codes in `HistoryContexts`.
  package var permission: UInt32
  /// The control, then the other.
  package var variants: [UInt32]
  package var experiment: UInt32?
  package var metric: ComparisonMetric = .grantRate
  /// Shares of the arms as they were meant to be; any positive numbers.
  package var split: [Double] = [50, 50]
  package var policy: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  package var minimumEffect = 0.01
  /// Users in both arms together at which a decision is expected.
  package var plannedUsers = 5000

  package init(
    windows: AnalysisWindows, zone: ZoneTable, permission: UInt32, variants: [UInt32], experiment: UInt32?
  ) {
    self.windows = windows
    self.zone = zone
    self.permission = permission
    self.variants = variants
    self.experiment = experiment
  }
}
