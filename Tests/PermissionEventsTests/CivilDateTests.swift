// Days, dates and ISO weeks against Foundation's calendars, every day from 2008 to 2100.

import Foundation
import Testing

@testable import PermissionEvents

private let first: DayNumber = 13_879
private let last: DayNumber = 47_846

@Suite struct CivilDateTests {
  @Test func theSpanIsTheOneNamed() {
    #expect(CivilDate(first) == CivilDate(year: 2008, month: 1, day: 1))
    #expect(CivilDate(last) == CivilDate(year: 2100, month: 12, day: 31))
  }

  @Test func everyDayAgreesWithFoundation() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for day in first...last {
      let moment = Date(timeIntervalSince1970: Double(day) * 86_400)
      let c = calendar.dateComponents([.year, .month, .day], from: moment)
      let date = CivilDate(day)
      guard Int(date.year) == c.year, Int(date.month) == c.month, Int(date.day) == c.day, date.dayNumber == day,
        date.isValid, CivilDate(parsing: date.text) == date
      else {
        Issue.record("day \(day) is \(date.text), and Foundation has \(c)")
        return
      }
    }
  }

  @Test func everyDaysWeekAgreesWithFoundation() {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    for day in first...last {
      let moment = Date(timeIntervalSince1970: Double(day) * 86_400)
      let c = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear, .weekday], from: moment)
      let week = CalendarWeek(day: day)
      let text = "\(c.yearForWeekOfYear ?? 0)-W" + String("0\(c.weekOfYear ?? 0)".suffix(2))
      // Foundation counts Sunday as 1.
      let sinceMonday = ((c.weekday ?? 0) + 5) % 7
      guard week.text == text, week.firstDay == day - Int64(sinceMonday), CalendarWeek(parsing: text) == week else {
        Issue.record("day \(day) is in \(week.text) from \(week.firstDay), and Foundation has \(text)")
        return
      }
    }
  }

  @Test(arguments: [
    "", "2026", "2026-W", "2026-W1", "2026-W00", "2026-W54", "2025-W53", "2026-w14", "2026-14", "2026W14", "2026-W014",
    "26-W14", "2026-W+1", "+202-W14", "2026-W14-1", " 2026-W14", "0000-W01",
  ])
  func weeksAreRefused(text: String) { #expect(CalendarWeek(parsing: text) == nil) }

  @Test(arguments: [
    "", "2026-4-1", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "20260101", "2026/01/01", "2026-01-01 ",
    "+026-01-01", "2026-0１-1",
  ])
  func datesAreRefused(text: String) { #expect(CivilDate(parsing: text) == nil) }

  @Test func daysBeforeTheEpochAreCounted() {
    #expect(CivilDate(-1) == CivilDate(year: 1969, month: 12, day: 31))
    #expect(CivilDate(year: 1600, month: 2, day: 29).dayNumber == -135_081)
    #expect(CivilDate(-135_081) == CivilDate(year: 1600, month: 2, day: 29))
    #expect(CivilDate(CivilDate(year: 0, month: 1, day: 1).dayNumber) == CivilDate(year: 0, month: 1, day: 1))
    #expect(floorDivide(-1, 7) == -1)
    #expect(floorDivide(-7, 7) == -1)
    #expect(floorDivide(-8, 7) == -2)
    #expect(floorDivide(13, 7) == 1)
  }
}
