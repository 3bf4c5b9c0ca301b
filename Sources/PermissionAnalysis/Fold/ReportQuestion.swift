// What a report is asked for.

import PermissionEvents

package struct ReportQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, and activity by its own time, in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// The only permission to report on.
  package var permission: String?
  package var property: StringField?
  /// From when on the log holds what users did; nil if that is not known. How much somebody used the app before a screen is known
  /// only if the log, or the user's install, reaches back far enough.
  package var logStart: Milliseconds?
  /// Values of the property that get rows of their own, those with the most exposures; the others are one row together. It is
  /// for the figures alone: sums keep every value.
  package var valueLimit = ReportQuestion.usualValueLimit
  package var room = GroupRoom()

  package static let usualValueLimit = 1000

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// How early users were asked is counted of whole permissions alone.
  var hasTiming: Bool { property == nil }

  /// What the log is asked to hand over.
  package var selection: HistorySelection { HistorySelection(property: property) }

  /// Everything that sums depend on, by name: sums of questions that differ in any of it do not add up.
  package var facts: [String: String] {
    var facts = windows.facts
    facts["time_zone"] = zone.name
    facts["time_zone_transitions"] = zone.transitionsText
    facts["from"] = from.map(Timestamp.text)
    facts["to"] = to.map(Timestamp.text)
    facts["permission"] = permission
    facts["by"] = property?.name
    facts["log_start"] = logStart.map(Timestamp.text)
    return facts
  }

  /// Indices of the ISO weeks that events between two moments lie in.
  func weeks(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Int64> {
    let first = ISOWeek(day: zone.day(of: times.lowerBound)).index
    return first...max(first, ISOWeek(day: zone.day(of: times.upperBound)).index)
  }
}

extension AnalysisWindows {
  var facts: [String: String] {
    [
      "as_of": Timestamp.text(asOf), "response_window_ms": String(response), "follow_up_ms": String(followUp),
      "settings_window_ms": String(settings),
    ]
  }
}
