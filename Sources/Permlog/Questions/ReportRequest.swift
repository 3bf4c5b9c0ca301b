// The weekly report: its request, and its answers from a log or sums.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

/// The request of a weekly report. The default is everything in the log, by permission and week.
///
/// For example:
///
/// ```swift
/// var request = ReportRequest()
/// request.permission = "notifications"
/// request.scope.timeZone = "Europe/Berlin"
/// ```
public struct ReportRequest: QuestionRequest, FilteredRequest, Hashable {
  public var scope = QuestionScope()
  public var from: CivilDate?
  public var to: CivilDate?
  /// Conditions on the exposure, which must all hold. They choose the journeys of rows, trends and tests. Reach,
  /// activity, users, events and journeys without an exposure still cover the whole log.
  public var conditions: [ExposureCondition] = []
  public var permission: String?
  /// The properties of the exposure to break down by, at most two. For two properties each combination of values has
  /// rows.
  public var properties: [StringField] = []
  /// How many values of the property, or combinations of two, get rows of their own: those with the most exposures. The
  /// others share one row. At least 1. Sums of the request always count every value.
  public var valueLimit = RowLimit.usualValues
  /// The time from which the log has all activity, in the zone; nil for its oldest event. Sums do not know the oldest
  /// event: without this time, how much users used the app before they were asked is known only for users with an
  /// install in the log.
  public var logStart: Moment?
  /// Whether times are counted finely enough for charts. Only charts need this, and it costs a little time.
  public var hasCharts = true

  /// Whether the report also names experiments and the worst finding of the audit, for the people who read no more than
  /// it. That reads the log again, twice and for each experiment. Only of the whole log: not with conditions or days.
  public var namesFindings = false

  public static let mostProperties = 2

  public init() {}

  public static let fields = Field.list(
    Field.scope, Field.filter,
    [
      .permission(\.permission, "Only this permission."),
      Field(
        .properties, \.properties, .properties, "property", counted: .by, as: "breakdown",
        "Break down by a property of the exposure; give it twice to cross two: \(PropertyNames.listed)."),
      Field(
        .valueLimit, \.valueLimit, .number(1...Int.max), "number",
        "How many values of `by`, or combinations of two, get rows of their own: those with the most exposures. The others share one row (default: 1000)."
      ),
      .logStart(\.logStart),
    ])

  public static let rules: [FieldRule] = [
    .not(.week, with: [.from, .to]), .only(.valueLimit, with: .properties), .keyWithUsers,
  ]
}

extension PermlogError.Argument {
  public static let valueLimit = Self(rawValue: "by_limit")
  public static let smallGroups = Self(rawValue: "small_groups")
}

extension ReportRequest: CountedRequest {
  public typealias Answer = Report

  public static let kind = Question.Kind.report

  public func checkFields() throws(PermlogError) {
    try checkDays()
    guard properties.count <= Self.mostProperties, Set(properties).count == properties.count,
      !properties.contains(.permission)
    else {
      throw .usage(
        "a report can be split by at most \(Self.mostProperties) properties of the exposure, each once", .properties)
    }
    guard valueLimit >= 1 else {
      throw .usage("at least one value of the property must get a row of its own", .valueLimit)
    }
  }

  func asked(of log: AskedLog) throws(PermlogError) -> ReportQuestion {
    let (windows, zone) = try windows(log, since: logStart)
    var question = ReportQuestion(windows: windows, zone: zone)
    question.logStart = try logStart?.time(in: zone) ?? log.oldest
    (question.from, question.to) = try interval(in: zone)
    question.conditions = conditions
    question.permission = permission
    question.properties = properties
    question.rows.values = valueLimit
    question.countsVersions = hasCharts
    return question
  }

  func shared(in zone: ZoneTable?) throws(PermlogError) -> ReportQuestion {
    var question = try asked(of: AskedLog(asked: scope, in: zone))
    // The caller may want charts when the sums are rendered.
    question.countsVersions = true
    return question
  }

  func checkSums(_ sums: ReportSums, _ question: ReportQuestion) throws(SumsError) {
    try sums.checkCounts(for: question)
  }

  static func count(_ question: ReportQuestion, _ walk: LogWalk) throws -> ReportSums {
    try walk.fold(question.selection) { ReportFold(question, contexts: $0) }
  }

  func answerOfNothing(_ source: AnswerSource) throws(PermlogError) -> Report? {
    let earliest = Timestamp.earliest...Timestamp.earliest
    let zone = if let zone = source.zone { zone } else { try SystemZones.table(scope.timeZone, over: earliest) }
    return .empty(
      timeZone: zone.name, weekStart: scope.weekStart, responseWindow: scope.responseWindow, followUp: scope.followUp,
      where: conditions)
  }

  func answer(_ sums: ReportSums, _ question: ReportQuestion, _ source: AnswerSource) throws -> Report {
    var question = question
    question.countsVersions = hasCharts
    var report = try Report(sums, question, threads: source.threads, isForCharts: hasCharts, reading: source.reading)
    if let snapshot = source.snapshot {
      report.notUnderstood = snapshot.ingestTally?.notUnderstoodShare
      let arrived = try snapshot.completeness(
        upTo: question.windows.asOf, in: question.zone, threads: source.threads)
      (report.completeness, report.hasDamagedNumbers) = (arrived.figures, arrived.isDamaged)
      report.expiredBefore = snapshot.manifest.expiredBefore
      report.unusual = try snapshot.unusualIngests(upTo: question.windows.asOf, threads: source.threads)
    }
    return report
  }
}

extension ReportRequest {
  /// Experiments that are compared for a report.
  private static let mostExperiments = 3
  /// Days for which a decided experiment is news.
  private static let newsDays: DayNumber = 28

  func complete(_ report: inout Report, by log: PermissionLog) throws(PermlogError) {
    report.leavesOutOwnListOnly = scope.without.files.isEmpty
    guard namesFindings, conditions.isEmpty, from == nil, to == nil, let asOf = report.asOf else { return }
    var scope = scope
    scope.asOf = .time(asOf)
    var experiments = ExperimentsRequest()
    (experiments.scope, experiments.permission) = (scope, permission)
    let day = report.zone.lastBegunDay(at: asOf)
    let found = try log.experiments(experiments, most: Self.mostExperiments) { experiment in
      experiment.isRunning || day - experiment.lastExposure <= Self.newsDays
    }
    func isDecided(_ experiment: ExperimentSummary) -> Bool {
      experiment.comparison?.pairs.contains { $0.decidedOn != nil } ?? false
    }
    report.experiments = found.filter(isDecided) + found.filter { !isDecided($0) && $0.isRunning }
    var audit = AuditRequest()
    (audit.scope, audit.permission) = (scope, permission)
    report.finding = try log.audit(audit).findings.first { $0.severity < .note }
  }
}

extension Report {
  /// The part of a report that tells nothing about fewer than a number of users, neither alone nor together with other such reports
  /// of the same log. docs/privacy.md has the rule and its limits.
  /// - Parameter smallest: the least users who granted, and who did not, of each group: 2 to 1,000,000.
  /// - Throws: `usage` if the report has conditions, an interval, another zone than UTC, other windows than the usual ones, two
  ///   properties, or not all values of the property (`ReportRequest.valueLimit`).
  public func largeGroups(of smallest: Int) throws(PermlogError) -> LargeGroups {
    guard Report.sizesOfLargeGroups.contains(smallest) else {
      throw .usage("the smallest group must have from 2 to 1000000 users, not \(smallest)", .smallGroups)
    }
    if let asked = askedTooClosely {
      throw .usage(
        "a report of large groups has no \(asked): with two such reports the difference could be a few users",
        .smallGroups)
    }
    guard values ?? 0 <= valueLimit ?? .max else {
      throw .usage("a report of large groups needs all values of the property", .smallGroups)
    }
    return madeLargeGroups(of: smallest)
  }

  /// What the report was asked for beyond the permission, a property and the moment to look from.
  private var askedTooClosely: String? {
    let usual = QuestionScope()
    if !conditions.isEmpty { return "conditions" }
    if from != nil || to != nil { return "interval" }
    if leftOutUsers ?? 0 > 0, !leavesOutOwnListOnly { return "users to leave out" }
    if timeZone != usual.timeZone { return "other time zone than UTC" }
    if zone.weekStart != usual.weekStart { return "other weeks than ISO 8601 has" }
    let windows = [responseWindow, followUp, atOnce]
    if windows != [usual.responseWindow, usual.followUp, usual.atOnce] { return "other windows than the usual ones" }
    return properties.count > 1 ? "second property" : nil
  }
}

extension PermissionLog {
  /// The weekly report; an empty log gives no rows.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   figures.
  /// - Throws: `usage` if the log does not have the permission or a value of a condition, or the interval is empty.
  public func report(
    _ request: ReportRequest = ReportRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> Report { try request.answer(of: self, onUnknown: onUnknown) }
}
