// What an audit asks of a log. Its durations are fixed: half an hour for an answer, 28 days to follow a journey.

import PermissionEvents

package struct AuditQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// From when on the log has all events; nil if that is not known, as of sums of several logs.
  package var logStart: Milliseconds?
  /// Of the findings about how the app asks: journeys whose t0 lies in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// Of the same findings: what the exposure has to meet.
  package var conditions: [ExposureCondition] = []
  /// The only permission of findings; those of no permission stay. It is for the figures alone: sums have all.
  package var permission: String?
  /// How many ids of users are given as examples of a finding; 0 for none.
  package var examples = 0
  /// Shares other than those of `AuditCheck.threshold`. They are for the figures alone: sums do not depend on them.
  package var thresholds: [AuditCheck: AuditThreshold] = [:]
  package var room = GroupRoom()

  /// Most ids of users that a finding has.
  package static let mostExamples = 100

  package init(asOf: Milliseconds, zone: ZoneTable = .utc, logStart: Milliseconds? = nil) {
    windows = AnalysisWindows(asOf: asOf)
    self.zone = zone
    self.logStart = logStart
  }

  package func threshold(_ check: AuditCheck) -> AuditThreshold? { thresholds[check] ?? check.threshold }

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    var selection = HistorySelection(userIDs: examples > 0)
    // Versions and platforms of all events.
    selection.attributes = [.appVersion, .platform]
    selection.allAttributes = true
    selection.add(conditions.map(\.field))
    return selection
  }
}
