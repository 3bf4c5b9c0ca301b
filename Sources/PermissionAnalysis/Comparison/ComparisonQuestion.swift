// What a comparison is asked for.

import PermissionEvents

/// What is done with users who saw several messages.
public enum ContaminationPolicy: String, CaseIterable, Sendable {
  /// They count for the message that they saw first.
  case first
  /// They are left out.
  case exclude
}

/// A metric that must not become worse by more than a margin, a share of 1.
package struct GuardrailQuestion: Sendable {
  package var metric: ComparisonMetric
  package var margin: Double

  package init(metric: ComparisonMetric, margin: Double) {
    self.metric = metric
    self.margin = margin
  }
}

package struct ComparisonQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Times of the log's oldest and newest event.
  package var logTimes: ClosedRange<Milliseconds>
  /// Codes in `HistoryContexts`.
  package var permission: UInt32
  /// The control, then the others; nil is one arm of all journeys, whatever was shown.
  package var variants: [UInt32]?
  package var experiment: UInt32?
  package var metric: ComparisonMetric = .grantRate
  /// Shares of the arms as they were meant to be; any positive numbers.
  package var split: [Double]
  package var policy: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  package var minimumEffect = 0.01
  /// Users in both arms together at which a decision is expected.
  package var plannedUsers = 5000
  /// Declared looks of a group-sequential design; nil decides by the always-valid sequence.
  package var looks: Int?
  package var guardrails: [GuardrailQuestion] = []
  /// The property whose values are compared apart.
  package var by: StringField?

  /// Most messages of one comparison.
  package static let mostVariants = 16
  /// Attributes of the exposure within which every comparison is checked.
  package static let checkedAttributes: [StringField] = [.platform, .osVersion, .appVersion]

  package init(
    windows: AnalysisWindows, zone: ZoneTable, logTimes: ClosedRange<Milliseconds>, permission: UInt32,
    variants: [UInt32]?, experiment: UInt32?
  ) {
    self.windows = windows
    self.zone = zone
    self.logTimes = logTimes
    self.permission = permission
    self.variants = variants
    self.experiment = experiment
    split = [Double](repeating: 1, count: variants?.count ?? 1)
  }

  var arms: Int { variants?.count ?? 1 }

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    HistorySelection(variants: true, property: by, attributes: Self.checkedAttributes)
  }

  /// Calendar days that the log's events lie on.
  var days: ClosedRange<Int> {
    Int(zone.day(of: logTimes.lowerBound)) - 1...Int(zone.day(of: logTimes.upperBound)) + 1
  }
}
