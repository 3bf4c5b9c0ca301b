// Grants that users keep: as the metric of a comparison, and as the guardrail that a comparison of grants has by itself.

import Foundation
import Testing

@Suite struct KeptGrantTests {
  typealias Group = Experiment.Group

  /// B wins more grants than A, and loses half of them again within 28 days.
  private func losing() throws -> Experiment {
    try Experiment([Group("A", 2000, granted: 900).losing(20), Group("B", 2000, granted: 1200).losing(600)])
  }

  private func guardrails(_ comparison: [String: Any]) throws -> [[String: Any]] {
    try #require(comparison["guardrails"] as? [[String: Any]])
  }

  @Test func grantsThatAreLostAgainMakeAWinAReview() throws {
    let experiment = try losing()
    let comparison = try experiment.compare()
    #expect(comparison["decision"] as? String == "review")
    let reasons = try #require(comparison["reasons"] as? [String])
    #expect(
      reasons.first
        == "The automatic guardrail is harmed: the share kept by day 28 falls by more than 1.00 point.", "\(reasons)")
    let guardrail = try #require(try guardrails(comparison).first)
    #expect(try guardrails(comparison).count == 1 && guardrail["automatic"] as? Bool == true)
    #expect(guardrail["metric"] as? String == "kept_by_day_28" && guardrail["margin"] as? Double == 0.01)
    #expect(guardrail["state"] as? String == "harmed")
    #expect(comparison.at("guardrails", 0, "a", "successes") as? Int == 880)
    #expect(comparison.at("guardrails", 0, "b", "successes") as? Int == 600)
    #expect(comparison.at("guardrails", 0, "b", "trials") as? Int == 2000)
    let text = try experiment.run(["A", "B"], ["--full"]).text
    #expect(text.contains("REVIEW: B won") && text.contains("kept by day 28 (automatic) HARMED"), "\(text)")
  }

  @Test func itsMarginIsTheSmallestEffectThatMatters() throws {
    let comparison = try losing().compare(["A", "B"], ["--minimum-effect", "30"])
    #expect(comparison["decision"] as? String == "b_wins")
    #expect(comparison.at("guardrails", 0, "margin") as? Double == 0.3)
    #expect(comparison.at("guardrails", 0, "state") as? String == "safe")
  }

  @Test func aGuardrailThatWasAskedForStandsInstead() throws {
    let experiment = try losing()
    let comparison = try experiment.compare(["A", "B"], ["--guardrail", "kept_by_day_28:30"])
    #expect(comparison["decision"] as? String == "b_wins")
    #expect(try guardrails(comparison).count == 1)
    #expect(comparison.at("guardrails", 0, "automatic") as? Bool == false)
    #expect(comparison.at("guardrails", 0, "state") as? String == "safe")
    // Others stand beside it, before it.
    let both = try guardrails(try experiment.compare(["A", "B"], ["--guardrail", "deny_rate:1"]))
    #expect(both.map { $0["metric"] as? String } == ["deny_rate", "kept_by_day_28"])
    #expect(both.map { $0["automatic"] as? Bool } == [false, true])
  }

  @Test func untilUsersAreFollowedItIsOpenAndTakesNoWinBack() throws {
    let asOf = ["--as-of", "\((Experiment.start + 20 * Experiment.day) / 1000)"]
    let date = Date(timeIntervalSince1970: Double(asOf[1]) ?? 0).formatted(.iso8601)
    let comparison = try losing().compare(["A", "B"], ["--as-of", date])
    #expect(comparison["decision"] as? String == "b_wins")
    #expect(comparison.at("guardrails", 0, "state") as? String == "undecided")
    #expect(comparison.at("guardrails", 0, "b", "trials") as? Int == 0)
    let reasons = try #require(comparison["reasons"] as? [String])
    #expect(
      reasons.contains {
        $0 == "Automatic guardrail: the share kept by day 28 is not yet shown to be safe (margin 1.00 point)."
      }, "\(reasons)")
  }

  @Test func onlyAComparisonOfGrantsHasIt() throws {
    let experiment = try losing()
    for metric in ["granted_by_day_28", "deny_rate", "kept_by_day_28"] {
      #expect(try guardrails(try experiment.compare(["A", "B"], ["--metric", metric])).isEmpty, "\(metric)")
    }
    let versions = try Experiment([
      Group("A", 300, granted: 200).losing(100).on(platform: "ios"),
      Group("A", 300, granted: 250).losing(200).on(platform: "android"),
    ])
    let ofPlatforms = try versions.compare(["ios", "android"], ["--property", "platform"])
    #expect(try guardrails(ofPlatforms).isEmpty)
  }

  @Test func keptGrantsAreAMetricOfTheirOwn() throws {
    let comparison = try losing().compare(["A", "B"], ["--metric", "kept_by_day_28"])
    #expect(comparison["decision"] as? String == "a_wins")
    #expect(comparison.at("a", "successes") as? Int == 880 && comparison.at("b", "successes") as? Int == 600)
    #expect(comparison.at("a", "trials") as? Int == 2000)
    // The first users count at t0 + W + H: nothing is decided before the seventh day of such users.
    let day = try #require(comparison["decided_on"] as? String)
    #expect(day >= "2026-03-02", "\(day)")
  }

  /// Revoked at the last moment of the follow-up, a moment later, checked without a denial, and turned on again.
  @Test func aGrantIsKeptForTheWholeFollowUp() throws {
    let workspace = try Workspace()
    let (start, day) = (Experiment.start, Experiment.day)
    func line(_ user: String, _ time: Int, _ kind: String, status: String? = nil, variant: String = "A") -> String {
      let status = status.map { #","status":"\#($0)""# } ?? ""
      return
        #"{"user_id":"\#(user)","timestamp":\#(time),"event":"\#(kind)","permission":"camera","variant":"\#(variant)"\#(status)}"#
    }
    let answered = start + 5000
    let end = answered + 28 * day
    var lines: [String] = []
    for (user, time, kind, status) in [
      ("at the end", end, "revoked", nil), ("after it", end + 1, "revoked", nil),
      ("checked off", answered + 1, "status_checked", "denied"),
      ("checked on", answered + day, "status_checked", "authorized"),
      ("checked later", end + 1, "status_checked", "denied"),
      ("not decided", answered + day, "status_checked", "not_determined"),
      ("restricted", answered + day, "status_checked", "restricted"),
      ("at once", answered, "revoked", nil),
    ] as [(String, Int, String, String?)] {
      lines.append(line(user, start, "prompt_shown"))
      lines.append(line(user, answered, "granted"))
      lines.append(line(user, time, kind, status: status))
    }
    // Off and on again: it was not kept.
    lines += [line("back", start, "prompt_shown"), line("back", answered, "granted")]
    lines += [line("back", answered + day, "revoked"), line("back", answered + 2 * day, "re_enabled")]
    // Denied and enabled later: no kept grant. And nobody's answer.
    lines += [line("later", start, "prompt_shown"), line("later", answered, "denied")]
    lines += [line("later", answered + day, "re_enabled"), line("left", start, "prompt_shown")]
    for variant in ["B"] {
      lines += [
        line("other", start, "prompt_shown", variant: variant), line("other", answered, "granted", variant: variant),
      ]
    }
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    func arm(_ asOf: Int) throws -> [Int?] {
      let date = Date(timeIntervalSince1970: Double(asOf) / 1000).formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
      let result = try Tool.run([
        "compare", "A", "B", "--permission", "camera", "--log", log, "--metric", "kept_by_day_28", "--format", "json",
        "--as-of", date,
      ])
      #expect(result.status == 0, "\(result.errors)")
      let json = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
      return ["successes", "trials"].map { json.at("a", $0) as? Int }
    }
    let settled = start + 30 * 60_000 + 28 * day
    #expect(try arm(settled) == [6, 11])
    // A moment earlier nobody counts, whatever happened.
    #expect(try arm(settled - 1) == [0, 0])
  }

  @Test func withoutRevocationsItIsUnknownAndNoGuardrail() throws {
    let experiment = try Experiment([Group("A", 2000, granted: 900), Group("B", 2000, granted: 1200)])
    let comparison = try experiment.compare()
    #expect(comparison["decision"] as? String == "b_wins")
    #expect(try guardrails(comparison).isEmpty)
    let secondary = try #require(comparison["secondary"] as? [[String: Any]])
    let kept = try #require(secondary.first { $0["metric"] as? String == "kept_by_day_28" })
    #expect(kept["a"] is NSNull && kept["b"] is NSNull && kept["p_value"] is NSNull)
    let refused = try experiment.run(["A", "B"], ["--metric", "kept_by_day_28"])
    #expect(
      refused.status == 64
        && refused.errors.contains(
          "this log has no revoked or status_checked events of the permission, so kept_by_day_28 is unknown"),
      "\(refused.errors)")
    let asked = try experiment.compare(["A", "B"], ["--guardrail", "kept_by_day_28:1"])
    #expect(asked["decision"] as? String == "b_wins" && asked.at("guardrails", 0, "a") is NSNull)
    #expect(asked.at("guardrails", 0, "automatic") as? Bool == false)
    #expect(asked.at("guardrails", 0, "reason") is String)
  }

  /// The plan fixes it by its metric and its smallest effect, or names another margin.
  @Test func aPlannedDecisionHasItToo() throws {
    let experiment = try losing()
    let log = try experiment.log()
    func decided(_ options: [String], _ name: String) throws -> [String: Any] {
      let path = experiment.workspace.path(name)
      let saved = try Tool.run(
        [
          "plan", "A", "B", "--permission", "camera", "--baseline", "45", "--effect", "5", "--minimum-effect", "2",
          "--log", log, "--save", path,
        ] + options)
      #expect(saved.status == 0, "\(saved.errors)")
      let plan = String(decoding: try experiment.workspace.read(name), as: UTF8.self)
      try experiment.workspace.write(
        name, plan.replacing(/"saved_at": "[^"]*"/, with: #""saved_at": "2026-01-20T00:00:00.000Z""#))
      let result = try Tool.run(["compare", "--plan", path, "--log", log, "--format", "json"])
      #expect(result.status == 0, "\(result.errors)")
      return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    }
    let automatic = try decided([], "plain.json")
    #expect(automatic["decision"] as? String == "review")
    #expect(automatic.at("guardrails", 0, "margin") as? Double == 0.02)
    #expect(automatic.at("guardrails", 0, "automatic") as? Bool == true)
    #expect((automatic.at("plan", "guardrails") as? [Any])?.isEmpty == true)
    let named = try decided(["--guardrail", "kept_by_day_28:30"], "named.json")
    #expect(named["decision"] as? String == "b_wins")
    #expect(try guardrails(named).map { $0["automatic"] as? Bool } == [false])
  }

  @Test func aListOfExperimentsDecidesAlike() throws {
    let experiment = try losing()
    _ = try experiment.log()
    let lines = String(decoding: try experiment.workspace.read("a.ndjson"), as: UTF8.self)
      .replacing(#""variant":"#, with: #""experiment":"copy","variant":"#)
    let log = experiment.workspace.path("named")
    let file = try experiment.workspace.write("named.ndjson", lines)
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let result = try Tool.run(["experiments", "--log", log, "--format", "json"])
    #expect(result.status == 0 && result.text.contains(#""decision": "review""#), "\(result.text)")
  }
}
