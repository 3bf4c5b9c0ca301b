// The moment that a question looks from by itself: the end of the newest day, if the log has all of it.

import Foundation
import Permlog
import Testing

@Suite struct FedDayTests {
  private static let monday = 1_772_409_600_000
  private static let hour = 3_600_000

  /// As of which hour after the Monday a log of events at these minutes after it looks, by a clock at an hour.
  private func moment(_ minutes: [Int], clock: Int = 10_000, zone: String = "UTC") throws -> Double {
    let directory = try TemporaryDirectory()
    var log = try PermissionLog(directory.file("log"), threads: 2)
    log.clock = { Int64(Self.monday + clock * Self.hour) }
    let lines = minutes.enumerated().map { number, minute in
      let time = Self.monday + minute * 60_000
      return #"{"user_id":"u\#(number % 97)","timestamp":\#(time),"event":"app_active"}"# + "\n"
    }
    #expect(try log.ingest([directory.write("events.ndjson", lines.joined())]).read.rejected == 0)
    var request = ReportRequest()
    request.scope.timeZone = zone
    let asOf = try #require(try log.report(request).asOf)
    return Double(Int(asOf) - Self.monday) / Double(Self.hour)
  }

  /// An event each hour of a week, up to an hour of its Sunday.
  private func hourly(to hour: Int) -> [Int] { (0...6 * 24 + hour).map { $0 * 60 + 30 } }

  @Test func anExportOfAWeekEndsWithItsSunday() throws {
    // 23:30; 22:30 has one whole hour to midnight, 21:30 has two and no hour was ever silent.
    #expect(try moment(hourly(to: 23)) == 168)
    #expect(try moment(hourly(to: 22)) == 168)
    #expect(try moment(hourly(to: 21)) == 6 * 24 + 21.5)
  }

  @Test func appsThatSleepAtNightAreFedAtNight() throws {
    // Events from 8 to 20 o'clock: from 20:30 to 8:30 there are eleven silent hours.
    let days = (0..<7).flatMap { day in (8...20).map { (day * 24 + $0) * 60 + 30 } }
    #expect(try moment(days) == 168)
    #expect(try moment(days.filter { $0 < (6 * 24 + 13) * 60 }) == 168, "12:30: eleven hours to midnight")
    #expect(try moment(days.filter { $0 < (6 * 24 + 12) * 60 }) == 6 * 24 + 11.5, "11:30: twelve hours")
    // Silence of more than 28 days ago does not count.
    let later = (12 * 24...40 * 24 + 20).map { $0 * 60 + 30 }
    #expect(try moment(days + later) == 40 * 24 + 20.5)
    #expect(try moment(days + later.filter { $0 < 40 * 24 * 60 }) == 40 * 24)
  }

  @Test func theClockIsNeverPassed() throws {
    #expect(try moment(hourly(to: 23), clock: 167) == 167)
    let ahead = hourly(to: 10) + [(6 * 24 + 30) * 60]
    #expect(try moment(ahead, clock: 6 * 24 + 11) == 6 * 24 + 11)
  }

  @Test func theDayIsTheZones() throws {
    // 20:30 UTC is half past midnight in Kathmandu's next day (+5:45 is 2:15): the day is not over for long.
    #expect(try moment(hourly(to: 20), zone: "Asia/Kathmandu") == 6 * 24 + 20.5)
    #expect(try moment(hourly(to: 17), zone: "Asia/Kathmandu") == 6 * 24 + 18.25)
  }

  @Test func aLogOfOneMomentIsFedForAnHour() throws {
    #expect(try moment([22 * 60]) == 22)
    #expect(try moment([22 * 60 + 1]) == 24)
  }

  @Test func silentHoursAreCountedBackFromTheNewest() {
    var hours = SilentHours()
    #expect(hours.longest(of: 0) == 0 && hours.longest(of: 5) == 5 && hours.longest(of: 9999) == SilentHours.most)
    for time in [0, 2 * Self.hour, 5 * Self.hour - 1, 64 * Self.hour] {
      hours.hear(Int64(100 * Self.hour - time), before: Int64(100 * Self.hour))
    }
    // Heard: 0, 2, 4, 64.
    #expect(hours.longest(of: 1) == 0 && hours.longest(of: 4) == 1 && hours.longest(of: 64) == 59)
    #expect(hours.longest(of: 65) == 59 && hours.longest(of: 200) == 135)
    hours.hear(Int64(101 * Self.hour), before: Int64(100 * Self.hour))
    #expect(hours.longest(of: 200) == 135, "later events are not looked at")
  }
}
