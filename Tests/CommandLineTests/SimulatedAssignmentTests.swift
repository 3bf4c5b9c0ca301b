// `permlog simulate --assignments` in every format: one comparison, with the numbers of the truth.

import Foundation
import Testing

@Suite struct SimulatedAssignmentTests {
  private static let options = ["--users", "3000", "--weeks", "8", "--seed", "4"]

  private struct Experiment {
    var name: String
    var permission: String
    var truth: [String: Any]
  }

  /// A simulation with its truth, in one format.
  private struct Simulated {
    let workspace: Workspace
    let asOf: String
    let experiments: [Experiment]

    init(_ format: String, _ more: [String] = []) throws {
      workspace = try Workspace()
      let made = try Tool.run(
        ["simulate", "--assignments", "--format", format, "--output", workspace.path("export"), "--truth"]
          + [workspace.path("truth.json")] + SimulatedAssignmentTests.options + more)
      #expect(made.status == 0, "\(made.errors)")
      let ingested = try Tool.run(
        ["ingest", workspace.path("export"), "--log", workspace.path("log"), "--summary", "json"])
      #expect(ingested.status == 0, "\(ingested.errors)")
      let summary = try SimulatedAssignmentTests.object(ingested.output)
      #expect(summary["rejected"] as? Int == 0, "\(format)")
      let truth = try SimulatedAssignmentTests.object(workspace.read("truth.json"))
      asOf = try #require(truth["as_of"] as? String)
      experiments = try #require(truth["experiments"] as? [[String: Any]]).map {
        Experiment(
          name: try #require($0["experiment"] as? String), permission: try #require($0["permission"] as? String),
          truth: $0)
      }
    }

    func compare(_ experiment: Experiment) throws -> Data {
      let result = try Tool.run([
        "compare", "A", "B", "--log", workspace.path("log"), "--as-of", asOf, "--format", "json", "--permission",
        experiment.permission, "--experiment", experiment.name,
      ])
      #expect(result.status == 0, "\(result.errors)")
      return result.output
    }
  }

  private static func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func everyFormGivesTheSameComparison() throws {
    let canonical = try Simulated("ndjson")
    #expect(canonical.experiments.count == 4)
    let expected = try canonical.experiments.map(canonical.compare)
    for format in ["csv", "amplitude", "mixpanel", "segment", "ga4", "posthog", "snowplow"] {
      let simulated = try Simulated(format)
      for (experiment, expected) in zip(canonical.experiments, expected) {
        #expect(try simulated.compare(experiment) == expected, "\(format), \(experiment.name)")
      }
      let listed = try Tool.run([
        "experiments", "--log", simulated.workspace.path("log"), "--as-of", simulated.asOf, "--format", "json",
      ])
      let all = try #require(try Self.object(listed.output)["experiments"] as? [[String: Any]])
      #expect(Set(all.compactMap { $0["experiment"] as? String }) == Set(canonical.experiments.map(\.name)))
      #expect(all.allSatisfy { $0["by_assignment"] as? Bool == true }, "\(format)")
    }
  }

  @Test(arguments: [[], ["--decided-before", "25"]]) func theNumbersAreThoseOfTheTruth(more: [String]) throws {
    let simulated = try Simulated("ndjson", more)
    for experiment in simulated.experiments {
      let compared = try Self.object(simulated.compare(experiment))
      let found = try #require(compared["assigned"] as? [String: Any])
      let known = try #require(experiment.truth["assigned"] as? [String: Any])
      let users = try #require(known["users"] as? [Int])
      #expect(users.reduce(0, +) == 3000)
      #expect(found["users"] as? [Int] == users, "\(experiment.name)")
      let exposed = try #require(known["exposed"] as? [Int])
      #expect(found["exposed"] as? [Int] == exposed, "\(experiment.name)")
      #expect(["a", "b"].map { (compared[$0] as? [String: Any])?["exposed"] as? Int } == exposed.map(Optional.some))
      // All calls of users who had decided before return at once.
      let notAsked = ["a", "b"].compactMap { (compared[$0] as? [String: Any])?["not_asked"] as? Int }
      let isDecided = ["notifications", "tracking"].contains(experiment.permission)
      #expect(notAsked.reduce(0, +) == (isDecided && !more.isEmpty ? 750 : 0), "\(experiment.name)")
      let (late, before) = (try #require(known["late"] as? Int), try #require(known["asked_before"] as? Int))
      #expect(late >= before)
      let cautions = compared["cautions"] as? [String] ?? []
      let words = before == 1 ? "1 user saw the prompt before" : "\(before) users saw the prompt before"
      #expect(before == 0 || cautions.contains { $0.hasPrefix(words) }, "\(before): \(cautions)")
    }
  }

  /// One draw: the always-valid intervals hold the true differences, and a real effect is found. Scripts/check-recovery
  /// counts it over many seeds.
  @Test func theTrueEffectIsFound() throws {
    let simulated = try Simulated("ndjson")
    for experiment in simulated.experiments {
      let compared = try Self.object(simulated.compare(experiment))
      let metrics = try #require(experiment.truth["metrics"] as? [[String: Any]])
      let grant = try #require(metrics.first { $0["metric"] as? String == "grant_rate" })
      let effect = try #require(grant["difference"] as? Double)
      let sequence = try #require(compared["always_valid"] as? [String: Any])
      let (low, high) = (try #require(sequence["low"] as? Double), try #require(sequence["high"] as? Double))
      #expect(low <= effect && effect <= high, "\(experiment.name)")
      if experiment.permission == "notifications" {
        #expect(compared["decision"] as? String == "b_wins")
        #expect((compared["sample_ratio"] as? [String: Any])?["mismatch"] as? Bool == false)
      }
    }
  }

  /// The small files that people can look into.
  @Test func everySampleGivesTheSameComparison() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("data/samples/experiment")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".md") }
      .sorted()
    #expect(names.count == 7)
    var answers: [String: Data] = [:]
    for name in names {
      let workspace = try Workspace()
      let ingested = try Tool.run(
        ["ingest", folder.appendingPathComponent(name).path, "--strict", "--log", workspace.path("log")])
      #expect(ingested.status == 0, "\(name): \(ingested.errors)")
      #expect(!ingested.text.contains("unmapped"), "\(name): \(ingested.text)")
      let compared = try Tool.run([
        "compare", "A", "B", "--experiment", "notification_copy_v1", "--permission", "notifications", "--as-of",
        "2026-02-05", "--format", "json", "--log", workspace.path("log"),
      ])
      #expect(compared.status == 0, "\(name): \(compared.errors)")
      answers[name] = compared.output
    }
    let canonical = try #require(answers["canonical.ndjson"])
    let assigned = try #require(try Self.object(canonical)["assigned"] as? [String: Any])
    #expect((assigned["users"] as? [Int])?.reduce(0, +) == 30)
    for (name, answer) in answers { #expect(answer == canonical, "\(name)") }
  }

  @Test func theOnboardingHasNoExperiments() throws {
    let result = try Tool.run(["simulate", "--assignments", "--onboarding"])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.contains("--assignments needs experiments, which --onboarding lacks: leave out"), "\(result.errors)"
    )
  }
}
