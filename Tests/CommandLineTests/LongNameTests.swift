// Names and lists of any length in what the tool says: cut, with their size.

import Foundation
import Testing

@Suite struct LongNameTests {
  @Test("a name of 40 kB is cut in every message that quotes it")
  func names() throws {
    let workspace = try Workspace()
    let name = String(repeating: "n\u{301}", count: 13_000)
    let log = workspace.path("log")
    let line =
      #"{"event_id":"a","user_id":"u","timestamp":"2026-01-05T10:00:00Z","event":"prompt_shown","permission":"camera"}"#
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", log], input: Data(line.utf8)).status == 0)
    let map = try workspace.write("map.yaml", "extends: posthog\nrules:\n  - event: a\n    kind: \(name)\n")
    let file = try workspace.write("rows.ndjson", line + "\n")
    for arguments in [
      ["report", "--time-zone", name], ["report", "--permission", name], ["report", "--week", name],
      ["report", "--" + name],
      ["compare", name, "b"], ["compare", "a", "b", "--metric", name], ["mapping", "show", name], [name],
      ["mapping", "check", file, "--mapping", map], ["ingest", file, "--state", name],
      ["ingest", file, "--format", name],
    ] {
      let result = try Tool.run(arguments + (arguments[0] == "mapping" || arguments.count == 1 ? [] : ["--log", log]))
      #expect(result.status == 64, "\(arguments.map { $0.prefix(20) }): \(result.errors.prefix(300))")
      #expect(result.errors.utf8.count < 4000, "\(arguments.map { $0.prefix(20) }): \(result.errors.utf8.count)")
      #expect(result.errors.contains("bytes"), "\(arguments.map { $0.prefix(20) }): \(result.errors.prefix(300))")
    }
  }

  @Test("a list of all permissions of a log ends after 20, and says where the others are")
  func lists() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let lines = (0..<3000).map {
      #"{"event_id":"a\#($0)","user_id":"u\#($0)","timestamp":"2026-01-05T10:00:00Z","event":"prompt_shown","permission":"custom_\#($0)","variant":"\#($0 % 2)"}"#
    }
    let ingest = try Tool.run(
      ["ingest", "-", "--quiet", "--allow-custom-permissions", "--log", log],
      input: Data(lines.joined(separator: "\n").utf8))
    #expect(ingest.status == 0, "\(ingest.errors)")
    let result = try Tool.run(["compare", "0", "1", "--log", log])
    #expect(result.status == 64 && result.errors.utf8.count < 1000, "\(result.errors.prefix(500))")
    #expect(result.errors.contains("and 2980 more (`permlog info` lists them)"), "\(result.errors.prefix(500))")
  }
}
