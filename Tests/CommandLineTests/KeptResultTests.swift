// Who asks again gets the same bytes, from a file; what could be different is asked of the events.

import Foundation
import Testing

@Suite struct KeptResultTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    try ingest(0..<40, "a")
  }

  private func ingest(_ users: Range<Int>, _ name: String) throws {
    let lines = users.flatMap { user -> [String] in
      let time = 1_770_000_000_000 + user * 30_000_000
      let answer = user % 3 == 0 ? "denied" : "granted"
      return [("prompt_shown", 0), (answer, 4000)].map { kind, wait in
        #"{"user_id":"user\#(user)","timestamp":\#(time + wait),"event":"\#(kind)","permission":"camera","variant":"\#(user % 2 == 0 ? "A" : "B")","experiment":"x","country":"DE"}"#
      }
    }
    let file = try workspace.write(name + ".ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
  }

  /// The answers, without the facts about the log, of one byte each.
  private func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: log).filter {
      let path = log + "/" + $0
      return try $0.hasPrefix("kept-")
        && (FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) > "permlog kept 1\n".count + 32 + 1
          + 8
    }.sorted()
  }

  private static let questions: [[String]] = [
    ["report"], ["report", "--full", "--by", "country"],
    ["report", "--format", "json", "--time-zone", "Europe/Berlin"],
    ["report", "--format", "html"], ["report", "--as-of", "2026-02-10", "--format", "csv"],
    ["compare", "A", "B", "--permission", "camera"], ["flow"], ["audit", "--all"], ["experiments"],
    ["experiments", "--format", "json"], ["report", "--format", "eml"], ["report", "--small-groups", "10"],
  ]

  @Test(arguments: questions)
  func theSameBytesComeTwice(_ question: [String]) throws {
    let words = question + ["--log", log]
    let fresh = try Tool.run(words + ["--no-cache"])
    #expect(fresh.status == 0 && fresh.errors.isEmpty, "\(fresh.errors)")
    #expect(try kept().isEmpty)
    let first = try Tool.run(words)
    #expect(try kept().count == 1)
    let again = try Tool.run(words)
    for result in [first, again] {
      #expect(result.output == fresh.output && result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }
    #expect(try kept().count == 1)
    // It is the file that is printed.
    let path = log + "/" + (try #require(try kept().first))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 9] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try Tool.run(words).output == fresh.output, "a damaged answer is made again")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != bytes)
  }

  @Test func isReadInsteadOfTheEvents() throws {
    // Whether the log was silent before is a fact about it, which is kept, too.
    let words = ["report", "--log", log]
    let first = try Tool.run(words)
    // A block of the part: to read it is an error.
    let part = log + "/part-0000000000000001"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: part))
    bytes[60] ^= 1
    try bytes.write(to: URL(fileURLWithPath: part))
    #expect(try Tool.run(words).output == first.output)
    #expect(try Tool.run(words + ["--no-cache"]).status != 0)
    #expect(try Tool.run(words, environment: ["PERMLOG_NO_CACHE": "1"]).status != 0)
  }

  @Test func whatTheBytesDependOnIsPartOfTheQuestion() throws {
    let narrow = try Tool.run(["report", "--log", log], environment: ["COLUMNS": "70"])
    let wide = try Tool.run(["report", "--log", log], environment: ["COLUMNS": "120"])
    let plain = try Tool.run(["report", "--log", log], environment: ["LC_ALL": "C"])
    #expect(narrow.output != wide.output && plain.output != wide.output)
    // A day later the log is a day older, and says so.
    let early = try Tool.run(["report", "--log", log, "--now", "2026-03-01T00:00:00Z"])
    let late = try Tool.run(["report", "--log", log, "--now", "2026-03-02T00:00:00Z"])
    #expect(early.output != late.output)
    #expect(try kept().count == 5)
  }

  @Test func aCommitTakesThemAway() throws {
    let words = ["report", "--format", "json", "--log", log]
    let before = try Tool.run(words)
    try ingest(40..<50, "b")
    #expect(try kept().isEmpty)
    let after = try Tool.run(words)
    #expect(after.output != before.output)
    #expect(try Tool.run(["erase", "--user", "user3", "--log", log]).status == 0)
    #expect(try kept().isEmpty)
    #expect(try Tool.run(words).output != after.output)
    #expect(try Tool.run(["users", "exclude", "--id", "user4", "--log", log]).status == 0)
    #expect(try kept().isEmpty)
  }

  /// A warning or a condition must come every time; an answer with ids of users has no second place; other files may change.
  @Test func whatIsMoreThanItsBytesIsNotKept() throws {
    let users = try workspace.write("team.txt", "user5\n")
    let questions: [([String], Int32)] = [
      (["audit", "--examples", "3"], 0), (["report", "--without-users", users], 0),
      (["audit", "--fail-on", "cold_ask"], 3), (["report", "--permission", "micro"], 64),
      // It looks from this second.
      (["report", "--now", "2026-02-05T12:00:00Z"], 0),
    ]
    for (words, status) in questions {
      for _ in 0..<2 { #expect(try Tool.run(words + ["--log", log]).status == status, "\(words)") }
      #expect(try kept().isEmpty, "\(words)")
    }
  }

  @Test func aLogThatMayOnlyBeReadAnswers() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: log)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: log) }
    let first = try Tool.run(["report", "--log", log])
    let again = try Tool.run(["report", "--log", log])
    #expect(first.status == 0 && first.errors.isEmpty && again.output == first.output)
  }
}
