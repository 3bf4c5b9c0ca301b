// Calls that return at once, answers that only the status tells, and answers alone, on histories worked out by hand.

import ReportOracle
import Testing

private let counts = "exposed restricted base granted denied skipped dropped_off answered_by_status"

@Suite struct ReadingTests {
  /// A log in which people answer, so that what comes at once is told from them.
  private var usual: Log {
    var log = Log()
    for number in 0..<4 {
      log.add("person-\(number)", 0, "prompt_shown")
      log.add("person-\(number)", 3 * second + number, number == 0 ? "denied" : "granted")
    }
    return log
  }

  private func row(_ log: Log) -> OracleJSON { log.firstRow(40 * day) }

  @Test func whatComesBeforeTheLimitIsACallAndWhatComesAtItIsAnAnswer() {
    var log = usual
    for (user, wait) in [("quick", 249), ("slow", 250), ("before", -249), ("long-before", -250)] {
      log.add(user, day, "prompt_shown")
      log.add(user, day + wait, "denied")
    }
    // Quick and before are not exposed; the answer long before is none of the prompt.
    #expect(row(log).numbers("", counts) == [6, 0, 6, 3, 2, 0, 1, 0])
    let unit = log.report(40 * day)["at_once"]?[0]
    #expect(unit?.numbers("", "answered at_once") == [7, 2] && unit?["applied"] == .bool(true))
    #expect(log.report(40 * day) { $0.atOnce = 0 }["at_once"] == .array([]))
  }

  @Test func aCallIsALookAtTheStatus() {
    var log = usual
    log.add("person-0", 2 * day, "prompt_shown")
    log.add("person-0", 2 * day + 5, "granted")
    #expect(row(log).numbers("enabled_later.denied", "eligible enabled") == [1, 1])
    #expect(log.report(40 * day)["activity"]?[0]?.at("counts.status_checked") == 0)
    #expect(log.report(40 * day).at("events") == 10)
  }

  @Test func whoWasNotAskedAfterAnExplanationHadNoSay() {
    var log = usual
    log.add("decided", 0, "explanation_shown")
    log.add("decided", second, "prompt_shown")
    log.add("decided", second + 9, "denied")
    #expect(row(log).numbers("", counts) == [5, 1, 4, 3, 1, 0, 0, 0])
  }

  @Test func loggedTogetherOrInSecondsIsAsItIsLogged() {
    var log = Log()
    for number in 0..<100 {
      log.add("u\(number)", number, "prompt_shown")
      log.add("u\(number)", number + (number % 2 == 0 ? 2 : -3), number < 60 ? "granted" : "denied")
    }
    #expect(row(log).numbers("", counts) == [100, 0, 100, 60, 40, 0, 0, 0])
    #expect(row(log)["time_to_answer_ms"] == .null)
    // One in a hundred takes its time.
    log.events[199].timestamp = log.events[198].timestamp + 300
    #expect(row(log)["time_to_answer_ms"] != .null && row(log).at("exposed") == 1)
    var seconds = Log()
    for number in 0..<9 {
      seconds.add("u\(number)", number * second, "prompt_shown")
      seconds.add("u\(number)", number % 3 * second + number * second, "granted")
    }
    #expect(row(seconds).numbers("", counts) == [9, 0, 9, 9, 0, 0, 0, 0])
    #expect(row(seconds)["time_to_answer_ms"]?.at("count") == 9)
  }

  @Test func theStatusTellsAnAnswerThatIsNotLogged() {
    var log = usual
    for (user, wait, status) in [
      ("a", 250, "limited"), ("b", 30 * minute, "denied"), ("c", 5000, "restricted"), ("d", 249, "authorized"),
      ("e", 30 * minute + 1, "authorized"), ("f", 5000, "not_determined"),
    ] {
      log.add(user, day, "prompt_shown")
      log.add(user, day + wait, "status_checked", status: status)
    }
    #expect(row(log).numbers("", counts) == [10, 1, 9, 4, 2, 0, 3, 2])
    #expect(row(log)["prompt_time_ms"]?.at("count") == 4)
  }

  @Test func answersAloneAreTheirOwnExposure() {
    var log = Log()
    log.add("a", 0, "granted", variant: "B")
    log.add("a", 5, "denied")
    log.add("b", 0, "denied")
    log.add("c", 0, "re_enabled")
    let report = log.report(40 * day)
    #expect(report.at("unexposed") == 1)
    #expect(row(log).numbers("", "exposed base granted denied dropped_off") == [2, 2, 1, 1, nil])
    #expect(row(log).numbers("granted_by_follow_up", "eligible granted") == [2, 1])
    #expect(row(log)["steps"] == .null && row(log)["explanation_time_ms"] == .null)
  }

  @Test func aNotNowAloneIsAnExplanation() {
    var log = usual
    log.add("not-now", 0, "skipped")
    log.add("not-now", 3 * second, "prompt_shown")
    log.add("not-now", 6 * second, "granted")
    log.add("undetermined", 0, "skipped", status: "not_determined")
    log.add("explained", day, "explanation_shown")
    #expect(row(log).numbers("", counts) == [6, 0, 6, 3, 1, 1, 1, 0])
    #expect(row(log).numbers("steps.explanation", "shown skipped dropped") == [2, 1, 1])
    #expect(log.report(40 * day).at("unexposed") == 1)
  }
}
