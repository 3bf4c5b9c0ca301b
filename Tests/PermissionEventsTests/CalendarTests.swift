// Dates, weeks and zones against Foundation's calendar, which the tool does not use.

import Foundation
import PermissionEvents
import Testing

@Suite struct CalendarTests {
  private static func table(_ zone: TimeZone, from: Int64, to: Int64) -> ZoneTable {
    func offset(_ time: Int64) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time / 1000)))) * 1000
    }
    var transitions: [ZoneTable.Transition] = []
    var time = from
    while time < to {
      if offset(time) != offset(time + 3_600_000) {
        var (low, high) = (time / 1000, time / 1000 + 3600)
        while high - low > 1 {
          let middle = (low + high) / 2
          if offset(middle * 1000) == offset(time) { low = middle } else { high = middle }
        }
        transitions.append(.init(at: high * 1000, offset: offset(high * 1000)))
      }
      time += 3_600_000
    }
    return ZoneTable(name: zone.identifier, initialOffset: offset(from), transitions: transitions)
  }

  @Test(arguments: [
    "UTC", "America/New_York", "America/Santiago", "Africa/Cairo", "Pacific/Apia", "Australia/Lord_Howe",
    "Pacific/Chatham", "Asia/Kolkata", "America/Havana",
  ]) func daysAndFirstMoments(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = zone
    let from: Int64 = 1_293_840_000_000
    let to = from + 2 * 366 * millisecondsPerDay
    let table = Self.table(zone, from: from - 40 * millisecondsPerDay, to: to + 40 * millisecondsPerDay)
    var time = from
    while time < to {
      let date = Date(timeIntervalSince1970: Double(time) / 1000)
      let parts = calendar.dateComponents([.year, .month, .day, .weekOfYear, .yearForWeekOfYear], from: date)
      let day = table.day(of: time)
      let civil = CivilDate(day)
      #expect(civil.year == Int64(parts.year ?? 0) && civil.month == Int64(parts.month ?? 0), "\(name) \(time)")
      #expect(civil.day == Int64(parts.day ?? 0), "\(name) \(time)")
      let week = String(format: "%04d-W%02d", parts.yearForWeekOfYear ?? 0, parts.weekOfYear ?? 0)
      #expect(CalendarWeek(day: day).text == week, "\(name) \(time)")
      let start = Int64((calendar.startOfDay(for: date).timeIntervalSince1970 * 1000).rounded())
      #expect(table.firstMoment(of: day) == start, "\(name) \(time)")
      #expect(table.lastBegunDay(at: time) == day, "\(name) \(time)")
      time += 5 * 3_600_000 + 1_234_567
    }
  }

  @Test(arguments: zip(WeekStart.allCases, [2, 1, 7])) func weeksBeginOnADay(start: WeekStart, weekday: Int) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    calendar.firstWeekday = weekday
    var zone = ZoneTable.utc
    zone.weekStart = start
    var last: CalendarWeek?
    for day in CivilDate(year: 2007, month: 12, day: 20).dayNumber...CivilDate(year: 2101, month: 1, day: 2).dayNumber {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let interval = try #require(calendar.dateInterval(of: .weekOfYear, for: date))
      let week = zone.week(of: day)
      #expect(week.firstDay == Int64(interval.start.timeIntervalSince1970) / 86_400 && week.start == start)
      #expect(CalendarWeek(parsing: week.text) == week && CalendarWeek(index: week.index) == week)
      if start != .monday { #expect(week.text == CivilDate(week.firstDay).text) }
      if let last { #expect(week == last || week.index == last.index + 1) }
      last = week
    }
  }

  @Test func otherDatesAreNoWeeks() {
    // A Monday to Friday: only a Sunday or a Saturday names a week.
    for day in 30...31 { #expect(CalendarWeek(parsing: "2026-03-\(day)") == nil) }
    for day in 1...3 { #expect(CalendarWeek(parsing: "2026-04-0\(day)") == nil) }
    #expect(CalendarWeek(parsing: "2026-03-29")?.start == .sunday)
    #expect(CalendarWeek(parsing: "2026-03-28")?.start == .saturday)
    #expect(CalendarWeek(parsing: "2026-02-30") == nil && CalendarWeek(parsing: "2026-W54") == nil)
  }

  @Test func theDayThatSamoaSkippedBeginsWithTheNext() throws {
    let zone = try #require(TimeZone(identifier: "Pacific/Apia"))
    let table = Self.table(zone, from: 1_320_000_000_000, to: 1_330_000_000_000)
    let skipped = CivilDate(year: 2011, month: 12, day: 30).dayNumber
    #expect(table.firstMoment(of: skipped) == table.firstMoment(of: skipped + 1))
    #expect(table.firstMoment(of: skipped) > table.firstMoment(of: skipped - 1))
  }

  @Test func everyDayIsItsOwnDateAndBack() {
    for day in CivilDate(year: 1999, month: 12, day: 31).dayNumber...CivilDate(year: 2101, month: 1, day: 2).dayNumber {
      let date = CivilDate(day)
      #expect(date.isValid && date.dayNumber == day && CivilDate(parsing: date.text) == date)
    }
    for text in [
      "2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-04-31", "20260401", "", "+026-04-01",
      "-026-04-01", "2026-+4-01", "2026-04-1 ", "2026/04/01", "2026-04-01 ", "2026-04-٣",
    ] {
      #expect(CivilDate(parsing: text) == nil, "\(text)")
    }
    for text in ["2026-W01", "2026-W53", "2020-W53", "2009-W53"] { #expect(CalendarWeek(parsing: text)?.text == text) }
    for text in [
      "2025-W53", "2026-W00", "2026-W54", "2026-14", "2026-w14", "26-W14", "+026-W14", "2026-W+1", "2026-W1 ",
      "2026W014",
    ] {
      #expect(CalendarWeek(parsing: text) == nil, "\(text)")
    }
  }
}
