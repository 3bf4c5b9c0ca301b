// Steps, times, later enablings and settings prompts, on histories worked out by hand.

import Foundation
import ReportOracle
import Testing

@Suite struct FigureTests {
  /// Five explained journeys and one cold one.
  private var stepLog: Log {
    var log = Log()
    log.add("continued", 0, "explanation_shown")
    log.add("continued", 4 * second, "prompt_shown")
    log.add("continued", 10 * second, "granted")
    log.add("left", 0, "explanation_shown")
    log.add("left", 30 * minute, "prompt_shown")
    log.add("skipped", 0, "explanation_shown")
    log.add("skipped", 2 * second, "skipped")
    log.add("skipped", 3 * second, "prompt_shown")
    log.add("answered", 0, "explanation_shown")
    log.add("answered", 8 * second, "denied")
    log.add("dropped", 0, "explanation_shown")
    log.add("dropped", 30 * minute + 1, "prompt_shown")
    log.add("cold", 0, "prompt_shown")
    log.add("cold", 6 * second, "denied")
    return log
  }

  @Test func stepsAddUp() {
    let row = stepLog.firstRow(day)
    #expect(row.numbers("steps.explanation", "shown continued skipped answered dropped") == [5, 2, 1, 1, 1])
    #expect(row.numbers("steps.prompt", "shown granted denied skipped dropped") == [3, 1, 1, 0, 1])
    #expect(row.numbers("explained_against_cold.explained", "base granted") == [5, 1])
    #expect(row.numbers("explained_against_cold.cold", "base granted") == [1, 0])
    #expect(isClose(row.at("explained_against_cold.difference.value"), 0.2))
  }

  @Test func timesOfTheSteps() {
    let row = stepLog.firstRow(day)
    // Answers after 10, 2, 8 and 6 seconds.
    #expect(row.numbers("time_to_answer_ms", "count mean p50 p90 p99") == [4, 6500, 6000, 10_000, 10_000])
    #expect(row.numbers("time_by_outcome_ms.denied", "count mean p50") == [2, 7000, 6000])
    // To the prompt after 4 s and 30 min, to the answer after 2 s and 8 s.
    #expect(row.numbers("explanation_time_ms", "count mean p50") == [4, 453_500, 4000])
    // 6 s after the explanation's prompt, 6 s cold.
    #expect(row.numbers("prompt_time_ms", "count mean p50 p99") == [2, 6000, 6000, 6000])
    let none = row.node("time_by_outcome_ms.granted")
    #expect(none?.at("count") == 1)
  }

  @Test func noTimesAreNullAndNotZero() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    let times = log.firstRow(day)["time_to_answer_ms"]
    #expect(times?.at("count") == 0)
    #expect(times?["mean"] == .null && times?["p50"] == .null)
  }

  @Test func grantedByFollowUpIsClosedAtItsEnd() {
    var log = Log()
    log.add("in", 0, "prompt_shown")
    log.add("in", 28 * day, "re_enabled")
    log.add("out", 0, "prompt_shown")
    log.add("out", 28 * day + 1, "re_enabled")
    #expect(log.firstRow(28 * day - 1).numbers("granted_by_follow_up", "eligible") == [0])
    #expect(log.firstRow(29 * day).numbers("granted_by_follow_up", "eligible granted") == [2, 1])
  }

  @Test func enabledLaterIsStrictlyAfterAndUpToTheFollowUp() {
    var log = Log()
    for (user, later) in [("end", 28 * day), ("past", 28 * day + 1), ("same", 0)] {
      log.add(user, 0, "prompt_shown")
      log.add(user, 1, "denied")
      log.add(user, 1 + later, "re_enabled")
    }
    #expect(log.firstRow(28 * day).numbers("enabled_later.denied", "eligible enabled") == [0, 0])
    #expect(log.firstRow(28 * day + 1).numbers("enabled_later.denied", "eligible enabled") == [3, 1])
  }

  @Test func kaplanMeierByHand() {
    var log = Log()
    // Denied at second 1; on again after 1 h and after 3 days, one still off. All look until day 10.
    for user in ["a", "b", "c", "young"] {
      let start = user == "young" ? 8 * day : 0
      log.add(user, start, "prompt_shown")
      log.add(user, start + second, "denied")
    }
    log.add("a", hour, "re_enabled")
    log.add("b", 3 * day + second, "re_enabled")
    let curve = log.firstRow(10 * day).node("enabled_later.denied.kaplan_meier")
    // Day 0: one of four.
    #expect(curve?.numbers("0", "day at_risk value") == [1, 4, 0.25])
    // "young" is censored on its day 1 (1 day and 23:59:59), so day 3 has two at risk and one enabling:
    // S = 3/4 · 1/2; one is at risk at the start of day 6.
    #expect(curve?.numbers("1", "day at_risk value") == [7, 1, 0.625])
    // Nobody has been seen for 27 days.
    #expect(curve?.numbers("2", "day at_risk value low high") == [28, 0, nil, nil, nil])
    // G = 1/(4·3) + 1/(2·1); 1 − S^exp(±1.96 √G / ln S).
    let width = 1.959963984540054 * (1.0 / 12 + 0.5).squareRoot() / log10(0.375) * log10(exp(1.0))
    #expect(isClose(curve?.at("1.low"), 1 - pow(0.375, exp(width))))
    #expect(isClose(curve?.at("1.high"), 1 - pow(0.375, exp(-width))))
  }

  @Test func kaplanMeierHasNoIntervalAtTheEnds() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    log.add("u", second, "denied")
    // Somebody looked, and found it off.
    log.add("u", minute, "status_checked")
    let off = log.firstRow(day).node("enabled_later.denied.kaplan_meier.0")
    #expect(off?.numbers("", "at_risk value low high") == [1, 0, nil, nil])
    log.add("u", hour, "re_enabled")
    let on = log.firstRow(day).node("enabled_later.denied.kaplan_meier")
    #expect(on?.numbers("0", "at_risk value low high") == [1, 1, nil, nil])
    #expect(on?.numbers("1", "at_risk value") == [0, nil])
  }

  @Test func settingsPromptsByHand() {
    var log = Log()
    for user in ["plain", "asked", "late", "never"] {
      log.add(user, 0, "prompt_shown")
      log.add(user, 0, "denied")
    }
    // Opened the app on days 0, 1 and 4, when the app found it on.
    for moment in [0, hour, day, day + hour, 4 * day - minute] { log.add("plain", moment, "app_active", nil) }
    log.add("plain", 4 * day, "re_enabled")
    // Asked on day 2, opened at the end of the window, on on day 5. Used on days 0, 2 before the prompt, and 3.
    for moment in [1, 2 * day, 3 * day] { log.add("asked", moment, "feature_used", nil) }
    log.add("asked", 2 * day + hour, "settings_prompt_shown")
    log.add("asked", 2 * day + hour + 30 * minute, "settings_opened")
    log.add("asked", 5 * day, "re_enabled")
    // Asked in the millisecond of the denial (not after it) and on day 10; on one millisecond past the window.
    log.add("late", 0, "settings_prompt_shown")
    for moment in [9, 10] { log.add("late", moment * day + hour, "app_active", nil) }
    log.add("late", 10 * day, "settings_prompt_shown")
    log.add("late", 10 * day + 30 * minute + 1, "settings_opened")
    log.add("late", 17 * day + 1, "re_enabled")
    // Used on days 2 and 10, and prompted after these 28 days.
    for moment in [2, 10] { log.add("never", moment * day + hour, "app_active", nil) }
    log.add("never", 28 * day, "settings_prompt_shown")
    let settings = log.firstRow(40 * day)["settings_prompt"]
    #expect(settings?.numbers("", "shown opened eligible enabled") == [3, 1, 3, 1])
    // Of "asked" on day 2, of "late" on day 10.
    #expect(settings?.numbers("trials.prompted", "n enabled") == [2, 1])
    // "plain" on days 0 and 1, and not in the minute before it was found on; "asked" on day 0, "late" on day 9, "never" twice.
    #expect(settings?.numbers("trials.not_prompted", "n enabled prompted_later") == [6, 3, 2])
    // Only on days 2 and 10 are there both: nobody without a prompt enabled after them.
    #expect(settings?["trials"]?["risk_ratio"] == .null)
    // As of day 16 the prompt of "late" is too young, and so is day 10 of "never".
    let early = log.firstRow(16 * day)["settings_prompt"]
    #expect(early?.numbers("", "shown opened eligible enabled") == [2, 1, 1, 1])
    #expect(early?.numbers("trials.prompted", "n enabled") == [1, 1])
    #expect(early?.numbers("trials.not_prompted", "n enabled prompted_later") == [4, 3, 1])
  }

  @Test func riskRatioOfTrialsByHand() {
    var log = Log()
    func deny(_ user: String, used: [Int], prompt: Int? = nil, on: Int? = nil) {
      log.add(user, 0, "prompt_shown")
      log.add(user, second, "denied")
      for moment in used { log.add(user, moment, "app_active", nil) }
      if let prompt { log.add(user, prompt, "settings_prompt_shown") }
      if let on { log.add(user, on, "re_enabled") }
    }
    // Day 1: 2 prompted, 0 enabled; 3 not prompted, 2 of them enabled by one user's return each.
    for user in ["p", "q"] { deny(user, used: [], prompt: day + hour) }
    deny("a", used: [day + hour, 2 * day + hour], on: 6 * day)
    deny("b", used: [day + hour], on: 6 * day)
    deny("c", used: [day + hour])
    #expect(log.firstRow(40 * day).numbers("settings_prompt.trials.risk_ratio", "value low high") == [0, nil, nil])
    // Day 2: 1 prompted and enabled; "a" of 1 not prompted.
    deny("r", used: [], prompt: 2 * day + hour, on: 3 * day)
    let trials = log.firstRow(40 * day).node("settings_prompt.trials")
    #expect(trials?.numbers("not_prompted", "n enabled prompted_later") == [4, 3, 0])
    // P = 1·1/2; Q = 2·2/5 + 1·1/2 = 1.3; φ = (2² + 1²)/3.
    #expect(isClose(trials?.at("risk_ratio.value"), 0.5 / 1.3))
    let variance = 0.25 / 0.25 + 5.0 / 3 * (2 * 0.16 + 0.25) / 1.69
    #expect(isClose(trials?.at("risk_ratio.high"), 0.5 / 1.3 * exp(1.959963984540054 * variance.squareRoot())))
  }

  @Test func afterTheGrant() {
    var log = Log()
    for (user, kind, after, status) in [
      ("revoked", "revoked", 28 * day, nil), ("kept", "revoked", 28 * day + 1, nil),
      ("up", "status_checked", day, "full_access"), ("silent", "granted", day, nil as String?),
    ] {
      log.add(user, 0, "prompt_shown", "contacts")
      log.add(user, 1, "granted", "contacts", status: "limited")
      log.add(user, 1 + after, kind, "contacts", status: status)
    }
    let after = log.firstRow(40 * day)["after_grant"]
    #expect(after?.numbers("", "eligible revoked partial_eligible upgraded") == [4, 1, 4, 1])
    #expect(after?.at("revoked_rate.value") == 0.25)
    #expect(log.firstRow(28 * day).at("after_grant.eligible") == 0)
  }
}
