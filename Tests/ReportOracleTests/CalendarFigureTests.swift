// Engagement, retention, weeks, trend, reach and activity, on histories worked out by hand.

import Foundation
import ReportOracle
import Testing

@Suite struct CalendarFigureTests {
  @Test func engagementCountsWholeDaysOfTheZone() {
    var log = Log()
    // 10:00 in New York on 2026-03-02 is 15:00 UTC; clocks go forward on 03-08, so day 28 (03-30) begins at 04:00 UTC.
    let zone = TimeZone(identifier: "America/New_York") ?? .gmt
    log.add("u", 15 * hour, "prompt_shown")
    log.add("u", 15 * hour + 1, "granted")
    log.add("u", 5 * hour, "app_active", nil)
    log.add("u", 5 * hour - 1, "feature_used", nil)
    log.add("u", 5 * hour + day, "feature_used", nil)
    log.add("u", 5 * hour + day + 1, "feature_used", "contacts")
    log.add("u", 28 * day + 4 * hour - 1, "app_active", nil)
    log.add("u", 28 * day + 4 * hour, "feature_used", nil)
    let end = 28 * day + 4 * hour
    #expect(log.firstRow(end - 1) { $0.timeZone = zone }.at("engagement.eligible") == 0)
    let row = log.firstRow(end) { $0.timeZone = zone }
    // Days 0, 1 and 27; two feature events, both on day 1.
    #expect(row.numbers("engagement.granted", "n mean_active_days mean_feature_events") == [1, 3, 2])
    #expect(row.numbers("engagement.not_granted", "n mean_active_days") == [0, nil])
    #expect(row.node("engagement.active_days_difference") == .null)
    #expect(row.numbers("retention.0", "day granted.eligible granted.retained") == [1, 1, 1])
    #expect(row.numbers("retention.1", "day granted.eligible granted.retained") == [7, 1, 0])
    #expect(row.numbers("retention.2", "day granted.eligible granted.retained") == [30, 0, 0])
  }

  @Test func differenceAndCorrelationOfEngagement() {
    var log = Log()
    for (user, answer, days) in [("a", "granted", 3), ("b", "granted", 1), ("c", "denied", 0), ("d", "skipped", 0)] {
      log.add(user, 0, "prompt_shown")
      log.add(user, 1, answer)
      for number in 0..<days { log.add(user, number * day + hour, "app_active", nil) }
    }
    let row = log.firstRow(60 * day)["engagement"]
    // Means 2 and 0; variances 2 and 0, so the error is 1 with one degree of freedom: 2 ± 12.7062.
    #expect(isClose(row?.at("active_days_difference.value"), 2))
    #expect(isClose(row?.at("active_days_difference.low"), 2 - 12.706204736174694, within: 1e-8))
    // Values 3 1 0 0 against 1 1 0 0: r = (4·4 − 2·4) / √(4 · 24) = 0.8165; ± 1.96 in atanh.
    let r = 8 / 96.0.squareRoot()
    #expect(isClose(row?.at("active_days_correlation.value"), r))
    #expect(isClose(row?.at("active_days_correlation.high"), tanh(atanh(r) + 1.959963984540054)))
    // No feature event in the log at all: nobody knows.
    #expect(row?["feature_events_difference"] == .null)
    #expect(row?["feature_events_correlation"] == .null)
  }

  @Test func weeksAreThoseOfTheZone() {
    var log = Log()
    // 2021-01-03 12:00 UTC: still 2020-W53 in UTC, already Monday in Chatham (UTC+13:45).
    log.add("u", (18_630 - 20_514) * day + 12 * hour, "prompt_shown")
    func week(_ zone: String) -> OracleJSON? {
      log.report(0) { $0.timeZone = TimeZone(identifier: zone) ?? .gmt }["rows"]?[1]?["week"]
    }
    #expect(week("UTC") == .string("2020-W53"))
    #expect(week("Pacific/Chatham") == .string("2021-W01"))
  }

  @Test func weekIsCompleteAtItsEnd() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    #expect(log.report(7 * day - 1)["rows"]?[1]?["complete"] == .bool(false))
    #expect(log.report(7 * day)["rows"]?[1]?["complete"] == .bool(true))
    #expect(log.report(7 * day)["rows"]?[0]?["complete"] == .null)
  }

  /// Camera: 1 of 4, then 4 of 4. Contacts: 0 of 2, then 0 of 2. Mail: only the second week.
  private var trendLog: Log {
    var log = Log()
    func week(_ permission: String, _ week: Int, granted: Int, of count: Int) {
      for number in 0..<count {
        let start = week * 7 * day + number * day
        log.add("\(permission)\(week)\(number)", start, "prompt_shown", permission)
        log.add("\(permission)\(week)\(number)", start + 1, number < granted ? "granted" : "denied", permission)
      }
    }
    week("camera", 0, granted: 1, of: 4)
    week("camera", 1, granted: 4, of: 4)
    week("contacts", 0, granted: 0, of: 2)
    week("contacts", 1, granted: 0, of: 2)
    week("mail", 1, granted: 1, of: 1)
    return log
  }

  @Test func trendAgainstTheWeekBefore() {
    let rows = trendLog.report(14 * day)["rows"]?.elements ?? []
    #expect(rows.filter { $0["trend"] != .null }.count == 2)
    let camera = rows.first { $0["permission"] == .string("camera") && $0["week"] == .string("2026-W11") }
    #expect(camera?["trend"]?["previous_week"] == .string("2026-W10"))
    #expect(camera?.at("trend.change.value") == 0.75)
    // Margins 4, 4 and 5, 3: tables 4/56, 24/56, 24/56, 4/56; the outer two are as likely: half of 8/56.
    #expect(isClose(camera?.at("trend.p_value"), 4.0 / 56))
    // Contacts has a p of 1, so camera's is doubled.
    #expect(isClose(camera?.at("trend.p_adjusted"), 8.0 / 56))
    let alone = trendLog.report(14 * day) { $0.permission = "camera" }["rows"]?[2]
    #expect(isClose(alone?.at("trend.p_adjusted"), 4.0 / 56))
    #expect(trendLog.report(14 * day - 1)["rows"]?[2]?["trend"] == .null)
  }

  @Test func trendLooksAtTheWholeWeekBefore() {
    // Only the second week is shown, from its Tuesday: 3 of 3 against 1 of 4.
    let rows = trendLog.report(14 * day) {
      $0.from = "2026-03-10"
      $0.permission = "camera"
    }["rows"]
    #expect(rows?.count == 2)
    #expect(rows?[1]?.at("base") == 3)
    #expect(rows?[1]?.at("trend.change.value") == 0.75)
    let week = trendLog.report(14 * day) { $0.week = "2026-W10" }["rows"]?.elements ?? []
    #expect(week.map { $0["permission"] } == ["camera", "camera", "contacts", "contacts"].map { .string($0) })
    #expect(trendLog.report(14 * day) { $0.to = "2026-03-03" }["rows"]?[0]?.at("exposed") == 1)
  }

  @Test func breakdownIsByTheExposureAndByBytes() {
    var log = Log()
    for (user, variant) in [("1", "b"), ("2", "B"), ("3", nil), ("4", "\u{E9}"), ("5", "e\u{301}"), ("6", "")] {
      log.add(user, 0, "prompt_shown", variant: variant)
      log.add(user, 1, "granted", variant: "other")
    }
    let rows = log.report(day) { $0.by = "variant" }["rows"]?.elements ?? []
    let values = rows.map { $0.node("by.value") }
    let expected: [OracleJSON] = [.null, .string("B"), .string("b"), .string("e\u{301}"), .string("\u{E9}")]
    #expect(values == expected.flatMap { [$0, $0] })
    #expect(rows[0].at("exposed") == 2 && rows[6].at("exposed") == 1)
    #expect(rows.map { $0["week"] == .null } == [true, false, true, false, true, false, true, false, true, false])
  }

  @Test func reachAddsUpToTheActiveUsers() {
    var log = Log()
    let last: [(String, String, String?)] = [
      ("on", "granted", nil), ("partial", "re_enabled", "when_in_use"), ("off", "revoked", "authorized"),
      ("restricted", "denied", "restricted"), ("checked", "status_checked", "always"),
      ("unsaid", "status_checked", nil), ("shown", "prompt_shown", nil),
    ]
    for (user, kind, status) in last {
      log.add(user, 0, "granted", "location_always", id: "first")
      if user == "shown" { log.events.removeLast() }
      log.add(user, 2, kind, "location_always", status: status)
      log.add(user, 3, "skipped", "location_always")
    }
    log.add("never", 20 * day, "app_active", "location_always")
    log.add("gone", -8 * day, "granted", "contacts")
    let reach = log.report(28 * day + 1)["reach"]
    #expect(reach?.count == 1)
    let keys = "active_users never_asked on partial off restricted undecided"
    #expect(reach?[0]?.numbers("", keys) == [8, 1, 2, 1, 1, 1, 2])
    // (as_of − 28 days, as_of]: events at exactly 28 days before are outside.
    #expect(log.report(28 * day + 3)["reach"]?.count == 0)
  }

  @Test func activityCountsKindsByTheEventsOwnWeek() {
    var log = Log()
    log.add("u", 7 * day - 1, "prompt_shown")
    log.add("u", 7 * day, "granted")
    log.add("u", 7 * day, "app_active", "camera")
    var installed = log
    installed.add("u", 7 * day, "app_installed", "camera")
    let withInstall = installed.report(8 * day)["activity"]?.elements ?? []
    #expect(withInstall.map { $0.at("counts.app_installed") } == [1, 0, 0])
    let activity = log.report(8 * day)["activity"]?.elements ?? []
    #expect(activity.map { $0["permission"] } == [.null, .string("camera"), .string("camera")])
    #expect(activity.map { $0["week"] } == ["2026-W11", "2026-W10", "2026-W11"].map { .string($0) })
    #expect(activity[0].at("counts.app_active") == 1 && activity[2].at("counts.granted") == 1)
    #expect(activity[2].node("counts")?.keys == Array(oracleKinds.dropLast()))
    let cut = log.report(8 * day) { $0.week = "2026-W10" }
    #expect(cut["activity"]?.count == 1)
    // The answer outside of the week still answers.
    #expect(cut["rows"]?[0]?.at("granted") == 1)
    #expect(log.report(8 * day) { $0.permission = "camera" }["activity"]?.count == 2)
  }
}
