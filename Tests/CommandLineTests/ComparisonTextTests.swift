// The comparison as a person reads it.

import Foundation
import Testing

@Suite struct ComparisonTextTests {
  private func experiment() throws -> Experiment {
    try Experiment([
      Experiment.Group("A", 700, granted: 330, left: 20).on(platform: "ios"),
      Experiment.Group(Self.long, 700, granted: 430, left: 20).on(platform: "ipados"),
    ])
  }

  private static let long = "B with \u{9B}31m a name that goes on" + String(repeating: " and on", count: 30)
  private let variants = ["A", long]

  @Test(arguments: [60, 80, 100, 120]) func noLineIsWiderThanTheTerminal(width: Int) throws {
    let options = [
      "--by", "platform", "--explain", "--guardrail", "drop_off_rate:2", "--looks", "3", "--planned-n", "1400",
    ]
    let experiment = try experiment()
    let log = try experiment.log()
    for ascii in [[], ["--ascii"]] {
      let result = try Tool.run(
        ["compare"] + variants + ["--permission", "camera", "--log", log] + options + ascii,
        environment: ["COLUMNS": "\(width)"])
      #expect(result.status == 0, "\(result.errors)")
      for line in result.text.split(separator: "\n") {
        #expect(line.count <= width, "\(line.count): \(line)")
        #expect(line.last != " ", "\(line)")
      }
      #expect(!result.text.unicodeScalars.contains("\u{9B}"))
      if !ascii.isEmpty { #expect(result.text.utf8.allSatisfy { $0 < 0x80 }) }
    }
  }

  @Test func theVerdictComesFirstAndTheIntervalIsDrawnAroundZero() throws {
    let experiment = try Experiment([.init("A", 700, granted: 330), .init("B", 700, granted: 430)])
    let lines = try experiment.run(["A", "B"], ["--full"]).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "camera: B against A, grant rate")
    #expect(lines[3] == "B WON on 2026-02-08 (day 7): take B.")
    let drawing = try #require(lines.first { $0.contains("●") && !$0.contains("points") })
    let places = ["│", "├", "●", "┤"].map { sign in drawing.firstIndex(of: Character(sign)) }
    let known = try places.map { try #require($0) }
    #expect(known == known.sorted())
  }

  @Test func explainNamesAMethodAFormulaAndASourceForEachFigure() throws {
    let experiment = try Experiment([.init("A", 700, granted: 330), .init("B", 700, granted: 430)])
    let comparison = try experiment.compare(
      ["A", "B"], ["--explain", "--guardrail", "deny_rate:1", "--by", "platform"])
    let entries = try #require(comparison["explain"] as? [[String: Any]])
    #expect(entries.count >= 15)
    for entry in entries {
      for key in ["figure", "value", "method", "formula", "source", "limits"] {
        #expect((entry[key] as? String)?.isEmpty == false, "\(entry["figure"] ?? ""): \(key)")
      }
    }
    #expect(try experiment.compare()["explain"] is NSNull)
  }

  @Test func unknownNumbersAreNeverZero() throws {
    let experiment = try Experiment([.init("A", 3, granted: 0), .init("B", 2, granted: 2)])
    let text = try experiment.run(["A", "B"], ["--full"]).text
    #expect(text.contains("TOO EARLY") && text.contains("A has no successes"))
    let comparison = try experiment.compare()
    #expect(comparison["ratio"] is NSNull && comparison["always_valid"] is NSNull)
    #expect(comparison.at("exact_sequence", "low") is Double)
    #expect((comparison.at("novelty", "slope_per_day")) is NSNull)
  }
}
