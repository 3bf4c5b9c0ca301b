// One row of the report: a group of figures a property. A figure is added in the file of its group alone.

import PermissionEvents

/// The value of a property that a row is about.
public struct PropertyValue: Sendable, Hashable {
  public let property: StringField
  /// nil for exposures without the property, and for the other values together.
  public let value: String?
  /// True for all values together that have no row of their own: they are those with the fewest exposures.
  public let isOther: Bool

  package init(property: StringField, value: String?, isOther: Bool = false) {
    (self.property, self.value, self.isOther) = (property, value, isOther)
  }
}

extension [PropertyValue] {
  /// True for all values, or combinations of values, that have no row of their own.
  package var isOther: Bool { first?.isOther ?? false }

  /// False for exposures that have none of the properties, and for the others together.
  package var hasValue: Bool { contains { $0.value != nil } }

  /// By the first property's value, then by the second's, none first.
  package func isBefore(_ other: [PropertyValue]) -> Bool {
    for (a, b) in zip(self, other) {
      let (left, right) = (a.value ?? "", b.value ?? "")
      if !left.utf8.elementsEqual(right.utf8) { return left.utf8.lexicographicallyPrecedes(right.utf8) }
    }
    return false
  }
}

/// The figures of one permission in one week, or in all weeks. Rates are shares of 1, times are milliseconds; nil is
/// unknown, never 0.
public struct ReportRow: Sendable {
  public package(set) var permission: String
  /// nil for all weeks together.
  public let week: ISOWeek?
  /// True if the week is over at as_of; nil for all weeks.
  public let isComplete: Bool?
  /// The values that the row is of, one for each property that the report is split by; empty without one.
  public let by: [PropertyValue]
  /// What the log does not hold, so that some figures are unknown.
  public let noEvidence: [Evidence]

  public package(set) var grants: GrantFigures
  public package(set) var steps: StepFigures
  public package(set) var times: TimeFigures
  public let afterGrant: AfterGrantFigures
  public let returns: ReturnFigures
  public let settings: SettingsFigures
  public let engagement: EngagementFigures
  /// By day: 1, 7, 30.
  public let retention: [RetentionFigures]
  public package(set) var trend: Trend?

  /// - Parameters:
  ///   - sums: integers of the row's journeys.
  ///   - times: of the same journeys.
  ///   - missing: evidence that the log does not hold of the permission.
  ///   - isForCharts: whether what only charts need is wanted too.
  init(
    permission: String, week: ISOWeek?, isComplete: Bool?, by: [PropertyValue], _ sums: RowSums,
    _ times: RowTimes, missing: [Evidence], isForCharts: Bool
  ) {
    (self.permission, self.week, self.isComplete, self.by) = (permission, week, isComplete, by)
    noEvidence = missing
    grants = GrantFigures(sums, missing: missing)
    steps = StepFigures(sums, missing: missing)
    self.times = TimeFigures(sums, times, missing: missing, isForCharts: isForCharts)
    afterGrant = AfterGrantFigures(sums, missing: missing)
    returns = ReturnFigures(sums, hasCurve: isForCharts && week == nil, missing: missing)
    settings = SettingsFigures(sums, missing: missing)
    engagement = EngagementFigures(sums, missing: missing)
    retention = retentionDays.indices.map { RetentionFigures(sums, number: $0, missing: missing) }
  }

  /// All figures, in the order of the JSON.
  public static let figures = FigureTree<ReportRow>(
    GrantFigures.figures + StepFigures.figures + TimeFigures.figures + AfterGrantFigures.figures
      + ReturnFigures.figures + SettingsFigures.figures + EngagementFigures.figures + RetentionFigures.figures
      + Trend.figures + GrantFigures.laterFigures)
}
