// `permlog simulate --settings-messages`: the comparison of each permission's Settings prompts finds the truth of the model.

import Foundation
import Testing

@Suite struct SimulatedSettingsMessagesTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func object(_ text: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
  }

  private func compare(_ log: String, _ permission: String, _ metric: String) throws -> [String: Any] {
    let words = ["compare", "A", "B", "--screen", "settings", "--permission", permission, "--metric", metric]
    let result = try Tool.run(words + ["--experiment", permission + "_settings_v1", "--log", log, "--format", "json"])
    #expect(result.status == 0, "\(permission): \(result.errors)")
    return try object(result.output)
  }

  @Test(arguments: [("ndjson", 7), ("posthog", 8)]) func comparisonsFindTheTruth(format: String, seed: Int) throws {
    let (file, log, truth) = (workspace.path("export"), workspace.path("log"), workspace.path("truth.json"))
    let simulated = try Tool.run(
      [
        "simulate", "--settings-messages", "--users", "12000", "--seed", "\(seed)", "--format", format, "--output",
        file,
      ]
        + ["--truth", truth])
    #expect(simulated.status == 0, "\(simulated.errors)")
    #expect(try Tool.run(["ingest", file, "--format", format, "--log", log]).status == 0)
    let truths = try #require(try object(workspace.read("truth.json"))["settings_experiments"] as? [[String: Any]])
    #expect(truths.count == 7)
    var compared = 0
    for one in truths {
      let permission = try #require(one["permission"] as? String)
      for metric in try #require(one["metrics"] as? [[String: Any]]) {
        let name = try #require(metric["metric"] as? String)
        let found = try compare(log, permission, name)
        for arm in ["a", "b"] {
          let counts = try #require(found[arm] as? [String: Any])
          let (x, n) = (counts["successes"] as? Int ?? 0, counts["trials"] as? Int ?? 0)
          guard n >= 30, let rate = metric[arm] as? Double else { continue }
          compared += 1
          // Nearly never further away, of some sixty numbers.
          let error = 4.5 * (rate * (1 - rate) / Double(n)).squareRoot()
          #expect(abs(Double(x) / Double(n) - rate) < error, "\(permission) \(name) \(arm): \(x) of \(n), \(rate)")
        }
      }
    }
    #expect(compared > 12, "\(compared)")
    let listed = try Tool.run(["experiments", "--log", log]).text
    #expect(listed.contains("notifications_settings_v1") && listed.contains("notification_copy_v1"))
  }

  /// The users do the same otherwise, up to the first Settings prompt.
  @Test func withoutItNoPromptHasAMessage() throws {
    let options = ["--users", "400", "--seed", "3"]
    func lines(_ more: [String]) throws -> [Substring] {
      try Tool.run(["simulate"] + options + more).text.split(separator: "\n")
    }
    let (plain, with) = (try lines([]), try lines(["--settings-messages"]))
    #expect(plain.allSatisfy { !$0.contains("_settings_v1") })
    let prompts = with.filter { $0.contains("\"settings_prompt_shown\"") }
    #expect(!prompts.isEmpty && prompts.allSatisfy { $0.contains("_settings_v1\"") && $0.contains("\"variant\":") })
    #expect(with.filter { $0.contains("_settings_v1") }.count == prompts.count)
    for other in ["--onboarding", "--assignments"] {
      let refused = try Tool.run(["simulate", "--settings-messages", other])
      #expect(refused.status == 64 && refused.errors.contains("--settings-messages does not go with"))
    }
  }
}
