// What a report is asked for.

import PermissionEvents

package struct ReportQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, and activity by its own time, in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// Conditions on the exposure, in the order in which they were given; all hold.
  package var conditions: [ExposureCondition] = []
  /// The only permission to report on.
  package var permission: String?
  /// Properties of the exposure that the rows are split by: none, one or two.
  package var properties: [StringField] = []
  /// From when on the log holds what users did; nil if that is not known. How much somebody used the app before a screen is known
  /// only if the log, or the user's install, reaches back far enough.
  package var logStart: Milliseconds?
  /// Values of the property, or combinations of two, that get rows of their own, those with the most exposures; the others are one
  /// row together. It is for the figures alone: sums keep every value.
  package var valueLimit = ReportQuestion.usualValueLimit
  package var room = GroupRoom()
  /// Exposures are counted by version of the app and day too, for the marks of charts.
  package var countsVersions = false

  package static let usualValueLimit = 1000

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// How early users were asked is counted of whole permissions alone.
  var hasTiming: Bool { properties.isEmpty }

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    var selection = HistorySelection()
    selection.add(properties + conditions.map(\.field) + (countsVersions ? [.appVersion] : []))
    return selection
  }

  /// Indices of the ISO weeks that events between two moments lie in.
  func weeks(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Int64> {
    let first = ISOWeek(day: zone.day(of: times.lowerBound)).index
    return first...max(first, ISOWeek(day: zone.day(of: times.upperBound)).index)
  }
}
