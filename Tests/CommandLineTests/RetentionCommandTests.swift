// A rule for old events, on the command line: an ingest applies it, and says so.

import Foundation
import Testing

@Suite struct RetentionCommandTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
  }

  private func file(_ name: String, daysAgo: [Int]) throws -> String {
    let format = ISO8601DateFormatter()
    let lines = daysAgo.map { days in
      let time = format.string(from: Date(timeIntervalSinceNow: -86_400 * Double(days)))
      return #"{"user_id":"u\#(days)","timestamp":"\#(time)","event":"granted","permission":"camera"}"# + "\n"
    }
    return try workspace.write(name, lines.joined())
  }

  private func run(_ arguments: [String]) throws -> ToolResult { try Tool.run(arguments + ["--log", log]) }

  @Test func anIngestAppliesTheRule() throws {
    #expect(try run(["ingest", file("a", daysAgo: [1, 50, 100, 200])]).status == 0)
    let dry = try run(["expire", "--keep", "90d", "--dry-run"])
    #expect(dry.status == 0 && dry.text.contains("would remove 2 events before "), "\(dry.text)")
    let set = try run(["expire", "--keep", "90d"])
    #expect(
      set.text.hasPrefix("the log keeps events for 90 days from now on\nremoved 2 events before 20"), "\(set.text)")
    #expect(set.text.hasSuffix(": the log keeps 90 days\n"), "\(set.text)")
    let late = try run(["ingest", file("b", daysAgo: [2, 120]), "--summary", "json"])
    #expect(late.text.contains(#""new": 1"#) && late.text.contains(#""retention": null"#), "\(late.text)")
    #expect(late.text.contains(#""erased": 1"#), "\(late.text)")
    // A stricter rule, and the next ingest: as if days had passed.
    let manifest = try run(["info"])
    #expect(manifest.text.contains("keeps       events for 90 days, by a rule"), "\(manifest.text)")
    #expect(try run(["info", "--format", "json"]).text.contains(#""keep": "90d""#))
    #expect(try run(["expire", "--keep", "40d"]).text.contains("removed 1 event before"))
    // A longer rule does not bring back what a shorter one removed, and says so.
    let longer = try run(["expire", "--keep", "2y"])
    #expect(longer.text.contains("were removed earlier and stay out; to let them in"), "\(longer.text)")
    let refused = try run(["expire", "--readmit"])
    #expect(refused.status == 64 && refused.errors.contains("End the rule first"), "\(refused.errors)")
    #expect(try run(["expire", "--keep", "none"]).text.contains("no rule for old events"))
    #expect(try run(["expire", "--readmit"]).status == 0)
    #expect(try !run(["info"]).text.contains("keeps "))
  }

  @Test func aLogOfOldEventsAloneIsNotEmptied() throws {
    #expect(try run(["ingest", file("a", daysAgo: [500, 600])]).status == 0)
    let set = try run(["expire", "--keep", "13mo", "--quiet"])
    #expect(
      set.status == 0 && set.errors.contains("WARNING: all events of the log are older than 13 months"), "\(set.errors)"
    )
    #expect(set.text.isEmpty)
    #expect(try run(["info"]).text.contains("by a rule (permlog expire --keep); older events are still there\n"))
    let dry = try run(["expire", "--keep", "13mo", "--dry-run"])
    #expect(
      dry.text == "would remove no event\nnothing was changed\n" && dry.errors.contains("WARNING: all events"),
      "\(dry.text)")
    let next = try run(["ingest", file("b", daysAgo: [700]), "--quiet"])
    #expect(next.errors.contains("WARNING: all events of the log are older"), "\(next.errors)")
    #expect(try run(["export"]).text.split(separator: "\n").count == 3)
    // With new events there is nothing to doubt.
    #expect(try run(["ingest", file("c", daysAgo: [1])]).status == 0)
    #expect(try run(["compact"]).text.contains("removed 3 events before"))
  }

  @Test func wrongSpansAreRefused() throws {
    #expect(try run(["ingest", file("a", daysAgo: [1])]).status == 0)
    for arguments in [
      ["--keep", "13"], ["--keep", "0d"], ["--keep", "200y"], ["--keep", "13mo", "--before", "2026-01-01"],
      ["--keep", "13mo", "--readmit"], ["--keep", "none", "--dry-run"],
      ["--keep", "1y", "--time-zone", "Europe/Berlin"],
    ] {
      let result = try run(["expire"] + arguments)
      #expect(result.status == 64 && result.errors.contains("--"), "\(arguments): \(result.errors)")
    }
  }
}
