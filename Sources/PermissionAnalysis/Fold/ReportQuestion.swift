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

  /// Times of the log's oldest and newest event.
  package var logTimes: ClosedRange<Milliseconds>

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc, logTimes: ClosedRange<Milliseconds>) {
    self.windows = windows
    self.zone = zone
    self.logTimes = logTimes
  }

  /// Indices of the ISO weeks that the log's events lie in.
  var weeks: ClosedRange<Int64> {
    ISOWeek(day: zone.day(of: logTimes.lowerBound)).index...ISOWeek(day: zone.day(of: logTimes.upperBound)).index
  }
}
