// The oracle's figure 12 against cases counted by hand.

import ReportOracle
import Testing

@Suite struct TimingFigureTests {
  private func asked(_ log: inout Log, _ user: String, _ t0: Int, _ answer: String) {
    log.add(user, t0, "prompt_shown")
    log.add(user, t0 + 5000, answer)
  }

  /// Base of each class.
  private func bases(_ report: OracleJSON, _ key: String) -> [Double?] {
    (report.node("timing.0.\(key).classes")?.elements ?? []).map { $0.at("base") }
  }

  @Test func threeUsersOfThreeAges() {
    var log = Log()
    // In the millisecond of the install, 59,999 ms after it, a whole day after it.
    for (user, after, answer) in [("a", 0, "denied"), ("b", 59_999, "granted"), ("c", day, "granted")] {
      log.add(user, 30 * day, "app_installed", nil)
      asked(&log, user, 30 * day + after, answer)
    }
    // Who never installed; who installed afterwards.
    asked(&log, "d", 0, "denied")
    asked(&log, "e", 30 * day, "granted")
    log.add("e", 30 * day + 1, "app_installed", nil)
    // Two days of use before, and one use that is too old.
    log.add("e", 29 * day, "app_active", nil)
    log.add("e", 28 * day + day / 2, "feature_used", nil)
    log.add("e", day, "feature_used", nil)
    let report = log.report(60 * day)
    #expect(bases(report, "by_install") == [2, 0, 0, 1, 0, 2])
    // That of d is not known: its 28 days begin before the log.
    #expect(bases(report, "by_active_days") == [3, 0, 1, 0, 0, 1])
    #expect(bases(report, "by_feature_used") == [3, 1, 0, 0, 1])
    #expect(report.node("timing.0.by_install.classes.0")?.at("granted") == 1)
    // 1 of 2 at score 0, 1 of 1 at score 3: z = √(3 · (1/2)²) = 0.866.
    #expect(abs((report.at("timing.0.by_install.trend_p") ?? 0) - 0.386476) < 1e-6)
    // All are known if the log is said to begin earlier.
    #expect(bases(log.report(60 * day) { $0.logStart = 0 }, "by_active_days") == [4, 0, 1, 0, 0, 0])
    #expect(log.report(60 * day) { $0.by = "variant" }["timing"]?.count == 0)
  }

  @Test func withoutEventsNothingIsKnown() {
    var log = Log()
    asked(&log, "a", 0, "denied")
    let timing = log.report(day).node("timing.0")
    #expect(timing?["by_install"] == .null && timing?["by_active_days"] == .null && timing?["by_feature_used"] == .null)
    log.add("b", 0, "app_active", nil)
    log.add("b", 0, "app_installed", nil)
    let known = log.report(day).node("timing.0")
    #expect(known?.node("by_install.classes")?.count == 6 && known?.node("by_active_days.classes")?.count == 6)
    #expect(known?["by_feature_used"] == .null)
    #expect(known?.node("by_install.trend_p") == .null)
  }
}
