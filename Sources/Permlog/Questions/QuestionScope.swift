// The moment and the windows of a question, its exposures, and the fields of both.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// The moment that a question looks from, its zone, and how long journeys are followed.
public struct QuestionScope: Sendable, Hashable {
  /// IANA name of the zone of days and weeks.
  public var timeZone = "UTC"
  /// The day on which weeks begin. Other weeks than those of ISO 8601 are named by their first day.
  public var weekStart = WeekStart.monday
  /// The moment to look from; nil for the end of the newest event's day if the log is fed to it, else for the newest
  /// event; for the clock if that is earlier, so that a phone that is a day ahead does not end a week. Later events are
  /// left out.
  ///
  /// A log is fed to the end of a day if the whole hours from its newest event to then are at most 1, or the longest
  /// silence of the 28 days before: an export of a week ends with the last event of its Sunday, not at midnight.
  public var asOf: Moment?
  /// How long after the exposure an answer counts, in milliseconds: half an hour.
  public var responseWindow: Milliseconds = 30 * 60_000
  /// An answer that comes sooner than this after its prompt, in milliseconds, is not from a person: no dialog was
  /// shown, and prompt and answer are read as a look at the status. A quarter of a second. 0 counts every answer as a
  /// person's.
  public var atOnce: Milliseconds = 250
  /// How long a journey is followed, in milliseconds: 28 days.
  public var followUp: Milliseconds = 28 * millisecondsPerDay
  /// Users who are left out, beside those of the log's own list.
  public var without = WithoutUsers()

  public init() {}

  /// The windows, the moment to look from, and the zone, which must know these dates too.
  func windows(
    _ log: AskedLog, dates: [DayNumber] = []
  ) throws(PermlogError) -> (windows: AnalysisWindows, zone: ZoneTable) {
    for window in [responseWindow, followUp] {
      guard (0...AnalysisWindows.longest).contains(window) else {
        throw .usage("a window of \(window) milliseconds is not between 0 and ten years")
      }
    }
    guard (0...AnalysisWindows.longestAtOnce).contains(atOnce) else {
      throw .usage("the time for answers at once must be at most a minute, not \(atOnce) milliseconds", .atOnce)
    }
    let utc = try asOf?.time(in: .utc)
    let latest = min(log.times.upperBound, log.clock ?? .max)
    let others = dates.map { $0 * millisecondsPerDay } + [utc, latest].compactMap { $0 }
    let low = others.reduce(log.times.lowerBound) { min($0, $1) }
    let high = others.reduce(log.times.upperBound) { max($0, $1) }
    // Journeys are followed past the log's end, and trends look at the week before its start.
    let span = low - 60 * millisecondsPerDay...high + 60 * millisecondsPerDay
    var zone = if let known = log.zone { known } else { try SystemZones.table(timeZone, over: span) }
    zone.weekStart = weekStart
    let moment = if let asOf { try asOf.time(in: zone) } else { try log.usualMoment(in: zone) }
    var windows = AnalysisWindows(asOf: moment)
    windows.response = responseWindow
    windows.atOnce = atOnce
    windows.followUp = followUp
    return (windows, zone)
  }

  /// The age of the log; nil if the request names the moment to look from.
  func age(of snapshot: LogSnapshot, clock: Milliseconds, threads: Int) throws -> DataAge? {
    asOf == nil ? try snapshot.age(at: clock, threads: threads) : nil
  }
}

/// The facts about a log that a question needs.
struct AskedLog {
  /// The times of the oldest and the newest event.
  var times: ClosedRange<Milliseconds>
  /// The oldest event's time; nil if the log is one of several.
  var oldest: Milliseconds?
  /// The current time; nil if the question names its moment.
  var clock: Milliseconds?
  /// Whether the log was silent for a number of hours in the 28 days before its newest event.
  var wasSilent: @Sendable (Int) throws(PermlogError) -> Bool = { _ in false }
  /// The zone, if it is known; otherwise it is read from the machine's files.
  var zone: ZoneTable?

  /// - Parameter times: of the snapshot.
  init(_ snapshot: LogSnapshot, _ times: ClosedRange<Milliseconds>, clock: Milliseconds, threads: Int) {
    (self.times, oldest, self.clock) = (times, times.lowerBound, clock)
    wasSilent = { (hours) throws(PermlogError) in
      do { return try snapshot.wasSilent(for: hours, threads: threads) } catch { throw PermlogError(error) }
    }
  }

  /// The moment that a question looks from which names none.
  fileprivate func usualMoment(in zone: ZoneTable) throws(PermlogError) -> Milliseconds {
    let (newest, clock) = (times.upperBound, clock ?? .max)
    guard newest < clock else { return min(newest, clock) }
    let end = zone.firstMoment(of: zone.day(of: newest) + 1)
    let hours = SilentHours.between(newest, end)
    return hours <= 1 ? min(end, clock) : try wasSilent(hours) ? min(end, clock) : newest
  }

  /// A log without events.
  static let empty = AskedLog(shared: Timestamp.earliest...Timestamp.earliest)

  private init(shared times: ClosedRange<Milliseconds>) { self.times = times }

  /// One of several logs whose sums are added up: the same value for all of them.
  init(asked scope: QuestionScope, in zone: ZoneTable?) throws(PermlogError) {
    guard let asOf = scope.asOf else {
      throw .usage("sums of several logs need one moment to look from: name it", .asOf)
    }
    self.init(shared: Timestamp.earliest...max(Timestamp.earliest, try asOf.time(in: .utc)))
    self.zone = zone
  }
}

/// A request about exposures of some days.
public protocol DatedRequest: FieldedRequest {
  /// First day of exposures, in the zone; nil for the first of the log.
  var from: CivilDate? { get set }
  /// The day after the last, in the zone; nil for the last of the log.
  var to: CivilDate? { get set }
}

/// A request about exposures of some days that meet conditions.
public protocol FilteredRequest: DatedRequest {
  /// Conditions on the exposure; all of them hold.
  var conditions: [ExposureCondition] { get set }
  /// Only this permission; nil for all.
  var permission: String? { get set }
}

extension FilteredRequest {
  /// A week is an interval by itself.
  public static var rules: [FieldRule] { [.not(.week, with: [.from, .to]), .keyWithUsers] }

  /// Exposures of one week, in the zone.
  public mutating func limit(to week: CalendarWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }

  /// Names that a log must have, in the order in which they are looked for.
  var names: [AskedName] {
    AskedName.values(conditions) + (permission.map { [AskedName(.permission, $0)] } ?? [])
  }

  /// The windows of the scope, with a zone that also covers the days and the start of the log.
  func windows(
    _ log: AskedLog, since logStart: Moment? = nil
  ) throws(PermlogError) -> (windows: AnalysisWindows, zone: ZoneTable) {
    let start = try logStart.map { (moment) throws(PermlogError) in ZoneTable.utc.day(of: try moment.time(in: .utc)) }
    return try scope.windows(log, dates: (try days() + [start]).compactMap { $0 })
  }
}

extension DatedRequest {
  /// The first day and the day after the last.
  func days() throws(PermlogError) -> [DayNumber?] { [try from?.checkedDay(), try to?.checkedDay()] }

  /// Throws unless the days are an interval.
  func checkDays() throws(PermlogError) {
    let days = try days()
    guard let first = days[0], let last = days[1], first >= last else { return }
    throw .usage("\(CivilDate(first).text) is not before \(CivilDate(last).text), the day after the last", .from)
  }

  /// The moments at which the first day begins and the last day ends.
  func interval(in zone: ZoneTable) throws(PermlogError) -> (from: Milliseconds?, to: Milliseconds?) {
    let moments = try days().map { $0.map { zone.firstMoment(of: $0) } }
    if let first = moments[0], let last = moments[1], first >= last {
      throw .usage("the interval is empty: it ends before it begins")
    }
    return (moments[0], moments[1])
  }
}

// MARK: Fields

extension RequestField {
  static var clock: [Self] {
    withoutUsers + [
      Self(
        .timeZone, \Request.scope.timeZone, .zone, "zone", isCounted: true,
        "Time zone of days and weeks, by its IANA name (default: UTC)."),
      Self(
        .asOf, \Request.scope.asOf, .moment, "moment", counted: .asOf, as: "moment",
        "Look as of this date or time (default: the end of the newest event's day if the log has all of it, else the newest event; or now if that is earlier)."
      ),
      Self(
        .atOnce, \Request.scope.atOnce, .duration(longest: AnalysisWindows.longestAtOnce), "duration",
        counted: .atOnce, as: "time under which answers come at once",
        "An answer that comes sooner than this after its prompt is not from a person: no dialog was shown. 0 counts every answer as a person's (default: 250ms)."
      ),
    ]
  }

  /// The same, and how long an answer counts.
  static var answering: [Self] {
    clock + [
      Self(
        .responseWindow, \Request.scope.responseWindow, .duration(), "duration", counted: .responseWindow,
        as: "response window",
        "How long after the exposure an answer counts: a number with ms, s, m, h or d (default: 30m).")
    ]
  }

  /// The same, and how long a journey is followed.
  static var scope: [Self] {
    answering + [
      Self(
        .followUp, \Request.scope.followUp, .duration(), "duration", counted: .followUp, as: "follow-up",
        "How long a journey is followed (default: 28d).")
    ]
  }

  static func conditions(_ path: WritableKeyPath<Request, [ExposureCondition]> & Sendable) -> Self {
    Self(
      .conditions, path, .conditions, "condition", counted: .conditions, as: "conditions",
      "Only journeys whose exposure meets a condition, like country=DE,AT, platform!=ios, country= (no value) or 'app_version>=3.2'; repeat it for several conditions, which must all hold."
    )
  }

  static func logStart(_ path: WritableKeyPath<Request, Moment?> & Sendable) -> Self {
    Self(
      .logStart, path, .moment, "moment", counted: .logStart, as: "start of the log",
      "What users did before this date or time may be missing from the log (default: the time of its oldest event).")
  }

  static func permission(
    _ path: WritableKeyPath<Request, String?> & Sendable, isCounted: Bool = true, _ help: String
  ) -> Self {
    Self(.permission, path, .name(.permission), "name", counted: isCounted ? .permission : nil, as: "permission", help)
  }

  static func experiment(_ path: WritableKeyPath<Request, String?> & Sendable) -> Self {
    Self(
      .experiment, path, .name(.experiment), "name", counted: .experiment, as: "experiment",
      "Only screens of this experiment; if no screen carries it, users assigned to it.")
  }
}

extension RequestField where Request: FilteredRequest {
  static var filter: [Self] {
    [
      Self(
        .weekStart, \Request.scope.weekStart, .choice(unless: .monday), "day", counted: .weekStart,
        as: "first day of weeks",
        "The day on which weeks begin: monday (ISO weeks, the default), sunday or saturday. Such weeks are named by their first day."
      ),
      Self(
        .week, .week, "week",
        "One ISO week, like 2026-W14, or the first day of a week by `week_start`, like 2026-03-29.",
        isCounted: true,
        apply: { request, text throws(PermlogError) in
          let start = request.scope.weekStart
          guard let week = CalendarWeek(parsing: text) else {
            if let date = CivilDate(parsing: text) {
              let nearest = CalendarWeek(day: date.dayNumber, from: start)
              throw .usage("no week begins on \(text): here weeks begin on \(start.name), like \(nearest.text)")
            }
            let example = CalendarWeek(day: CivilDate(year: 2026, month: 4, day: 1).dayNumber, from: start)
            throw .usage("\(text) is not a week like \(example.text)")
          }
          // Fields are set in the order of this list.
          guard week.start == request.scope.weekStart else {
            let example = CalendarWeek(day: week.firstDay + 3, from: request.scope.weekStart)
            throw .usage(
              "\(text) is a week that begins on \(week.start.name), but here weeks begin on "
                + "\(request.scope.weekStart.name), like \(example.text)")
          }
          request.limit(to: week)
        }),
    ] + dates("Start date of exposures, in the time zone.") + [.conditions(\Request.conditions)]
  }
}

extension RequestField where Request: DatedRequest {
  static func dates(_ from: String) -> [Self] {
    [
      Self(.from, \Request.from, .date, "date", counted: .from, as: "first day", from),
      Self(
        .to, \Request.to, .date, "date", counted: .to, as: "day after the last",
        "End date, exclusive, in the time zone."),
    ]
  }
}
