// Files of no known form, as a user meets them: the refusal, the draft that it leads to, and what is left out.

import Foundation
import Testing

private let samples: String =
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("data/samples").path

@Suite struct UnknownFormCommandTests {
  /// The draft of a file, and what a check with it says.
  private func draftAndCheck(_ file: String, _ workspace: Workspace) throws -> (draft: String, check: ToolResult) {
    let draft = try Tool.run(["mapping", "draft", file])
    #expect(draft.status == 0 && draft.errors.isEmpty, "\(draft.errors)")
    let path = try workspace.write("draft.yaml", draft.text)
    return (draft.text, try Tool.run(["mapping", "check", file, "--mapping", path]))
  }

  @Test func aRefusalLeadsToADraftThatReadsTheFile() throws {
    let workspace = try Workspace()
    let file = try workspace.write(
      "my export.csv",
      """
      device_uuid,event_name,occurred_at
      8C1B0000-1111,push_permission_prompt_shown,2025-11-24T18:03:21Z
      8C1B0000-1111,push_permission_denied,2025-11-24T18:03:25Z

      """)
    let refused = try Tool.run(["ingest", file, "--log", workspace.path("log")])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("Its columns: device_uuid, event_name, occurred_at."))
    #expect(refused.errors.contains("To write a first mapping: permlog mapping draft '\(file)'"))
    let result = try draftAndCheck(file, workspace)
    #expect(result.draft.contains("  user: device_uuid   # guess: \"8C1B…\"\n"))
    #expect(result.check.text.contains("push_permission_denied        denied notifications        my export.csv:3\n"))
    #expect(result.check.text.contains("2 lines: 2 events, 0 not stored, 0 rejected"))
    let stored = try Tool.run([
      "ingest", file, "--mapping", workspace.path("draft.yaml"), "--log", workspace.path("log"),
    ])
    #expect(stored.status == 0 && stored.text.contains("new        2 events"))
  }

  @Test func linesWithNestedProperties() throws {
    let workspace = try Workspace()
    let lines = ["granted", "denied"].map {
      #"{"action":"push_permission_\#($0)","ts":1764007405,"install_id":"i-1","props":{"variant":"A"}}"# + "\n"
    }
    let result = try draftAndCheck(try workspace.write("a.jsonl", lines.joined()), workspace)
    #expect(result.check.text.contains("2 lines: 2 events, 0 not stored, 0 rejected"), "\(result.draft)")
  }

  @Test(arguments: [
    ("mappings/braze/custom_events.jsonl", "2 lines: 1 event, 1 not stored, 0 rejected"),
    ("mappings/onesignal/stream.jsonl", "2 lines: 1 event, 1 not stored, 0 rejected"),
    ("amplitude/export.zip", "3 lines: 3 events, 0 not stored, 0 rejected"),
    ("posthog/export.tar.gz", "3 lines: 2 events, 1 not stored, 0 rejected"),
    ("ga4/events_20251124-000000000000.json.gz", "3 lines: 3 events, 0 not stored, 0 rejected"),
  ])
  func samplesAreReadByTheirDrafts(_ file: String, _ counts: String) throws {
    let result = try draftAndCheck(samples + "/" + file, Workspace())
    #expect(
      result.check.status == 0 && result.check.text.contains(counts), "\(result.check.text)\(result.check.errors)")
  }

  @Test func aDraftOfNothing() throws {
    let workspace = try Workspace()
    let prose = try Tool.run(["mapping", "draft", try workspace.write("a.txt", "Hello there\n")])
    #expect(prose.status == 2 && prose.errors.contains("it begins neither like JSON nor like a table with a heading"))
    #expect(try Tool.run(["mapping", "draft", workspace.path("none.csv")]).status == 1)
    let piped = try Tool.run(["mapping", "draft", "-"], input: Data("uid,ts\n1,1764007405\n".utf8))
    #expect(piped.status == 0 && piped.text.contains("  user: uid   # guess: \"1\""))
  }

  @Test func aTextLogIsRefusedWithTheNextStep() throws {
    let workspace = try Workspace()
    let prefix = "Mar  2 10:00:00 host app[17]: "
    let json = ["granted", "denied"].map {
      #"{"user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"\#($0)","permission":"camera"}"#
    }
    let log = try workspace.write("app.log", json.map { prefix + "INFO event " + $0 + "\n" }.joined())
    for command in [["ingest", log, "--log", workspace.path("log")], ["mapping", "draft", log]] {
      let refused = try Tool.run(command)
      #expect(
        refused.status == 2 && refused.errors.contains("sed 's/^[^{]*//' LOG > events.ndjson"), "\(refused.errors)")
    }
    // The step leads somewhere.
    try workspace.write("events.ndjson", json.map { $0 + "\n" }.joined())
    let cut = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
      String(line[(line.firstIndex(of: "{") ?? line.startIndex)...])
    }
    #expect(cut == json)
    #expect(try Tool.run(["ingest", workspace.path("events.ndjson"), "--log", workspace.path("log")]).status == 0)
    let words = try workspace.write(
      "words.log", "2026-03-02 10:00:00.123 [main] INFO user u1 denied push\n[10:00:01] WARN user u2 granted push\n")
    let sentences = try Tool.run(["mapping", "draft", words])
    #expect(
      sentences.status == 2 && sentences.errors.contains("write each event as one line of JSON, like {\"user_id\""))
  }

  @Test func skippedFilesStandInBothSummaries() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    try FileManager.default.createDirectory(
      at: workspace.url.appendingPathComponent("in"), withIntermediateDirectories: true)
    try workspace.write("in/a.ndjson", line)
    for i in 0..<6 { try workspace.write("in/note-\(i).md", "x\n") }
    let ingest = ["ingest", workspace.path("in"), "--log", workspace.path("log")]
    let text = try Tool.run(ingest)
    #expect(text.status == 0 && text.text.contains("read       1 line in 1 file\nskipped    6 files: "))
    #expect(text.text.contains("note-4.md (not a file that permlog reads), and 1 more\n"))
    let json = try Tool.run(ingest + ["--summary", "json", "--again"])
    #expect(json.text.hasPrefix(#"{"files": 1, "skipped_files": 6, "lines": 1, "#))
    #expect(json.errors.contains("skipped 6 files: "))
    let check = try Tool.run(["mapping", "check", workspace.path("in")])
    #expect(check.status == 0 && check.errors.contains("skipped 6 files: "))
    try workspace.write("in/b.csv", "uid,what\n1,a\n2,b\n")
    let refused = try Tool.run(ingest)
    #expect(refused.status == 2 && refused.errors.contains("move it elsewhere to leave it out"))
  }
}
