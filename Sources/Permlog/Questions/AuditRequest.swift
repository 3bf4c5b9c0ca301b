// What an audit looks at, and the question that a log is asked.

import PermissionAnalysis
import PermissionEvents

/// What an audit is asked for: what a log, and what an app declares, say about how the app asks. The default is all of the log.
///
/// For example:
///
/// ```swift
/// var request = AuditRequest()
/// request.thresholds[.coldAsk] = AuditThreshold(percent: "25")
/// let errors = try log.audit(request).findings.filter { $0.severity == .error }
/// ```
public struct AuditRequest: Sendable, Hashable {
  /// How long an answer counts and a journey is followed has no meaning for an audit, whose durations are fixed.
  public var scope = QuestionScope()
  /// First day of the exposures that findings about how the app asks count, in the zone; nil for the first of the log.
  public var from: CivilDate?
  /// The day after the last, in the zone; nil for the last of the log.
  public var to: CivilDate?
  /// Conditions on those exposures; all of them hold.
  public var conditions: [ExposureCondition] = []
  /// From when on the log holds what users did, in the zone; nil for its oldest event. Sums know no oldest event: without it, when
  /// somebody first used the app is known there only of those with an install in the log.
  public var logStart: Moment?
  /// From which share on a check is a finding, of checks that have such a share.
  public var thresholds: [AuditCheck: AuditThreshold] = [:]
  /// How many ids of users are given as examples of a finding, 0 to 100.
  public var examples = 0
  /// The only permission of findings; findings of no permission are there too.
  public var permission: String?
  /// Paths of the Info.plists of an app and its extensions.
  public var infoPlists: [String] = []

  /// Most ids of users that a finding has.
  public static let mostExamples = AuditQuestion.mostExamples

  public init() {}

  /// Exposures of one ISO week, in the zone.
  public mutating func limit(to week: ISOWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }
}

extension AuditRequest {
  /// The question that a log with events in a span of time is asked.
  /// - Parameter oldest: time in the log; nil if it is one of several.
  func question(
    _ times: ClosedRange<Milliseconds>, oldest: Milliseconds?, clock: Milliseconds?, in zone: ZoneTable? = nil
  ) throws(PermlogError) -> AuditQuestion {
    try checkNumbers()
    let (first, last) = (try from?.checkedDay(), try to?.checkedDay())
    var dates = [first, last].compactMap { $0 }
    if let logStart { dates.append(ZoneTable.utc.day(of: try logStart.time(in: .utc))) }
    let base = try scope.question(times, clock: clock, dates: dates, in: zone)
    var question = AuditQuestion(
      asOf: base.windows.asOf, zone: base.zone, logStart: try logStart?.time(in: base.zone) ?? oldest)
    question.windows.atOnce = scope.atOnce
    (question.from, question.to) = try ExposureInterval.moments(from: first, to: last, in: base.zone)
    question.conditions = conditions
    question.thresholds = thresholds
    question.examples = examples
    question.permission = permission
    return question
  }

  /// The question that logs are asked whose sums add up.
  func sharedQuestion(in zone: ZoneTable? = nil) throws(PermlogError) -> AuditQuestion {
    try question(scope.sharedTimes(), oldest: nil, clock: nil, in: zone)
  }

  private func checkNumbers() throws(PermlogError) {
    guard (0...Self.mostExamples).contains(examples) else {
      throw PermlogError(
        .usage, "a finding has 0 to \(Self.mostExamples) users as examples, and not \(examples)", argument: .examples)
    }
    let fixed = thresholds.keys.filter { $0.threshold == nil }.map(\.rawValue).min()
    if let fixed {
      let others = AuditCheck.allCases.filter { $0.threshold != nil }.map(\.rawValue).joined(separator: ", ")
      throw PermlogError(
        .usage, "\(fixed) is a finding whenever it is there; these have a share: \(others)", argument: .thresholds)
    }
  }
}
