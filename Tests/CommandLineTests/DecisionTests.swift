// The decision of a comparison: one made-up test for each state, in the order of the contract.

import Foundation
import Testing

@Suite struct DecisionTests {
  /// Users of one message, spread over days, of whom some grant; the last `pending` are too young to have an answer.
  private struct Arm {
    var users: Int
    var granted: Int
    var both = 0
  }

  private func compare(_ a: Arm, _ b: Arm, days: Int = 14, options: [String] = []) throws -> [String: Any] {
    let workspace = try Workspace()
    let start = 1_770_000_000_000
    var lines: [String] = []
    func line(_ user: String, _ id: String, _ time: Int, _ kind: String, _ variant: String) {
      lines.append(
        #"{"event_id":"\#(user)-\#(id)","user_id":"\#(user)","timestamp":\#(time),"event":"\#(kind)","permission":"camera","variant":"\#(variant)"}"#
      )
    }
    for (name, arm, other) in [("A", a, "B"), ("B", b, "A")] {
      for i in 0..<arm.users {
        let time = start + i * days * 86_400_000 / max(1, arm.users)
        line("\(name)\(i)", "p", time, "prompt_shown", name)
        line(
          "\(name)\(i)", "a", time + 3000,
          i * arm.granted / arm.users != (i + 1) * arm.granted / arm.users ? "granted" : "denied", name)
        if i < arm.both { line("\(name)\(i)", "q", time + 86_400_000, "prompt_shown", other) }
      }
    }
    lines.append(#"{"user_id":"end","timestamp":\#(start + 60 * 86_400_000),"event":"app_active","variant":"B"}"#)
    lines.append(#"{"user_id":"end","timestamp":\#(start),"event":"app_active","variant":"A"}"#)
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let arguments = ["compare", "A", "B", "--permission", "camera", "--log", log, "--format", "json"] + options
    let result = try Tool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Tool.run(arguments.filter { $0 != "--format" && $0 != "json" }).status == 0)
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private func decision(_ comparison: [String: Any]) -> String {
    #expect((comparison["reasons"] as? [String])?.isEmpty == false)
    return comparison["decision"] as? String ?? ""
  }

  @Test func brokenAssignmentIsInvalid() throws {
    let comparison = try compare(Arm(users: 700, granted: 300), Arm(users: 500, granted: 300))
    #expect(decision(comparison) == "invalid")
    #expect((comparison["sample_ratio"] as? [String: Any])?["mismatch"] as? Bool == true)
    #expect(comparison.at("sample_ratio", "sequential", "alarm") as? Bool == true)
    #expect(comparison.at("sample_ratio", "sequential", "first_alarm_day") is String)
    #expect((comparison.at("sample_ratio", "sequential", "e_value") as? Double ?? 0) >= 100)
    // What had been decided is said, and is no decision.
    #expect(comparison["decided_on"] is NSNull)
    #expect(
      decision(try compare(Arm(users: 700, granted: 300), Arm(users: 500, granted: 300), options: ["--split", "7:5"]))
        != "invalid")
  }

  @Test func tooManyWhoSawBothAreInvalid() throws {
    let comparison = try compare(Arm(users: 500, granted: 200, both: 60), Arm(users: 500, granted: 300, both: 60))
    #expect(decision(comparison) == "invalid")
    let contaminated = try #require(comparison["contaminated"] as? [String: Any])
    #expect(contaminated["users"] as? Int == 120)
    #expect(abs((contaminated["share"] as? Double ?? 0) - 0.12) < 1e-12)
  }

  @Test func aMissingArmIsInvalid() throws {
    #expect(decision(try compare(Arm(users: 300, granted: 100), Arm(users: 0, granted: 0))) == "invalid")
  }

  @Test func fewDaysAreTooEarlyAndFewUsersAreNot() throws {
    let early = try compare(Arm(users: 900, granted: 200), Arm(users: 900, granted: 700), days: 3)
    #expect(decision(early) == "too_early" && early["decided_on"] is NSNull)
    #expect((early["reasons"] as? [String])?.first?.contains("The earliest is the end of 2026-04-") == true)
    // The always-valid interval is refused below 100 users a message, and does not decide.
    let few = try compare(Arm(users: 60, granted: 20), Arm(users: 60, granted: 50))
    #expect(few["always_valid"] is NSNull && few["always_valid_refused"] is String)
    #expect(decision(few) == "b_wins")
    #expect(
      decision(try compare(Arm(users: 20, granted: 8), Arm(users: 20, granted: 9))) == "stop_out_of_reach", "it ended")
  }

  @Test func aDecisionHasItsDayAndStays() throws {
    let (a, b) = (Arm(users: 900, granted: 300), Arm(users: 900, granted: 600))
    let all = try compare(a, b)
    #expect(decision(all) == "b_wins" && all["schema"] as? String == "permlog.compare/3")
    #expect(all["decided_on"] as? String == "2026-02-08" && all["decided_day"] as? Int == 7)
    #expect((all.at("rule_interval", "at_decision", "low") as? Double ?? -1) > 0)
    let p = try #require(all["rule_p_value"] as? Double)
    #expect(p > 0 && p < 0.05)
    // Whoever read it on the next morning, or later, read the same day.
    for asOf in ["2026-02-09", "2026-02-12", "2026-03-01"] {
      let then = try compare(a, b, options: ["--as-of", asOf])
      #expect(decision(then) == "b_wins" && then["decided_on"] as? String == "2026-02-08", "\(asOf)")
      #expect(then["rule_p_value"] as? Double == p, "\(asOf)")
    }
    let before = try compare(a, b, options: ["--as-of", "2026-02-08"])
    #expect(before["decided_on"] is NSNull && before["decided_day"] is NSNull)
    #expect(before.at("rule_interval", "at_decision") is NSNull)
  }

  /// Every key is always there, whatever the decision and the rule.
  @Test func theKeysOfADecisionAreAlwaysThere() throws {
    let arms = (Arm(users: 900, granted: 300), Arm(users: 900, granted: 600))
    let comparisons = [
      try compare(arms.0, arms.1), try compare(arms.0, arms.1, options: ["--looks", "3", "--planned-n", "1800"]),
      try compare(Arm(users: 20, granted: 8), Arm(users: 20, granted: 9), options: ["--as-of", "2026-02-16"]),
      try compare(Arm(users: 300, granted: 100), Arm(users: 0, granted: 0)),
    ]
    let keys = [
      "decision", "decided_on", "decided_day", "reasons", "rule", "rule_interval", "rule_p_value", "plan", "property",
      "monitoring", "error_bound",
    ]
    for comparison in comparisons {
      for key in keys { #expect(comparison[key] != nil, "\(key)") }
      #expect(comparison["looks"] == nil, "number 2 of the schema has them in monitoring")
      #expect(comparison["property"] as? String == "variant" && comparison["plan"] is NSNull)
      #expect(comparison.at("rule_interval", "now") != nil && comparison.at("rule_interval", "at_decision") != nil)
      #expect(comparison.at("needed", "outlook") != nil)
      for key in ["e_value", "log_e_value", "p_value", "alarm", "first_alarm_day"] {
        #expect(comparison.at("sample_ratio", "sequential", key) != nil, "\(key)")
      }
      let keys = [
        "rule", "planned_n", "exponent", "adjusted_by", "users_saved", "looks", "no_difference", "contradiction",
        "declared", "record_differs",
      ]
      for key in keys { #expect(comparison.at("monitoring", key) != nil, "\(key)") }
      for look in try #require(comparison.at("monitoring", "looks") as? [[String: Any]]) {
        let keys = ["day", "day_number", "a", "b", "time", "z", "bound", "lower", "upper", "difference", "crossed"]
        #expect(Set(look.keys) == Set(keys))
      }
    }
    #expect(comparisons.map { $0["rule"] as? String } == ["daily", "looks", "daily", "daily"])
    #expect(comparisons[1].at("monitoring", "declared", "count") as? Int == 3)
    #expect(comparisons[0].at("monitoring", "declared") is NSNull)
    #expect(comparisons[2].at("needed", "outlook", "days") as? Int == 28)
  }

  @Test func winnersByTheGoodDirectionOfTheMetric() throws {
    let (a, b) = (Arm(users: 900, granted: 300), Arm(users: 900, granted: 600))
    #expect(decision(try compare(a, b)) == "b_wins")
    #expect(decision(try compare(b, a)) == "a_wins")
    // More grants are fewer denials here, and fewer denials are better.
    #expect(decision(try compare(a, b, options: ["--metric", "deny_rate"])) == "b_wins")
  }

  @Test func noDifferenceThatMattersAndNotDecided() throws {
    let (a, b) = (Arm(users: 900, granted: 450), Arm(users: 900, granted: 451))
    #expect(decision(try compare(a, b)) == "stop_out_of_reach", "it ended")
    #expect(decision(try compare(a, b, options: ["--minimum-effect", "20"])) == "no_difference")
  }

  @Test func excludingLeavesOutWhoSawBoth() throws {
    let comparison = try compare(
      Arm(users: 500, granted: 250, both: 20), Arm(users: 500, granted: 300, both: 10),
      options: ["--contaminated", "exclude"])
    #expect((comparison["a"] as? [String: Any])?["exposed"] as? Int == 480)
    #expect((comparison["b"] as? [String: Any])?["exposed"] as? Int == 490)
    #expect((comparison["sample_ratio"] as? [String: Any])?["observed"] as? [Int] == [500, 500])
  }
}
