// When an ingest stores nothing, and how it says so: nothing understood, too many rejected, nothing new.

import Foundation
import Testing

@Suite struct RefusedIngestTests {
  private static func line(_ n: Int, event: String = "granted") -> String {
    #"{"event_id":"e\#(n)","user_id":"u\#(n)","timestamp":"2026-03-02T10:00:00Z","event":"\#(event)","permission":"camera"}"#
      + "\n"
  }

  @Test func aRunThatUnderstoodNothingStoresNothingAndSaysSo() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let rejected = try Tool.run([
      "ingest", try workspace.write("a.ndjson", Self.line(1, event: "y") + Self.line(2, event: "x")), "--log",
      log,
    ])
    #expect(rejected.status == 2)
    #expect(rejected.errors.contains("2 lines were read and none was understood (2 rejected): nothing was stored."))
    #expect(rejected.errors.contains("2 lines: event is not a known kind, first at \(workspace.path("a.ndjson")):1"))
    let unmapped = try workspace.write(
      "b.json",
      VendorLine.make("segment", id: 1, user: "d", seconds: 1_772_445_600, name: "Purchase", properties: []) + "\n")
    let result = try Tool.run(["ingest", unmapped, "--log", log])
    #expect(result.status == 2 && result.errors.contains("(1 with names that are not mapped): nothing was stored."))
    #expect(try Tool.run(["export", "--log", log]).text == "")
  }

  @Test func nothingNewIsNoFault() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", Self.line(1))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let again = try Tool.run(["ingest", file, "--log", log])
    #expect(again.status == 0 && again.text.contains("Nothing new was stored: the log already has these events."))
    let empty = try Tool.run(["ingest", try workspace.write("empty", ""), "--log", log])
    #expect(empty.status == 0 && empty.text.contains("Nothing was stored: the files have no lines."))
    #expect(try Tool.run(["erase", "--user", "u1", "--log", log]).status == 0)
    let erased = try Tool.run(["ingest", file, "--log", log])
    #expect(
      erased.status == 0
        && erased.text.contains("Nothing was stored: all events belong to erased users or have expired."))
  }

  @Test func moreRejectedThanAllowedStoresNothing() throws {
    let workspace = try Workspace()
    let good = (0..<99).map { Self.line($0) }.joined()
    let file = try workspace.write("a.ndjson", good + Self.line(100, event: "x"))
    for (limit, isStored) in [("1%", true), ("0.5%", false), ("1", true), ("0", false), ("100%", true)] {
      let log = workspace.path("log-\(limit)")
      let result = try Tool.run(["ingest", file, "--log", log, "--max-rejected", limit])
      #expect(result.status == (isStored ? 0 : 2), "\(limit)")
      let count = try Tool.run(["export", "--log", log]).text.split(separator: "\n").count
      #expect(count == (isStored ? 99 : 0), "\(limit)")
      if !isStored { #expect(result.errors.contains("more than --max-rejected \(limit): nothing was stored")) }
    }
    for wrong in ["101%", "-1", "a", "%", "nan%"] {
      #expect(
        try Tool.run(["ingest", file, "--log", workspace.path("x"), "--max-rejected=\(wrong)"]).status == 64, "\(wrong)"
      )
    }
  }

  @Test func answersOfOneSideAloneAreSaidLoudly() throws {
    let workspace = try Workspace()
    func ingest(_ name: String, _ lines: String) throws -> String {
      try Tool.run(["ingest", try workspace.write(name, lines), "--log", workspace.path("log-" + name)]).errors
    }
    let fifty = (0..<50).map { Self.line($0) }.joined()
    #expect(try ingest("a", fifty).contains("WARNING: for camera, these files have 50 granted and no denied."))
    #expect(try !ingest("b", fifty + Self.line(60, event: "denied")).contains("WARNING"))
    #expect(try !ingest("c", (0..<49).map { Self.line($0) }.joined()).contains("WARNING"))
    let denied = (0..<50).map { Self.line($0, event: "denied") }.joined()
    #expect(try ingest("d", denied).contains("WARNING: for camera, these files have 50 denied and no granted."))
  }

  @Test func mappingCheckNeverCallsLinesFineThatFail() throws {
    let workspace = try Workspace()
    let check = try Tool.run(["mapping", "check", try workspace.write("a.ndjson", Self.line(1, event: "x"))])
    #expect(!check.text.contains("without a mapping"))
    #expect(check.text.contains("1 line: 0 events, 0 not stored, 1 rejected"))
    let mixed = try Tool.run([
      "mapping", "check", try workspace.write("b.ndjson", Self.line(1) + Self.line(2, event: "Granted")),
    ])
    #expect(mixed.text.contains("1 event with a kind, permission or status in another spelling"))
  }

  @Test func mappingCheckShowsTheButtonThatDecided() throws {
    let workspace = try Workspace()
    let lines = ["Allow", "Don’t Allow"].enumerated().map { n, title in
      VendorLine.make(
        "segment", id: n, user: "d\(n)", seconds: 1_772_445_600, name: "Camera Permission Prompt Answered",
        properties: [("button", title)]) + "\n"
    }
    let check = try Tool.run(["mapping", "check", try workspace.write("a.json", lines.joined())])
    #expect(check.text.contains("button=Allow") && check.text.contains("button=Don’t Allow"))
    #expect(check.text.contains("granted camera") && check.text.contains("denied camera"))
  }

  @Test func anErasedIDIsFoundWithAndWithoutItsBlanks() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let text = #"{"user_id":" u1 ","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    let file = try workspace.write("a.ndjson", text + Self.line(2))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    #expect(try Tool.run(["export", "--log", log]).text.contains(#""user_id":"u1""#))
    #expect(try Tool.run(["erase", "--user", " u1 ", "--log", log]).status == 0)
    #expect(try !Tool.run(["export", "--log", log]).text.contains("u1"))
    #expect(try Tool.run(["ingest", file, "--log", log]).text.contains("erased     1 event"))
    #expect(try Tool.run(["ingest", file, "--log", log, "--keep-ids"]).text.contains("erased     1 event"))
  }
}
