// What a report is asked for, and the span of time that it shows.

import Foundation

/// The options of one report. Durations are milliseconds.
public struct OracleOptions: Sendable {
  public var timeZone: TimeZone
  /// `monday`, `sunday` or `saturday`.
  public private(set) var weekStart = "monday"
  /// UTC milliseconds; nil: the newest timestamp in the log.
  public var asOf: Int?
  /// `2026-W14`. A text that cannot be read, here and in `from` and `to`, sets no limit.
  public var week: String?
  /// `2026-04-01`: journeys from the first moment of this day.
  public var from: String?
  /// `2026-04-08`: journeys before the first moment of this day.
  public var to: String?
  public var permission: String?
  /// A property's JSON name, such as `app_version`.
  public var by: String?
  /// A second property, crossed with the first.
  public var by2: String?
  /// Conditions on the exposure, which all hold.
  public var conditions: [OracleCondition] = []
  /// Most values with rows of their own; 1,000 unless set.
  public var byLimit: Int?
  /// UTC milliseconds; nil: the oldest timestamp in the log.
  public var logStart: Int?
  /// W, 30 minutes unless set.
  public var responseWindow: Int
  /// H, 28 days unless set.
  public var followUp: Int
  /// Answers that come less than this after their prompt, or before it, are no person's; 0: never.
  public var atOnce = 250

  public init(
    timeZone: TimeZone = .gmt, asOf: Int? = nil, week: String? = nil, from: String? = nil, to: String? = nil,
    permission: String? = nil, by: String? = nil, byLimit: Int? = nil, responseWindow: Int = 1_800_000,
    followUp: Int = 28 * 86_400_000
  ) {
    self.timeZone = timeZone
    self.asOf = asOf
    self.week = week
    self.from = from
    self.to = to
    self.permission = permission
    self.by = by
    self.byLimit = byLimit
    self.responseWindow = responseWindow
    self.followUp = followUp
  }
}

extension OracleOptions {
  /// Weeks begin on another day from here on; a week that is asked for becomes the one with its fourth day.
  public mutating func beginWeeks(on start: String) {
    week = renamedWeek(week, from: weekStart, to: start)
    weekStart = start
  }
}

extension OracleFlowOptions {
  public mutating func beginWeeks(on start: String) {
    week = renamedWeek(week, from: weekStart, to: start)
    weekStart = start
  }
}

private func renamedWeek(_ week: String?, from start: String, to other: String) -> String? {
  week.flatMap { OracleCalendar(.gmt, weeksFrom: start).week(named: $0) }
    .map { OracleCalendar(.gmt, weeksFrom: other).week(ofDay: $0.firstDay + 3).name }
}

let millisecondsPerDay = 86_400_000

/// The windows and the moment that every figure is read with.
struct Terms {
  /// The moment that the report looks from.
  var asOf: Int
  /// W.
  let responseWindow: Int
  /// H.
  let followUp: Int
  /// S, "the settings window (7 days)": fixed.
  let settingsWindow = 7 * millisecondsPerDay
  let calendar: OracleCalendar
  /// "`--at-once 250ms`, 0: never."
  var atOnce = 250

  /// From when on after a prompt a status tells the answer. Reading: the time under which answers come at once, 250 ms if that is never.
  var shortestAnswer: Int { atOnce == 0 ? 250 : atOnce }
}

extension OracleOptions {
  /// None, one or two.
  var properties: [String] { [by, by2].compactMap { $0 } }
}

/// [from, to) in UTC milliseconds; nil is unlimited.
struct OracleInterval {
  var from: Int?
  var to: Int?

  func contains(_ milliseconds: Int) -> Bool {
    (from.map { milliseconds >= $0 } ?? true) && (to.map { milliseconds < $0 } ?? true)
  }

  /// "`--from` and `--to` are dates in the zone, [from, to), and `--week` is one week." If both are given, both hold.
  init(_ options: OracleOptions, _ calendar: OracleCalendar) {
    let week = options.week.flatMap { calendar.week(named: $0) }
    let starts = [
      options.from.flatMap { calendar.day(named: $0) }.map { calendar.firstMoment(ofDay: $0) },
      week.map { calendar.firstMoment(ofDay: $0.firstDay) },
    ]
    let ends = [
      options.to.flatMap { calendar.day(named: $0) }.map { calendar.firstMoment(ofDay: $0) },
      week.map { calendar.end(of: $0) },
    ]
    from = starts.compactMap { $0 }.max()
    to = ends.compactMap { $0 }.min()
  }
}
