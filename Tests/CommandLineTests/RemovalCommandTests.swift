// erase, expire, compact and export --skip-damaged as a user runs them.

import Foundation
import ReportOracle
import Testing

@Suite struct RemovalCommandTests {
  private func lines(seed: UInt64) -> [String] {
    // Copies of an event may come to one ingest or to two: the least comes first, so that it is kept in any case.
    leastFirst(HistoryGenerator(seed: seed).history(users: 50)).map { ndjsonLine($0) }
  }

  /// The user's id as bytes: Swift's strings can be equal when ids are not.
  private func user(_ line: String) throws -> [UInt8] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return try #require(object.flatMap { $0["user_id"] }.map { Array("\($0)".utf8) })
  }

  /// A log of three ingests of these lines, in their order.
  private func makeLog(_ name: String, _ lines: [String], _ workspace: Workspace) throws -> String {
    let log = workspace.path(name)
    for part in 0..<3 {
      let piece = lines[lines.count * part / 3..<lines.count * (part + 1) / 3].map { $0 + "\n" }.joined()
      let result = try ingest(piece, log)
      #expect(result.status == 0, "\(result.errors)")
    }
    return log
  }

  private func ingest(_ text: String, _ log: String) throws -> ToolResult {
    try Tool.run(["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", log], input: Data(text.utf8))
  }

  private func erase(_ arguments: [String], _ log: String) throws -> ToolResult {
    try Tool.run(["erase"] + arguments + ["--log", log])
  }

  private func number(_ key: String, _ result: ToolResult) throws -> Int {
    let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    return try #require(object?[key] as? Int)
  }

  /// Everything that can be read of a log.
  private func readings(_ log: String) throws -> [Data] {
    try [
      ["export"], ["export", "--format", "csv"], ["report", "--format", "json"],
      ["report", "--format", "json", "--by", "app_version", "--time-zone", "Asia/Kolkata"], ["report"],
    ].map { try Tool.run($0 + ["--log", log]).output }
  }

  /// The same without what a report says of the expiry itself.
  private func readings(withoutExpiry log: String) throws -> [String] {
    try readings(log).dropLast().map { data in
      String(decoding: data, as: UTF8.self).replacing(/"expired_before": ("[^"]*"|null)/, with: "")
    }
  }

  @Test(arguments: UInt64(1)...4)
  func erasedUsersWereNeverThereAndStayOut(seed: UInt64) throws {
    let workspace = try Workspace()
    let lines = lines(seed: seed)
    let users = try lines.map(user)
    let erased = Set(
      Set(users).sorted { $0.lexicographicallyPrecedes($1) }.enumerated().filter { $0.offset % 9 == 4 }.map(\.element))
    let names = erased.map { String(decoding: $0, as: UTF8.self) }
    let rest = lines.indices.filter { !erased.contains(users[$0]) }.map { lines[$0] }
    let log = try makeLog("log", lines, workspace)
    let pure = try makeLog("pure", rest, workspace)
    let file = try workspace.write("requests.txt", names.joined(separator: "\r\n") + "\n\nnobody-of-ours\n")
    let result = try erase(["--users-from", file], log)
    #expect(result.status == 3, "\(result.errors)")
    #expect(result.text.contains("of \(erased.count) users"), "\(result.text)")
    #expect(result.errors.contains("the log does not have 1 of \(erased.count + 1) ids"), "\(result.errors)")
    #expect(result.text.contains("  nobody-of-ours: NOT FOUND, no events here\n"), "\(result.text)")
    let expected = try readings(pure)
    #expect(try readings(log) == expected)
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    // No file has an id in its bytes.
    for name in try FileManager.default.contentsOfDirectory(atPath: log) {
      let bytes = try workspace.read("log/\(name)")
      for user in erased where user.count > 5 {
        #expect(bytes.range(of: Data(user)) == nil, "\(user) in \(name)")
      }
    }
    let again = try ingest(lines.map { $0 + "\n" }.joined(), log)
    #expect(try number("new", again) == 0)
    let theirs = lines.indices.filter { erased.contains(users[$0]) }.map { lines[$0] + "\n" }.joined()
    #expect(try number("erased", again) == number("events", try ingest(theirs, workspace.path("theirs"))))
    #expect(try number("lines", again) == number("events", again) + number("erased", again) + number("rejected", again))
    #expect(try number("events", again) == number("new", again) + number("duplicates", again))
    #expect(try readings(log) == expected)
    // Let in again, the users come back whole.
    #expect(try erase(names.flatMap { ["--readmit", $0] }, log).status == 0)
    _ = try ingest(lines.map { $0 + "\n" }.joined(), log)
    #expect(try readings(log) == readings(try makeLog("whole", lines, workspace)))
  }

  @Test func expiredEventsWereNeverThereAndStayOut() throws {
    let workspace = try Workspace()
    let lines = lines(seed: 11)
    let log = try makeLog("log", lines, workspace)
    let export = try Tool.run(["export", "--log", log]).text.split(separator: "\n").map(String.init)
    func time(_ line: String) throws -> String {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["timestamp"] as? String)
    }
    let date = String(try export.map(time).sorted()[export.count / 2].prefix(10))
    let rest = try export.filter { try time($0) >= date }
    let result = try Tool.run(["expire", "--before", date, "--log", log])
    #expect(result.text.hasPrefix("removed \(export.count - rest.count) events before \(date)T00:00:00"))
    let pure = workspace.path("pure")
    _ = try ingest(rest.map { $0 + "\n" }.joined(), pure)
    #expect(try readings(withoutExpiry: log) == readings(withoutExpiry: pure))
    let again = try ingest(export.map { $0 + "\n" }.joined(), log)
    #expect(try number("new", again) == 0 && number("erased", again) == export.count - rest.count)
    #expect(try readings(withoutExpiry: log) == readings(withoutExpiry: pure))
    #expect(try Tool.run(["info", "--log", log]).text.contains("expired     before \(date)"))
    // A zone moves the border.
    let zoned = try Tool.run(["expire", "--before", date, "--time-zone", "America/New_York", "--log", log])
    #expect(zoned.text.contains("before \(date)T0"), "\(zoned.text)")
    #expect(try Tool.run(["expire", "--readmit", "--log", log]).status == 0)
    _ = try ingest(export.map { $0 + "\n" }.joined(), log)
    #expect(try Tool.run(["export", "--log", log]).text.split(separator: "\n").count == export.count)
  }

  @Test func compactingChangesNothingThatCanBeRead() throws {
    let workspace = try Workspace()
    let log = try makeLog("log", lines(seed: 12), workspace)
    let before = try readings(log)
    let result = try Tool.run(["compact", "--log", log])
    #expect(result.status == 0 && result.text.hasPrefix("3 parts of "), "\(result.text)")
    #expect(try readings(log) == before)
    #expect(try Tool.run(["compact", "--log", log]).text.contains("nothing to merge"))
  }

  @Test func wrongUseIsToldAndChangesNothing() throws {
    let workspace = try Workspace()
    let log = try makeLog("log", lines(seed: 13), workspace)
    let before = try readings(log)
    let long = String(repeating: "x", count: 257)
    let cases: [([String], Int32, String)] = [
      (["erase"], 64, "--users-from"),
      (["erase", "--user", ""], 64, "the argument after --user is empty"),
      (["erase", "--user", long], 64, "257"),
      (["erase", "--user", "a", "--readmit", "b"], 64, "cannot be combined"),
      (["erase", "--users-from", workspace.path("none")], 1, "none"),
      (["erase", "--users-from", try workspace.write("long.txt", "a\n\(long)\n")], 2, "line 2"),
      (
        ["erase", "--users-from", try workspace.write("endless.txt", "a\n" + String(repeating: "x", count: 100_000))],
        2, "line 2"
      ),
      (["expire", "--before", "2099-01-01"], 64, "in the future"),
      (["expire"], 64, "--before"),
      (["expire", "--before", "tomorrow"], 64, "tomorrow"),
      (["expire", "--before", "2026-01-01", "--time-zone", "Mars/Olympus"], 64, "Mars/Olympus"),
      (["expire", "--before", "2026-01-01", "--readmit"], 64, "--readmit"),
    ]
    for (arguments, status, words) in cases {
      let result = try Tool.run(arguments + ["--log", log])
      #expect(result.status == status && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    #expect(try readings(log) == before)
    for command in [["erase", "--user", "a"], ["expire", "--before", "2026-01-01"], ["compact"]] {
      let result = try Tool.run(command + ["--log", workspace.path("no-log")])
      #expect(result.status == 1 && result.errors.contains("no log at"), "\(command): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: workspace.path("no-log")))
    // A mark of the byte order, as some editors put it there, is not part of the first id.
    let marked = try workspace.write("marked.txt", "\u{FEFF}somebody\r\nnobody")
    #expect(try erase(["--users-from", marked], log).text.contains("2 ids are kept out from now on"))
    // Nothing comes back of nobody.
    let another = try erase(["--readmit", "another"], log)
    #expect(another.status == 3 && another.text == "no user is accepted again\n", "\(another.text)")
    #expect(another.errors == "permlog: not erased in this log: another\n", "\(another.errors)")
    #expect(try erase(["--readmit", "another", "--allow-missing"], log).status == 0)
    #expect(
      try erase(["--readmit", "somebody", "--readmit", "nobody"], log).text.hasPrefix("2 users are accepted again"))
    let unknown = try erase(["--user", "nobody-of-ours"], log)
    #expect(unknown.status == 3 && unknown.errors.contains("the log does not have nobody-of-ours"), "\(unknown.errors)")
    #expect(unknown.text.contains("\n  nobody-of-ours: NOT FOUND, no events here\n"), "\(unknown.text)")
  }
  @Test func idsThatAreNotFoundAreListed() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    func install(_ number: Int) -> String { "8c1b3f6e-2d7a-4e55-9a0b-\(100_000_000_000 + number)" }
    let lines = (0..<30).map { number in
      #"{"user_id":"\#(install(number))","timestamp":"2026-03-02T10:00:00Z","event":"granted","permission":"camera"}"#
        + "\n"
    }
    #expect(try ingest(lines.joined(), log).status == 0)
    let ids = [install(3)] + (0..<25).map { "someone\($0)@example.com" }
    let file = try workspace.write("ids.txt", ids.joined(separator: "\n"))
    for arguments in [["--users-from", file, "--dry-run"], ["--users-from", file]] {
      let text = try erase(arguments, log).text
      for number in 0..<25 { #expect(text.contains("\n  someone\(number)@example.com: NOT FOUND"), "\(text)") }
      #expect(text.contains("the users of this log look like installs, and these ids look like ids of accounts"))
    }
    let one = try erase(["--user", "4711"], log).text
    #expect(one.contains("\n  4711: NOT FOUND"), "\(one)")
    #expect(one.contains("4711 looks like the id of an account: erasing by account finds no users here\n"), "\(one)")
    let other = try erase(["--user", install(40), "--user", "not \u{1B}[2J a word"], log).text
    #expect(other.contains("\n  \(install(40)): NOT FOUND") && !other.contains("installs, and"), "\(other)")
    #expect(!other.contains("\u{1B}"))
    #expect(
      try erase(["--user", "4711"], log).text.contains("  4711: NOT FOUND, no events here; asked for before on 20"))
  }
}
