// Readings that are corrected later: --replace, the warning of copies that contradict, and ids of events that are hidden with the users'.

import Foundation
import ReportOracle
import Testing

@Suite struct ReplaceTests {
  private func mapping(_ rules: [String: String]) -> String {
    let list = rules.sorted { $0.key < $1.key }.map { name, kind in
      "  - {event: \(name), kind: \(kind)\(kind == "ignore" ? "" : ", permission: camera")}"
    }
    return """
      name: mine
      record: {recognise: [/ev, /u], event: /ev, user: /u, time: /t, id: /id, link: {event: link, from: /u, with: /other}}
      usual_spellings: false
      rules:
      \(list.joined(separator: "\n"))
      """
  }

  private func summary(_ result: ToolResult) throws -> [String: Int] {
    let object = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    return object.compactMapValues { $0 as? Int }
  }

  @Test(arguments: TestSeeds.some(Array(UInt64(1)...10)))
  func aCorrectedReadingGivesTheLogOfAFreshIngest(seed: UInt64) throws {
    let workspace = try Workspace()
    var random = LinkedIDTests.Random(seed: seed)
    let kinds = ["granted", "denied", "skipped", "prompt_shown", "ignore"]
    func rules() -> [String: String] {
      Dictionary(uniqueKeysWithValues: (0..<4).map { ("e\($0)", $0 == 3 ? "granted" : kinds[random.below(5)]) })
    }
    let (before, after) = (
      try workspace.write("a.yaml", mapping(rules())), try workspace.write("b.yaml", mapping(rules()))
    )
    var files = [[String](), [String]()]
    for number in 0..<80 {
      let user = "user-\(random.below(6) + 1)"
      let line =
        #"{"ev":"e\#(random.below(4))","u":"\#(user)","t":\#(1_772_445_600_000 + random.below(99) * 60_000),"id":"i\#(number)"}"#
      files[number % 2].append(line)
      if number % 9 == 0 { files[number % 2].append(line) }
    }
    if seed % 2 == 0 { files[1].append(#"{"ev":"link","u":"user-1","t":1772445600000,"other":"user-4"}"#) }
    let paths = try files.enumerated().map { try workspace.write("f\($0).ndjson", $1.joined(separator: "\n") + "\n") }
    let (log, fresh) = (workspace.path("log"), workspace.path("fresh"))
    func ingest(_ path: String, _ mapping: String, _ log: String, _ options: [String] = []) throws -> ToolResult {
      try Tool.run(["ingest", path, "--mapping", mapping, "--summary", "json", "--quiet", "--log", log] + options)
    }
    for path in paths { #expect(try ingest(path, before, log).status == 0) }
    for path in paths.reversed() {
      let found = try summary(ingest(path, after, log, ["--replace"]))
      // Every line is one of these.
      let parts = ["new", "duplicates", "erased", "unmapped_events", "rejected"].map { found[$0] ?? .min }
      #expect(found["lines"] == parts.reduce(0, +), "seed \(seed): \(found)")
    }
    for path in paths { #expect(try ingest(path, after, fresh).status == 0) }
    let exports = try [log, fresh].map { try Tool.run(["export", "--log", $0]).text }
    #expect(exports[0] == exports[1], "seed \(seed)")
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    // Once more changes nothing.
    let again = try summary(ingest(paths[0], after, log, ["--replace"]))
    #expect(again["replaced"] == 0 && again["withdrawn"] == 0, "seed \(seed): \(again)")
  }

  private static let event =
    #"{"event_id":"e1","user_id":"u1","timestamp":1772445600000,"event":"granted","permission":"camera"}"#

  @Test func copiesThatContradictAreAWarningWithExamplesAndTheWayOut() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    func ingest(_ line: String, _ options: [String] = []) throws -> ToolResult {
      try Tool.run(["ingest", "-", "--quiet", "--log", log] + options, input: Data((line + "\n").utf8))
    }
    #expect(try ingest(Self.event).errors.isEmpty)
    // Another version of the app is another content, and tells of the same.
    let sameAnswer = Self.event.replacingOccurrences(of: "}", with: #","app_version":"2"}"#)
    #expect(try !ingest(sameAnswer).errors.contains("WARNING"))
    let denied = Self.event.replacingOccurrences(of: "granted", with: "denied")
    let warned = try ingest(denied).errors
    #expect(warned.contains("WARNING: 1 copy differs in kind") && warned.contains("--replace"), "\(warned)")
    #expect(warned.contains(#"kept: {"event_id":"e1""#) && warned.contains(#""event":"denied""#), "\(warned)")
    #expect(try Tool.run(["export", "--log", log]).text.contains("granted"))
    _ = try ingest(denied, ["--replace"])
    #expect(try Tool.run(["export", "--log", log]).text.contains("denied"))
    #expect(try Tool.run(["info", "--log", log]).text.contains("events      1\n"))
  }

  @Test func rowsWithoutAnIDReplaceNothing() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let line = #"{"user_id":"u1","timestamp":1772445600000,"event":"granted","permission":"camera"}"# + "\n"
    func ingest(_ options: [String], _ log: String) throws -> ToolResult {
      try Tool.run(["ingest", "-", "--quiet", "--log", log] + options, input: Data(line.utf8))
    }
    #expect(try ingest([], log).status == 0)
    let refused = try ingest(["--replace"], log)
    #expect(refused.status == 2 && refused.errors.contains("--into-new-log"), "\(refused.errors)")
    #expect(try ingest(["--into-new-log"], log).status != 0)
    #expect(try ingest(["--into-new-log"], workspace.path("new")).status == 0)
  }

  @Test func idsOfEventsAreHiddenWithTheUsers() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let key = try workspace.write("key", "a key of more than sixteen bytes")
    let line = Self.event.replacingOccurrences(of: #""e1""#, with: #""anna@example.org-1""#)
      .replacingOccurrences(of: #""u1""#, with: #""anna@example.org""#)
    func ingest() throws -> ToolResult {
      try Tool.run(
        ["ingest", "-", "--hash-users", key, "--summary", "json", "--quiet", "--log", log],
        input: Data((line + "\n").utf8))
    }
    #expect(try summary(ingest())["new"] == 1)
    let again = try summary(ingest())
    #expect(again["new"] == 0 && again["duplicates"] == 1 && again["conflicts"] == 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: log) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: log + "/" + file))
      #expect(bytes.range(of: Data("anna".utf8)) == nil, "\(file)")
    }
    let export = try Tool.run(["export", "--log", log]).text
    #expect(!export.contains("anna"))
    // An export of it has the ids themselves, and adds nothing.
    let copy = workspace.path("copy")
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", copy], input: Data(export.utf8)).status == 0)
    #expect(try Tool.run(["export", "--log", copy]).text == export)
  }
}
