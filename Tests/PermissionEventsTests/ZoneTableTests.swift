// Days in time zones, against Foundation's zones and against a plain search for the first moment of a day.

import Foundation
import LogTestSupport
import Testing

@testable import PermissionEvents

/// A table from Foundation's zone, with every transition in a span.
private func table(_ name: String, years: ClosedRange<Int64>) throws -> (zone: TimeZone, table: ZoneTable) {
  let zone = try #require(TimeZone(identifier: name))
  let low = CivilDate(year: years.lowerBound, month: 1, day: 1).dayNumber * millisecondsPerDay
  let high = CivilDate(year: years.upperBound + 1, month: 1, day: 1).dayNumber * millisecondsPerDay
  func offset(_ time: Milliseconds) -> Milliseconds {
    Milliseconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))) * 1000
  }
  var transitions: [ZoneTable.Transition] = []
  var time = low
  while let next = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(time) / 1000)) {
    let at = Milliseconds((next.timeIntervalSince1970 * 1000).rounded())
    guard at > time, at < high else { break }
    transitions.append(.init(at: at, offset: offset(at)))
    time = at
  }
  return (zone, ZoneTable(name: name, initialOffset: offset(low), transitions: transitions))
}

@Suite struct ZoneTableTests {
  static let zones = [
    "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Africa/Cairo", "Pacific/Apia",
    "Australia/Lord_Howe", "America/Havana", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham",
    "America/St_Johns", "Africa/Casablanca", "Asia/Beirut", "Asia/Pyongyang",
  ]

  @Test(arguments: zones)
  func daysOfRandomMomentsAgreeWithFoundation(name: String) throws {
    let seed: UInt64 = 99
    var generator = SeededGenerator(seed: seed)
    let (zone, table) = try table(name, years: 2008...2030)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let low = Timestamp.earliest
    let high = CivilDate(year: 2030, month: 12, day: 31).dayNumber * millisecondsPerDay
    var times = (0..<500).map { _ in Milliseconds.random(in: low...high, using: &generator) / 1000 * 1000 }
    // Around every change of the clock, to the second.
    for start in table.starts.dropFirst() { times += [-3_600_000, -1000, 0, 1000, 3_600_000].map { start + $0 } }
    for time in times where time >= low {
      let c = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(time) / 1000))
      let day = CivilDate(table.day(of: time))
      #expect([Int(day.year), Int(day.month), Int(day.day)] == [c.year, c.month, c.day], "seed \(seed): \(time)")
      let span = table.span(at: time)
      #expect(span.start <= time && time < span.end && span.offset == table.offset(at: time))
    }
  }

  @Test(arguments: zones)
  func firstMomentIsTheFirstOfItsDay(name: String) throws {
    let (_, table) = try table(name, years: 2008...2030)
    let changes = Set(table.starts.dropFirst().flatMap { start in (-2...2).map { table.day(of: start) + $0 } })
    let days = CivilDate(year: 2008, month: 1, day: 2).dayNumber...CivilDate(year: 2030, month: 12, day: 30).dayNumber
    for day in days {
      let moment = table.firstMoment(of: day)
      // Nothing before it is as late a day: around a change of the clock two days of moments are asked.
      let span = changes.contains(day) ? 2 * millisecondsPerDay : 1
      let isFirst = stride(from: moment - 1, through: moment - span, by: -900_000).allSatisfy {
        table.day(of: $0) < day
      }
      guard table.day(of: moment) >= day, isFirst, table.lastBegunDay(at: moment) >= day,
        table.lastBegunDay(at: moment - 1) < day
      else {
        Issue.record("\(name), \(CivilDate(day).text): \(Timestamp.text(moment)) is not its first moment")
        return
      }
    }
  }

  /// Foundation's `startOfDay` is the first moment wherever the day exists and midnight comes once.
  @Test(arguments: ["Europe/Berlin", "America/Santiago", "Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe"])
  func firstMomentAgreesWithFoundation(name: String) throws {
    let (zone, table) = try table(name, years: 2008...2030)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    for day in CivilDate(year: 2008, month: 1, day: 2).dayNumber...CivilDate(year: 2030, month: 12, day: 30).dayNumber {
      let date = CivilDate(day)
      let noon = DateComponents(year: Int(date.year), month: Int(date.month), day: Int(date.day), hour: 12)
      let start = calendar.startOfDay(for: try #require(calendar.date(from: noon)))
      let moment = table.firstMoment(of: day)
      guard Milliseconds(start.timeIntervalSince1970 * 1000) == moment else {
        Issue.record("\(name), \(date.text): \(Timestamp.text(moment)), and Foundation has \(start)")
        return
      }
    }
  }

  @Test func samoaSkippedADay() throws {
    let (_, table) = try table("Pacific/Apia", years: 2011...2012)
    let skipped = CivilDate(year: 2011, month: 12, day: 30).dayNumber
    // 2011-12-29 ended at 10:00 UTC, and the 31st began.
    let change = 1_325_239_200_000 as Milliseconds
    #expect(table.firstMoment(of: skipped) == change)
    #expect(table.firstMoment(of: skipped + 1) == change)
    #expect(table.day(of: change - 1) == skipped - 1)
    #expect(table.day(of: change) == skipped + 1)
    #expect(table.firstMoment(of: skipped + 2) == change + millisecondsPerDay)
    #expect(table.lastBegunDay(at: change) == skipped + 1)
  }

  @Test func midnightIsSkippedInSantiago() throws {
    let (_, table) = try table("America/Santiago", years: 2019...2019)
    // 2019-09-08: the clocks went from 00:00 to 01:00, at 04:00 UTC.
    let day = CivilDate(year: 2019, month: 9, day: 8).dayNumber
    let moment = table.firstMoment(of: day)
    #expect(Timestamp.text(moment) == "2019-09-08T04:00:00.000Z")
    #expect(table.firstMoment(of: day + 1) - moment == 23 * 3_600_000)
  }

  @Test func midnightComesTwiceInHavana() throws {
    let (_, table) = try table("America/Havana", years: 2019...2019)
    // 2019-11-03: at 01:00 the clocks went back to 00:00; the day has 25 hours.
    let day = CivilDate(year: 2019, month: 11, day: 3).dayNumber
    #expect(Timestamp.text(table.firstMoment(of: day)) == "2019-11-03T04:00:00.000Z")
    #expect(table.firstMoment(of: day + 1) - table.firstMoment(of: day) == 25 * 3_600_000)
  }

  @Test func lordHoweMovesByHalfAnHour() throws {
    let (_, table) = try table("Australia/Lord_Howe", years: 2025...2025)
    let day = CivilDate(year: 2025, month: 4, day: 6).dayNumber
    #expect(table.firstMoment(of: day + 1) - table.firstMoment(of: day) == 49 * 1_800_000)
  }
}
