// What a report is asked for.

import PermissionEvents

/// What a weekly report is asked for. The default is everything in the log, by permission and week.
///
/// For example:
///
/// ```swift
/// var request = ReportRequest()
/// request.permission = "notifications"
/// request.scope.timeZone = "Europe/Berlin"
/// ```
public struct ReportRequest: Sendable, Hashable {
  public var scope = QuestionScope()
  /// First day of exposures, in the zone; nil for the first of the log.
  public var from: CivilDate?
  /// The day after the last, in the zone; nil for the last of the log.
  public var to: CivilDate?
  /// The only permission to report on.
  public var permission: String?
  /// A property of the exposure to break down by.
  public var property: StringField?
  /// Times are counted finely enough to be drawn. Only charts need it, and it costs a little.
  public var hasCharts = true

  public init() {}

  /// Exposures of one ISO week, in the zone.
  public mutating func limit(to week: ISOWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }
}
