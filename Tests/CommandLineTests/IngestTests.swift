// Ingest as a user runs it: forms of input, copies, rejected lines, one writer.

import Foundation
import ReportOracle
import Testing

@Suite struct IngestTests {
  static let line =
    #"{"event_id":"e1","user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"}"#

  private func summary(_ result: ToolResult) throws -> [String: Int] {
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    return object.compactMapValues { ($0 as? NSNumber)?.intValue }
  }

  @Test func anyOrderOfOverlappingIngestsGivesTheSameLog() throws {
    let seed: UInt64 = 11
    var random = SplitMix64(seed: seed)
    // Copies that differ would make the first committed win; equal copies may come in any order.
    var seen = Set<[String]>()
    let events = HistoryGenerator(seed: seed).history(users: 80).filter {
      seen.insert([$0.userID, $0.eventID]).inserted
    }
    let lines = events.map { ndjsonLine($0) + "\n" }
    let workspace = try Workspace()
    try workspace.write("all.ndjson", lines.joined())
    let once = workspace.path("once")
    #expect(try Tool.run(["ingest", workspace.path("all.ndjson"), "--log", once]).status == 0)
    let expected = try Tool.run(["export", "--log", once]).output
    let report = try Tool.run(["report", "--log", once, "--format", "json"]).output
    #expect(expected.count > 10_000)
    for round in 0..<3 {
      let log = workspace.path("log\(round)")
      // Overlapping pieces, each line in at least one, in a random order of pieces and lines; 23 pieces make parts merge.
      var pieces = [[String]](repeating: [], count: 23)
      for line in lines {
        for _ in 0...Int.random(in: 0...2, using: &random) {
          pieces[Int.random(in: 0..<pieces.count, using: &random)].append(line)
        }
      }
      for (number, piece) in pieces.shuffled(using: &random).enumerated() {
        let file = try workspace.write("piece.ndjson", piece.shuffled(using: &random).joined())
        let threads = String(1 + number % 2)
        let result = try Tool.run(["ingest", file, "--log", log, "--threads", threads])
        #expect(result.status == 0, "seed \(seed), round \(round): \(result.errors)")
      }
      #expect(try Tool.run(["export", "--log", log]).output == expected, "seed \(seed), round \(round)")
      #expect(
        try Tool.run(["report", "--log", log, "--format", "json"]).output == report, "seed \(seed), round \(round)")
      #expect(try Tool.run(["verify", "--log", log]).status == 0)
      let parts = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasPrefix("part-") }
      #expect(parts.count < 8, "\(parts.count) parts after 23 ingests")
    }
  }

  @Test func exportIngestedAgainAddsNothing() throws {
    let workspace = try Workspace()
    let events = HistoryGenerator(seed: 5).history(users: 40)
    // Events without an id get one; it comes back the same.
    let lines = events.enumerated().map { i, event -> String in
      let line = ndjsonLine(event)
      guard i % 5 == 0, let range = line.range(of: #""event_id":"[^"]*","#, options: .regularExpression) else {
        return line + "\n"
      }
      return line.replacingCharacters(in: range, with: "") + "\n"
    }
    let log = workspace.path("log")
    _ = try Tool.run(["ingest", try workspace.write("a.ndjson", lines.joined()), "--log", log])
    for format in ["ndjson", "csv"] {
      let exported = try Tool.run(["export", "--log", log, "--format", format])
      let other = workspace.path("other-\(format)")
      let copied = try Tool.run(["ingest", "-", "--log", other, "--summary", "json"], input: exported.output)
      #expect(copied.status == 0, "\(copied.errors)")
      #expect(try Tool.run(["export", "--log", other, "--format", format]).output == exported.output)
      let again = try summary(try Tool.run(["ingest", "-", "--log", log, "--summary", "json"], input: exported.output))
      #expect(again["new"] == 0)
      #expect(again["conflicts"] == 0)
      #expect(again["duplicates"] == again["events"])
    }
  }

  @Test func theFirstCommittedCopyWinsWhateverElseDiffers() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let later =
      #"{"event_id":"e1","user_id":"u1","timestamp":"2026-04-09T10:00:00Z","event":"granted","permission":"siri"}"#
    let first = try workspace.write("first.ndjson", Self.line + "\n")
    #expect(try summary(Tool.run(["ingest", first, "--log", log, "--summary", "json"]))["new"] == 1)
    let second = try workspace.write("second.ndjson", later + "\n" + Self.line + "\n")
    let counts = try summary(Tool.run(["ingest", second, "--log", log, "--summary", "json"]))
    #expect(counts["new"] == 0 && counts["duplicates"] == 2 && counts["conflicts"] == 1)
    let exported = try Tool.run(["export", "--log", log]).text
    #expect(exported.contains("prompt_shown") && !exported.contains("granted"))
  }

  @Test func rejectedLinesAreNamedKeptAndStoppedByStrict() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let bad = "{\"user_id\":\"anonymous\",\"timestamp\":1772445600000,\"event\":\"app_active\"}\nnot json\n"
    let file = try workspace.write("a.ndjson", Self.line + "\n\n" + bad)
    let strict = try Tool.run(["ingest", file, "--log", log, "--strict"])
    #expect(strict.status == 2)
    #expect(try Tool.run(["export", "--log", log]).output.isEmpty)
    let rejects = workspace.path("rejects.ndjson")
    let result = try Tool.run(["ingest", file, "--log", log, "--rejects", rejects, "--summary", "json"])
    #expect(result.status == 0)
    let counts = try summary(result)
    #expect(counts["lines"] == 3 && counts["new"] == 1 && counts["rejected"] == 2 && counts["erased"] == 0)
    #expect(result.errors.contains("a.ndjson:3:") && result.errors.contains("names no user"))
    let kept = String(decoding: try workspace.read("rejects.ndjson"), as: UTF8.self)
    #expect(kept.split(separator: "\n").count == 2 && kept.contains("not json"))
  }

  @Test func nothingIsStoredOfAnInputThatCannotBeReadToItsEnd() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let good = try workspace.write("a.ndjson", Self.line + "\n")
    let torn = workspace.path("b.ndjson.gz")
    try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C]).write(to: URL(fileURLWithPath: torn))
    let result = try Tool.run(["ingest", good, torn, "--log", log])
    #expect(result.status == 2)
    #expect(result.errors.contains("b.ndjson.gz"))
    #expect(try Tool.run(["export", "--log", log]).output.isEmpty)
    let missing = try Tool.run(["ingest", workspace.path("nowhere.ndjson"), "--log", log])
    #expect(missing.status == 1 && missing.errors.contains("nowhere.ndjson"))
    let other = try workspace.write("c.txt", "hello\n")
    #expect(try Tool.run(["ingest", other, "--log", log]).status == 2)
  }

  @Test func aSecondWriterIsRefusedAtOnceAndADeadOneHoldsNobodyUp() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", Self.line + "\n")
    // A writer that waits for its standard input holds the lock.
    let first = Process()
    first.executableURL = URL(fileURLWithPath: Tool.path)
    first.arguments = ["ingest", "-", "--format", "ndjson", "--log", log]
    let input = Pipe()
    first.standardInput = input
    first.standardOutput = FileHandle.nullDevice
    first.standardError = FileHandle.nullDevice
    try first.run()
    let holder = "process \(first.processIdentifier)"
    for _ in 0..<2000 {
      if let text = try? String(contentsOfFile: log + "/lock", encoding: .utf8), text.contains(holder) { break }
      usleep(10_000)
    }
    let second = try Tool.run(["ingest", file, "--log", log])
    #expect(second.status == 1)
    #expect(second.errors.contains(holder), "\(second.errors)")
    #expect(try Tool.run(["info", "--log", log]).status == 0)
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
  }
}

extension IngestTests {
  @Test func aStrayQuoteRejectsItsOwnLineAlone() throws {
    let workspace = try Workspace()
    var lines = ["user_id,timestamp,event,surface"]
    for i in 0..<30_000 { lines.append("u\(i),\(1_770_000_000_000 + i),app_active,\"a \"\"quoted\"\", cell\"") }
    lines[100] = #"u99,1770000000099,app_active,6" phone"#
    let file = try workspace.write("a.csv", lines.joined(separator: "\n"))
    let result = try Tool.run(["ingest", file, "--log", workspace.path("log"), "--summary", "json"])
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(object["lines"] as? Int == 30_000)
    #expect(object["rejected"] as? Int == 1)
    #expect(object["new"] as? Int == 29_999)
    #expect(result.errors.contains("a.csv:101:"))
  }

  /// Ids that a writer got wrong: most events would vanish as copies that differ.
  @Test func oneIDForManyEventsIsAWarning() throws {
    let workspace = try Workspace()
    func lines(_ id: (Int) -> String) -> String {
      (0..<300).map { number in
        let time = "2026-03-02T10:0\(number / 60):\(String(number % 60 + 100).dropFirst())Z"
        return
          #"{"event_id":"\#(id(number))","user_id":"u\#(number % 20)","timestamp":"\#(time)","event":"app_active"}"#
      }.joined(separator: "\n") + "\n"
    }
    try workspace.write("same.ndjson", lines { _ in "same" })
    try workspace.write("own.ndjson", lines { "e\($0 / 2 * 2 + ($0 % 200 == 0 ? 0 : $0 % 2))" })
    let same = try Tool.run(["ingest", workspace.path("same.ndjson"), "--log", workspace.path("same"), "--quiet"])
    #expect(same.status == 0)
    #expect(
      same.errors.contains(
        "WARNING: 280 of 300 events have the event_id of another event of their user and differ from it"
      ),
      "\(same.errors)")
    let own = try Tool.run(["ingest", workspace.path("own.ndjson"), "--log", workspace.path("own")])
    #expect(own.status == 0 && !own.errors.contains("WARNING"), "\(own.errors)")
    let again = try Tool.run(["ingest", workspace.path("own.ndjson"), "--log", workspace.path("own")])
    #expect(again.status == 0 && !again.errors.contains("WARNING"), "\(again.errors)")
    // A session's id in one user of ten: two of three events are lost.
    try workspace.write("session.ndjson", lines { $0 % 20 < 2 ? "s\($0 % 20)" : "e\($0)" })
    let session = try Tool.run(["ingest", workspace.path("session.ndjson"), "--log", workspace.path("session")])
    #expect(session.errors.hasPrefix("WARNING: 28 of 300 events have the event_id of another"), "\(session.errors)")
    // With other properties alone it is the same event.
    let read = { (text: String) in text.replacing("app_active\"}", with: "app_active\",\"locale\":\"de\"}") }
    try workspace.write("twice.ndjson", lines { "e\($0)" } + read(lines { "e\($0)" }))
    let twice = try Tool.run(["ingest", workspace.path("twice.ndjson"), "--log", workspace.path("twice")])
    #expect(twice.errors.isEmpty && twice.text.contains("300 events, of which 300 differ"), "\(twice.text)")
  }

  /// Exports of databases have words where there is nothing.
  @Test(arguments: ["NULL", "null", "None", "0", "00000000-0000-0000-0000-000000000000", " nil "])
  func aPlaceholderIsNoEventID(word: String) throws {
    let workspace = try Workspace()
    let rows = (0..<30).flatMap { user in
      ["app_active", "prompt_shown", "granted"].enumerated().map { second, kind in
        "\(word),u\(user),2026-03-02T10:00:0\(second)Z,\(kind),camera"
      }
    }
    let file = try workspace.write(
      "a.csv", (["event_id,user_id,timestamp,event,permission"] + rows).joined(separator: "\n"))
    for format in [[], ["--format", "csv"]] {
      let log = workspace.path("log\(format.count)")
      let result = try Tool.run(["ingest", file, "--log", log] + format)
      #expect(result.status == 0 && result.text.contains("new        90 events"), "\(result.text)\(result.errors)")
      let again = try Tool.run(["ingest", file, "--log", log])
      #expect(again.text.contains("new        0 events"), "\(again.text)")
    }
  }
}
