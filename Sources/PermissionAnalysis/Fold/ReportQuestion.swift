// What a report is asked for.

import PermissionEvents

package struct ReportQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, and activity by its own time, in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// Code of the only permission to report on.
  package var permission: UInt32?
  package var property: StringField?

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  func isInside(_ time: Milliseconds) -> Bool { time >= from ?? .min && time < to ?? .max }
}
