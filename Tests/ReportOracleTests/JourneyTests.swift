// Exposure, answer, outcome and base, on histories worked out by hand.

import Foundation
import ReportOracle
import Testing

private let counts = "exposed pending restricted base granted denied skipped dropped_off"

@Suite struct JourneyTests {
  @Test func fastAnswerIsPendingUntilTheWindowHasPassed() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    log.add("u", 5 * second, "granted")
    #expect(log.firstRow(30 * minute - 1).numbers("", counts) == [1, 1, 0, 0, 0, 0, 0, 0])
    #expect(log.firstRow(30 * minute - 1)["grant_rate"] == .null)
    #expect(log.firstRow(30 * minute).numbers("", counts) == [1, 0, 0, 1, 1, 0, 0, 0])
  }

  @Test func answerAtTheEndOfTheWindowCountsAndOneMillisecondLaterIsALaterEnabling() {
    var log = Log()
    log.add("in", 0, "prompt_shown")
    log.add("in", 30 * minute, "granted")
    log.add("out", 0, "prompt_shown")
    log.add("out", 30 * minute + 1, "granted")
    let row = log.firstRow(40 * day)
    #expect(row.numbers("", counts) == [2, 0, 0, 2, 1, 0, 0, 1])
    #expect(row.numbers("enabled_later.dropped_off", "eligible enabled") == [1, 1])
    #expect(row.numbers("granted_by_follow_up", "eligible granted") == [2, 2])
  }

  @Test func kindsAndThenBytesOfTheIdChooseWithinOneMillisecond() {
    var log = Log()
    // The order of kinds puts granted before denied, whatever the ids say.
    log.add("kinds", 0, "denied", id: "a")
    log.add("kinds", 0, "granted", id: "b")
    log.add("kinds", 0, "prompt_shown", id: "c")
    // Same kind: "Z" is before "a" in bytes, and "e" with an accent of its own before the single "é".
    log.add("case", 0, "prompt_shown")
    log.add("case", 1, "denied", status: "denied", id: "a")
    log.add("case", 1, "denied", status: "restricted", id: "Z")
    log.add("accent", 0, "prompt_shown")
    log.add("accent", 1, "denied", status: "denied", id: "\u{E9}")
    log.add("accent", 1, "denied", status: "restricted", id: "e\u{301}")
    #expect(log.firstRow(day).numbers("", counts) == [3, 0, 2, 1, 1, 0, 0, 0])
  }

  @Test func answersBeforeTheExposureDoNotCount() {
    var log = Log()
    log.add("u", 0, "granted")
    log.add("u", 250, "prompt_shown")
    #expect(log.firstRow(day).numbers("", counts) == [1, 0, 0, 1, 0, 0, 0, 1])
  }

  @Test func restrictedLeavesTheBaseAndReEnabledIsAGrant() {
    var log = Log()
    log.add("restricted", 0, "prompt_shown")
    log.add("restricted", 1, "denied", status: "restricted")
    log.add("again", 0, "prompt_shown")
    log.add("again", 1, "re_enabled")
    log.add("skipped", 0, "explanation_shown")
    log.add("skipped", 1, "skipped", status: "restricted")
    let row = log.firstRow(day)
    #expect(row.numbers("", counts) == [3, 0, 1, 2, 1, 0, 1, 0])
    #expect(row.at("grant_rate.value") == 0.5)
    #expect(row.at("prompt_grant_rate.value") == 1)
  }

  @Test func unexposedAreJourneysWithAnAnswerAndNoScreen() {
    var log = Log()
    log.add("a", 0, "granted")
    log.add("a", 0, "re_enabled", "contacts")
    log.add("b", 0, "revoked")
    log.add("c", 0, "status_checked", status: "authorized")
    // So that the log has screens of both.
    log.add("d", day, "prompt_shown")
    log.add("d", day, "prompt_shown", "contacts")
    let report = log.report(day) { $0.to = "2026-03-03" }
    #expect(report.at("unexposed") == 2)
    #expect(report["rows"] == .array([]))
    #expect(log.report(day) { $0.permission = "contacts" }.at("unexposed") == 1)
    #expect(log.report(day) { $0.permission = "contacts" }.numbers("", "events users") == [6, 4])
  }

  @Test func earliestCopyWinsWhereverItComes() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    log.add("u", 2 * day, "granted", id: "same")
    log.add("u", 1, "granted", id: "same")
    // Ids that look alike are not the same.
    log.add("v", 0, "prompt_shown", id: "\u{E9}")
    log.add("v", 1, "granted", id: "e\u{301}")
    log.add("e\u{301}", 0, "prompt_shown")
    log.add("\u{E9}", 0, "prompt_shown")
    let report = log.report(day)
    #expect(report.numbers("", "events users") == [6, 4])
    #expect(report["rows"]?[0]?.numbers("", counts) == [4, 0, 0, 4, 2, 0, 0, 2])
  }

  /// Of one time the copy whose line in an export comes first.
  @Test func ofOneTimeTheLowestLineWins() {
    let copies = ["granted", "denied", "skipped"].map { kind in
      OracleEvent(userID: "u", eventID: "same", timestamp: 5, event: kind, permission: "camera")
    }
    #expect(leastFirst(copies).map(\.event) == ["denied", "granted", "skipped"])
    var plain = OracleEvent(userID: "u", eventID: "e", timestamp: 5, event: "granted", permission: "camera")
    plain.status = "limited"
    var other = plain
    (other.status, other.appVersion) = (nil, "1.0")
    #expect(leastFirst([plain, other]) == [other, plain])
  }

  @Test func partialDependsOnThePermission() {
    var log = Log()
    for (permission, status) in [
      ("location_always", "when_in_use"), ("location_when_in_use", "when_in_use"), ("calendars", "write_only"),
      ("calendars_write_only", "write_only"), ("notifications", "provisional"),
    ] {
      log.add("u", 0, "prompt_shown", permission)
      log.add("u", 1, "granted", permission, status: status)
    }
    let rows = log.report(day)["rows"]?.elements ?? []
    let partial = rows.filter { $0["week"] == .null && $0.at("partial") == 1 }.map { $0["permission"] }
    #expect(partial == [.string("calendars"), .string("location_always"), .string("notifications")])
    #expect(rows.allSatisfy { $0.at("granted") == 1 })
  }

  @Test func emptyLogHasNoMomentAndNoRows() {
    let report = Log().report()
    #expect(report["as_of"] == .null)
    #expect(report["time_zone"] == .string("UTC"))
    #expect(report.numbers("", "events users unexposed follow_up_days") == [0, 0, 0, 28])
    #expect(report["rows"] == .array([]) && report["reach"] == .array([]) && report["activity"] == .array([]))
  }
}
