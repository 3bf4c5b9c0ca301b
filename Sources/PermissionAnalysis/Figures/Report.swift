// A report, ready to be rendered: its rows, who can be reached, and how many events there were. Each group of a row's
// figures has a file of its own.

import Folding
import PermissionEvents
import Statistics

/// A weekly report.
public struct Report: Sendable {
  /// The `as_of` of the answer. Nil for an empty log.
  public let asOf: Milliseconds?
  public let timeZone: String
  package let windows: AnalysisWindows?
  /// How long after the exposure an answer counts.
  public let responseWindow: Milliseconds
  /// How long journeys are followed.
  public let followUp: Milliseconds
  /// The requested interval of t0, in UTC milliseconds since 1970. Nil is unbounded.
  public let from, to: Milliseconds?
  /// Events up to `asOf`, and their users.
  public let events, users: Int
  /// Journeys with an answer but no screen.
  public let unexposed: Int
  /// Conditions on the exposure, in the order in which they were given: rows, trends and tests are of journeys that meet all.
  public let conditions: [ExposureCondition]
  /// The properties of the exposure that the rows are split by: none, one or two.
  public let properties: [StringField]
  /// Most values with rows of their own; nil unless the rows are split by a property.
  public package(set) var valueLimit: Int?
  /// The number of values of the property, or of combinations of two, in the exposures, including values without
  /// their own row. Nil unless the rows are split.
  public package(set) var values: Int?
  /// By permission, then by property value (the missing value first, the joined others last), then all weeks first
  /// and week by week.
  public package(set) var rows: ReportRows
  /// The number of permissions with rows.
  public package(set) var permissions = 0
  /// Names of permissions of which some values were left out for people, and not counted.
  var permissionsOfFewerValues: Set<[UInt8]> = []
  /// The values of each permission by lost grants, in the order of the rows. Empty unless the report is split by a property.
  public package(set) var rankings: [ValueRanking] = []
  /// The tests of the rankings.
  public var valueTests: [ValueTest] { rankings.map(\.test) }
  public package(set) var reach: [ReachRow]
  public package(set) var activity: [ActivityRow]
  /// Versions of the app with more than 1 % of the exposures, and when they first appear; Empty unless requested, or
  /// if there are too many to count.
  public internal(set) var versions: [VersionAppearance] = []
  /// How early users were asked: for each permission that has rows, in their order. Empty if the report is split by a property.
  public package(set) var timing: [TimingFigures] = []
  /// The moment from which on the log has all events, in UTC milliseconds since 1970. Nil for an empty log, and for
  /// sums without it.
  public private(set) var logStart: Milliseconds?
  /// The age of the log. Nil if `as_of` was given, or if the answer is from sums.
  public package(set) var age: DataAge?
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  public var leftOutUsers: Int?
  /// Whether these are the users of the log's own list, and of no other.
  package var leavesOutOwnListOnly = false
  /// The lines rejected by the log's ingests because a name was not understood. Nil if not known, and for sums: it
  /// belongs to the ingests, not to the events.
  public package(set) var notUnderstood: IngestTally.LineShare?
  /// What arrived of the events that apps numbered, whatever the permission and the conditions. Nil if no event has a number, and for
  /// sums: phones have numbers, not users.
  public package(set) var completeness: Completeness?
  /// Whether the numbers of events are damaged, so that they are not known.
  package var hasDamagedNumbers = false
  /// What was far outside the log's own past at its ingests of the last five weeks, the newest first. Empty for sums: it belongs
  /// to the ingests.
  public package(set) var unusual: [UnusualIngest] = []
  /// Up to three: decided experiments with exposures in the last 28 days, then running ones; empty unless the request wants them
  /// (`ReportRequest.namesFindings`), and for sums.
  public package(set) var experiments: [ExperimentSummary] = []
  /// The worst finding of the audit that is an error or a warning; nil without one, and unless the request wants it.
  public package(set) var finding: AuditFinding?
  /// Events before this moment were removed from the log. Nil if none were, and for sums.
  public package(set) var expiredBefore: Milliseconds?
  /// How fast prompts were answered, of all journeys up to `asOf`.
  package internal(set) var calls = CallSums()
  /// By which events were read.
  package internal(set) var reading = CallReading()
  /// Whether a part of the sums was read in a different way than the sums of all users require.
  public var isMisread: Bool { CallReading(calls) != reading }
  /// The zone named by `timeZone`, for moments that are shown; UTC for an empty log.
  public internal(set) var zone = ZoneTable.utc

  /// Whether the week's end is not after `asOf`; nil for an empty log.
  package func isComplete(_ week: CalendarWeek) -> Bool? { asOf.map { zone.firstMoment(of: week.firstDay + 7) <= $0 } }

  /// Answers faster than this, in milliseconds, do not come from a person.
  public var atOnce: Milliseconds { windows?.atOnce ?? AnalysisWindows.usualAtOnce }

  /// How long after a Settings prompt a later opt-in counts for it.
  public var settingsWindow: Milliseconds { windows?.settings ?? 7 * millisecondsPerDay }

  /// The figures of the whole report, in the order of the JSON.
  public static let figures = FigureTree<Report>([
    .count("by_limit", "the most values that get their own rows", .values) { $0.valueLimit },
    .count("by_values", "the number of values in the exposures", .values) { $0.values },
    .number("response_window_ms", "how long an answer counts", .milliseconds) { Double($0.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) { days($0.followUp) },
    .number("settings_window_days", "how long after a Settings prompt a later opt-in counts for it", .days) {
      days($0.settingsWindow)
    },
    .number("at_once_ms", "faster answers do not come from a person", .milliseconds) { Double($0.atOnce) },
    .count("events", "up to as_of", .events) { $0.events },
    .count("users", "with any event up to as_of", .users) { $0.users },
    .count("unexposed", "an answer but no screen") { $0.unexposed },
    .count("left_out_users", "with events, and left out of the answer", .users) { $0.leftOutUsers },
  ])

  private static func days(_ duration: Milliseconds) -> Double { Double(duration) / Double(millisecondsPerDay) }
}

/// Something about an ingest that was far outside the log's own past.
public struct UnusualIngest: Sendable, Hashable {
  /// When it was ingested; nil if the log's list of ingests is damaged, so that nothing is known.
  public let time: Milliseconds?
  /// The measure: `rejected`, `denied notifications`.
  public let measure: String
  /// The numbers and what to check.
  public let sentence: String

  package init(time: Milliseconds?, measure: String, sentence: String) {
    (self.time, self.measure, self.sentence) = (time, measure, sentence)
  }
}

/// One permission, by the last word on it. The states add up to the active users.
public struct ReachRow: Sendable {
  public let permission: String
  public let activeUsers, neverAsked, on, partial, off, restricted, undecided: Int
  /// Of those who have it on, also in part, and of those who have it off: the state before was the opposite, and the app learned of
  /// the change in the 28 days. Some were asked meanwhile; in a log of snapshots nobody can tell.
  public let turnedOn, turnedOff: Int

  /// All figures, under the names that they have in the JSON.
  public static let figures = FigureTree<ReachRow>([
    .count("active_users", "with any event in the 28 days up to as_of", .users) { $0.activeUsers },
    .count("never_asked", "no event of the permission", .users, over: { $0.activeUsers }) { $0.neverAsked },
    .count("on", "last word: on", .users, over: { $0.activeUsers }) { $0.on },
    .count("partial", "last word: on in part", .users, over: { $0.activeUsers }) { $0.partial },
    .count("off", "last word: off", .users, over: { $0.activeUsers }) { $0.off },
    .count("restricted", "last word: off, the user had no choice", .users, over: { $0.activeUsers }) { $0.restricted },
    .count("undecided", "no last word", .users, over: { $0.activeUsers }) { $0.undecided },
    .count("turned_on", "on or partial, and off before", .users, over: { $0.activeUsers }) { $0.turnedOn },
    .count("turned_off", "off or restricted, and on before", .users, over: { $0.activeUsers }) { $0.turnedOff },
  ])
}

/// Events of one permission in one week of their own time.
public struct ActivityRow: Sendable {
  /// nil for engagement.
  public let permission: String?
  public let week: CalendarWeek
  /// By `EventKind`.
  public let counts: [Int]
}

extension Report {
  package static func empty(
    timeZone: String, weekStart: WeekStart = .monday, responseWindow: Milliseconds, followUp: Milliseconds,
    where conditions: [ExposureCondition] = []
  ) -> Report {
    var report = Report(
      asOf: nil, timeZone: timeZone, windows: nil, responseWindow: responseWindow, followUp: followUp, from: nil,
      to: nil, events: 0, users: 0, unexposed: 0, conditions: conditions, properties: [], rows: ReportRows(), reach: [],
      activity: [])
    report.zone.weekStart = weekStart
    return report
  }

  /// - Parameter isForCharts: whether rows get what only charts need: times as distributions, and whole curves.
  package init(
    _ sums: ReportSums, _ question: ReportQuestion, threads: Int, isForCharts: Bool = false,
    reading: CallReading = CallReading()
  ) throws(SumsError) {
    try sums.groups.limit.checkSize()
    try sums.checkCounts(for: question)
    let limited = try sums.groups.limited(to: question.rows)
    let builder = try RowBuilder(
      limited, missing: { sums.evidence.missing(for: $0, sums.calls) }, question, isForCharts: isForCharts,
      threads: threads)
    let isKept = builder.places.count <= question.room.rows
    let rows =
      isKept
      ? ReportRows(kept: builder.rows(Array(builder.places.indices), threads: threads)) : ReportRows(builder)
    self.init(
      asOf: question.windows.asOf, timeZone: question.zone.name, windows: question.windows,
      responseWindow: question.windows.response, followUp: question.windows.followUp, from: question.from,
      to: question.to, events: Int(sums.events), users: Int(sums.users), unexposed: Int(sums.evidence.unexposed),
      conditions: question.conditions, properties: question.properties, rows: rows, reach: Self.reach(sums),
      activity: Self.activity(sums),
      zone: question.zone)
    permissions = builder.permissions.count
    calls = sums.calls
    self.reading = reading
    // Sums may have them for charts that are not drawn.
    if question.countsVersions { versions = sums.versions.appearances }
    logStart = question.logStart
    if question.hasTiming {
      timing = builder.permissions.map { TimingFigures(builder.permissionName($0.lowerBound), sums) }
    }
    guard !question.properties.isEmpty else { return }
    (valueLimit, values) = (question.rows.values, limited.values)
    rankings = builder.rankings
  }

  private static func reach(_ sums: ReportSums) -> [ReachRow] {
    let active = Int(sums.activeUsers)
    return sums.reach.rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { permission, states in
      let counts = states.map { Int($0) }
      return ReachRow(
        permission: String(bounded: permission), activeUsers: active,
        neverAsked: active - counts.prefix(ReachTable.states.count).reduce(0, +), on: counts[0], partial: counts[1],
        off: counts[2], restricted: counts[3], undecided: counts[4], turnedOn: counts[5], turnedOff: counts[6])
    }
  }

  /// By permission, none first, then by week.
  private static func activity(_ sums: ReportSums) -> [ActivityRow] {
    var all: [[UInt8]: [Int64: [Int]]] = [:]
    for (key, count) in sums.activity.rows {
      let none = [Int](repeating: 0, count: EventKind.names.count)
      all[key.permission, default: [:]][key.week, default: none][key.kind] = Int(count)
    }
    return all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { permission, weeks in
      weeks.sorted { $0.key < $1.key }.map { week, counts in
        ActivityRow(permission: permission.text, week: CalendarWeek(index: week), counts: counts)
      }
    }
  }

  /// Whether an answer at once is read as a status check.
  package func isApplied(_ unit: CallSums.Unit, _ counts: CallSums.Counts) -> Bool {
    counts.atOnce > 0
      ? !reading.isOther(OpenReading(permission: unit.permission, platform: unit.platform)) : counts.isApplied
  }

  // MARK: The part of a large report that people see: no reader needs a page of a hundred thousand permissions

  /// The most permissions that people see: those of the taxonomy, and a few more.
  package static let mostDrawn = 30

  /// The report as people see it: the permissions with the most exposures. If there are very many rows, also only
  /// the values with the most exposures of each. Counts of the whole stay as they are; JSON and CSV have all.
  /// - Parameter values: the most values of a permission, not counting missing values and the joined others.
  package func drawn(values: Int) -> Report {
    var drawn = self
    (drawn.reach, drawn.activity) = (drawnReach, drawnActivity)
    guard let (rows, ofFewerValues) = rows.drawn(permissions: Self.mostDrawn, values: values) else { return drawn }
    (drawn.rows, drawn.permissionsOfFewerValues) = (rows, ofFewerValues)
    let names = Set(rows.lazy.filter { $0.week == nil }.map { Array($0.permission.utf8) })
    drawn.rankings = rankings.filter { names.contains(Array($0.permission.utf8)) }
    drawn.timing = timing.filter { names.contains(Array($0.permission.utf8)) }
    return drawn
  }

  /// Whether some values were left out for people, and not counted.
  package var hasFewerValues: Bool { !permissionsOfFewerValues.isEmpty }

  package func hasFewerValues(_ permission: String) -> Bool {
    permissionsOfFewerValues.contains(Array(permission.utf8))
  }

  private var drawnReach: [ReachRow] {
    reach.map { -$0.neverAsked }.places(ofLargest: Self.mostDrawn).map { reach[$0] }
  }

  private var drawnActivity: [ActivityRow] {
    // Rows of one permission follow one another. Names are bytes, and Strings are not.
    let spans = activity.indices.stretches { first, next in
      activity[first].permission.map { Array($0.utf8) } == activity[next].permission.map { Array($0.utf8) }
    }
    guard spans.count > Self.mostDrawn + 1 else { return activity }
    let named = spans.filter { activity[$0.lowerBound].permission != nil }
    let events = named.map { rows in activity[rows].reduce(0) { $0 + $1.counts.reduce(0, +) } }
    let ofNone = spans.filter { activity[$0.lowerBound].permission == nil }
    return (ofNone + events.places(ofLargest: Self.mostDrawn).map { named[$0] }).flatMap { activity[$0] }
  }
}

extension ReportRows {
  /// The rows of the permissions with the most exposures, and of the values with the most of each; nil if that is all.
  /// Where all rows are kept all values are.
  /// - Returns: also the permissions some of whose values were left out.
  func drawn(permissions: Int, values: Int) -> (rows: ReportRows, ofFewerValues: Set<[UInt8]>)? {
    guard let builder else { return drawn(permissions: permissions).map { ($0, []) } }
    func isValue(_ row: Int) -> Bool { !builder.isOther(row) && !builder.isNone(row) }
    let spans = builder.permissions.map { rows in rows.filter { builder.places[$0].isAllWeeks } }
    let totals = spans.map { rows in rows.reduce(0) { $0 &+ builder.exposures($1) } }
    var rows: [Int] = []
    var ofFewerValues: Set<[UInt8]> = []
    for subjects in totals.places(ofLargest: permissions).map({ spans[$0] }) {
      let ofValues = subjects.filter(isValue)
      let largest = ofValues.map(builder.exposures).places(ofLargest: values).map { ofValues[$0] }
      if largest.count < ofValues.count, let first = subjects.first {
        ofFewerValues.insert(Array(builder.permissionName(first).utf8))
      }
      for row in (largest + subjects.filter { !isValue($0) }).sorted() {
        rows.append(row)
        rows += builder.places[(row + 1)...].prefix { !$0.isAllWeeks }.indices
      }
    }
    let maker = Maker(self)
    return (ReportRows(kept: rows.map { maker[$0] }), ofFewerValues)
  }

  private func drawn(permissions: Int) -> ReportRows? {
    let spans = indices.stretches(isSamePermission)
    guard spans.count > permissions else { return nil }
    let exposures = spans.map { rows in rows.reduce(0) { $0 + (kept[$1].week == nil ? kept[$1].grants.exposed : 0) } }
    return ReportRows(kept: exposures.places(ofLargest: permissions).flatMap { kept[spans[$0]] })
  }
}
