// Days and weeks of a time zone, all through Foundation's calendar.

import Foundation

/// Calendar days and weeks in the report's time zone.
///
/// A day is the number of days from 1970-01-01 to its date, so that "day 28 after" is a plain addition of dates and
/// never of hours.
struct OracleCalendar {
  private let local: Calendar
  private let utc: Calendar
  private let weekStart: String

  /// - Parameter weekStart: `monday` for ISO weeks, `sunday` or `saturday`.
  init(_ timeZone: TimeZone, weeksFrom weekStart: String = "monday") {
    self.weekStart = weekStart
    local = Self.iso(timeZone)
    utc = Self.iso(.gmt)
  }

  private static func iso(_ timeZone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = timeZone
    return calendar
  }

  /// The calendar day that a moment falls on.
  func day(of milliseconds: Int) -> Int {
    let moment = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return number(ofDate: local.dateComponents([.year, .month, .day], from: moment)) ?? 0
  }

  /// The first moment of a day: not always midnight, if clocks go forward at midnight.
  func firstMoment(ofDay day: Int) -> Int {
    var noon = utc.dateComponents([.year, .month, .day], from: utcDate(day))
    noon.hour = 12
    guard let moment = local.date(from: noon) else { return day * millisecondsPerDay }
    return Int((local.startOfDay(for: moment).timeIntervalSince1970 * 1000).rounded())
  }

  /// The week that a moment falls in.
  func week(of milliseconds: Int) -> OracleWeek { week(ofDay: day(of: milliseconds)) }

  func week(ofDay day: Int) -> OracleWeek {
    let parts = utc.dateComponents([.weekday, .yearForWeekOfYear, .weekOfYear], from: utcDate(day))
    // Foundation counts days of the week from Sunday, 1, to Saturday, 7.
    let first = weekStart == "sunday" ? 1 : weekStart == "saturday" ? 7 : 2
    let start = day - ((parts.weekday ?? 0) - first + 7) % 7
    guard weekStart == "monday" else { return OracleWeek(firstDay: start, name: dateName(start)) }
    let name = String(format: "%04d-W%02d", parts.yearForWeekOfYear ?? 0, parts.weekOfYear ?? 0)
    return OracleWeek(firstDay: start, name: name)
  }

  /// The first moment after a week: the first moment of the next one.
  func end(of week: OracleWeek) -> Int { firstMoment(ofDay: week.firstDay + 7) }

  func weekBefore(_ week: OracleWeek) -> OracleWeek { self.week(ofDay: week.firstDay - 7) }

  /// Reads `2026-W14`, of weeks that do not begin on Monday `2026-03-29`; nil for anything else.
  func week(named name: String) -> OracleWeek? {
    if weekStart != "monday" {
      guard let first = day(named: name) else { return nil }
      let found = self.week(ofDay: first)
      return found.name == name ? found : nil
    }
    let parts = name.components(separatedBy: "-W")
    guard parts.count == 2, let year = Int(parts[0]), let number = Int(parts[1]) else { return nil }
    let monday = DateComponents(weekday: 2, weekOfYear: number, yearForWeekOfYear: year)
    guard let date = utc.date(from: monday) else { return nil }
    let week = week(ofDay: dayNumber(date))
    return week.name == name ? week : nil
  }

  /// Reads `2026-04-01`; nil for anything else.
  func day(named name: String) -> Int? {
    let parts = name.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    return number(ofDate: DateComponents(year: parts[0], month: parts[1], day: parts[2]))
  }

  private func number(ofDate parts: DateComponents) -> Int? {
    utc.date(from: DateComponents(year: parts.year, month: parts.month, day: parts.day)).map(dayNumber)
  }

  private func dayNumber(_ utcMidnight: Date) -> Int {
    Int((utcMidnight.timeIntervalSince1970 / 86_400).rounded(.down))
  }

  private func utcDate(_ day: Int) -> Date { Date(timeIntervalSince1970: Double(day) * 86_400) }
}

/// One week: its first day as a day number, and its name such as `2026-W14` or `2026-03-29`.
struct OracleWeek: Hashable {
  let firstDay: Int
  let name: String
}

/// `2026-04-01`.
func dateName(_ day: Int) -> String { String(rfc3339(day * millisecondsPerDay).prefix(10)) }

/// `2026-04-01T00:00:00.000Z`.
func rfc3339(_ milliseconds: Int) -> String {
  var calendar = Calendar(identifier: .iso8601)
  calendar.timeZone = .gmt
  let second = Int((Double(milliseconds) / 1000).rounded(.down))
  let moment = Date(timeIntervalSince1970: Double(second))
  let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: moment)
  return String(
    format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
    parts.minute ?? 0, parts.second ?? 0, milliseconds - second * 1000)
}
