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

  @Test func fewUsersAndFewDaysAreTooEarly() throws {
    let few = try compare(Arm(users: 60, granted: 20), Arm(users: 60, granted: 50))
    #expect(decision(few) == "too_early")
    #expect(few["always_valid"] is NSNull && few["always_valid_refused"] is String)
    #expect(decision(try compare(Arm(users: 900, granted: 200), Arm(users: 900, granted: 700), days: 3)) == "too_early")
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
    #expect(decision(try compare(a, b)) == "keep_running")
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
