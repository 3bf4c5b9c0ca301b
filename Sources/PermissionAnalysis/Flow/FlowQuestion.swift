// What a question about flows asks for.

import PermissionEvents

package struct FlowQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Flows whose first t0 lies in [from, to). Nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  /// What the first exposure of a flow has to meet; all of them.
  package var conditions: [ExposureCondition] = []
  /// Permissions of a declared flow, in the order in which the app asks; empty for none.
  package var steps: [String] = []
  /// The only permission of the tables by position and by the outcome before. It is for the figures alone: sums have all.
  package var permission: String?
  package var room = GroupRoom()

  /// Steps of a flow that the tree has, and most steps of a declared one.
  package static let mostSteps = 8

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    var selection = HistorySelection()
    selection.add(conditions.map(\.field))
    return selection
  }
}
