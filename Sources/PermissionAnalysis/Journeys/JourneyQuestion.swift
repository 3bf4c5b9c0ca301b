// What the rows of journeys are asked for.

import PermissionEvents

package struct JourneyQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// The only permission whose journeys are wanted.
  package var permission: String?
  /// All hold for the exposure.
  package var conditions: [ExposureCondition] = []
  /// Whether the log has features at all. Without any there is nothing to read.
  package var hasFeatures = true
  /// How calls that return at once are read.
  package var reading = CallReading()
  /// Events without which some columns are unknown.
  package var missing: [Evidence] = []

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// Properties of the exposure that rows have, in their order.
  package static let properties: [StringField] = [
    .variant, .experiment, .surface, .appVersion, .osVersion, .platform, .locale, .country,
  ]

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    var selection = HistorySelection(userIDs: true)
    selection.add(Self.properties + (hasFeatures ? [.feature] : []))
    selection.add(conditions.map(\.field))
    return reading.selection(selection)
  }
}
