// The rows of journeys: which are wanted, and from when they are looked at.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// Which journeys are written as rows. The default is all of the log.
///
/// For example:
///
/// ```swift
/// var request = JourneyRequest()
/// request.permission = "notifications"
/// request.conditions = [try ExposureCondition(parsing: "country=DE")]
/// ```
public struct JourneyRequest: Sendable, Hashable {
  public var scope = QuestionScope()
  /// First day of exposures, in the zone; nil for the first of the log.
  public var from: CivilDate?
  /// The day after the last, in the zone; nil for the last of the log.
  public var to: CivilDate?
  /// The only permission whose journeys are written.
  public var permission: String?
  /// Conditions on the exposure, which must all hold.
  public var conditions: [ExposureCondition] = []

  public init() {}

  /// Exposures of one ISO week, in the zone.
  public mutating func limit(to week: ISOWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }
}

extension JourneyRequest {
  /// The question that a log with events in a span of time is asked: the journeys are those of the report.
  func question(_ times: ClosedRange<Milliseconds>, clock: Milliseconds) throws(PermlogError) -> JourneyQuestion {
    let days = (from: try from?.checkedDay(), to: try to?.checkedDay())
    let shared = try scope.question(times, clock: clock, dates: [days.from, days.to].compactMap { $0 })
    var question = JourneyQuestion(windows: shared.windows, zone: shared.zone)
    (question.from, question.to) = try ExposureInterval.moments(from: days.from, to: days.to, in: shared.zone)
    (question.permission, question.conditions) = (permission, conditions)
    return question
  }
}
