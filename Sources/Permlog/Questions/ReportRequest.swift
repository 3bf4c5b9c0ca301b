// The weekly report: what it is asked for, and the fold over the log that answers.

import EventLog
import PermissionAnalysis
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
  /// Conditions on the exposure, which must all hold: they choose the journeys of rows, trends and tests. Reach, activity, users,
  /// events and journeys without an exposure are those of the whole log.
  public var conditions: [ExposureCondition] = []
  /// The only permission to report on.
  public var permission: String?
  /// Properties of the exposure to break down by: none, one, or two of which each combination of values has rows.
  public var properties: [StringField] = []
  /// Values of the property, or combinations of two, that get rows of their own, those with the most exposures; the others are one
  /// row together. At least 1. Whatever it is, sums of the request count every value.
  public var valueLimit = 1000
  /// From when on the log holds what users did, in the zone; nil for its oldest event. Sums know no oldest event: without it, how
  /// much users used the app before they were asked is known there only of those with an install in the log.
  public var logStart: Moment?
  /// Times are counted finely enough to be drawn. Only charts need it, and it costs a little.
  public var hasCharts = true

  /// Most properties to break down by.
  public static let mostProperties = 2

  public init() {}

  /// Exposures of one ISO week, in the zone.
  public mutating func limit(to week: ISOWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }
}

extension PermissionLog {
  /// The weekly report; that of an empty log has no rows.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: `usage` if the log does not have the permission or a value of a condition, or the interval is empty.
  public func report(
    _ request: ReportRequest = ReportRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> Report {
    try translating {
      let snapshot = try LogSnapshot(directory)
      snapshot.tellUnknown(onUnknown)
      guard let times = snapshot.timeRange else { return try Self.empty(request) }
      let now = clock()
      let question = try request.question(times, oldest: times.lowerBound, clock: now)
      try KnownNames.check(question.conditions, in: snapshot)
      if let permission = question.permission { try KnownNames.check(permission, .permission, in: snapshot) }
      var (sums, calls) = try snapshot.foldRead(question.windows, question.selection, threads: threads) {
        ReportFold(question, contexts: $0)
      }
      sums.calls = calls
      var report = try Report(
        sums, question, threads: threads, isForCharts: request.hasCharts, reading: CallReading(calls))
      report.age = try request.scope.age(of: snapshot, clock: now, threads: threads)
      report.notUnderstood = snapshot.ingestTally?.notUnderstoodShare
      return report
    }
  }

  private static func empty(_ request: ReportRequest) throws(PermlogError) -> Report {
    let scope = request.scope
    let zone = try SystemZones.table(scope.timeZone, over: Timestamp.earliest...Timestamp.earliest)
    return .empty(
      timeZone: zone.name, responseWindow: scope.responseWindow, followUp: scope.followUp,
      where: request.conditions)
  }
}

extension ReportRequest {
  /// The question that a log with events in a span of time is asked.
  /// - Parameter oldest: time in the log; nil if it is one of several.
  func question(
    _ times: ClosedRange<Milliseconds>, oldest: Milliseconds?, clock: Milliseconds?, in zone: ZoneTable? = nil
  ) throws(PermlogError) -> ReportQuestion {
    let (first, last) = (try from?.checkedDay(), try to?.checkedDay())
    var dates = [first, last].compactMap { $0 }
    if let logStart { dates.append(ZoneTable.utc.day(of: try logStart.time(in: .utc))) }
    var question = try scope.question(times, clock: clock, dates: dates, in: zone)
    question.logStart = try logStart?.time(in: question.zone) ?? oldest
    (question.from, question.to) = try ExposureInterval.moments(from: first, to: last, in: question.zone)
    question.conditions = conditions
    question.permission = permission
    guard properties.count <= Self.mostProperties, Set(properties).count == properties.count,
      !properties.contains(.permission)
    else {
      throw PermlogError(
        .usage, "a report is split by at most \(Self.mostProperties) properties of the exposure, each once",
        argument: .properties)
    }
    question.properties = properties
    guard valueLimit >= 1 else {
      throw PermlogError(.usage, "at least one value of the property gets a row of its own", argument: .valueLimit)
    }
    question.valueLimit = valueLimit
    question.countsVersions = hasCharts
    return question
  }
}
