// The same lines in another order, in other files, read on one thread or two: the same log and the same answers, although many
// lines are copies of an event that say something else.

import Foundation
import ReportOracle
import Testing

@Suite struct ShuffledInputTests {
  private static let allowed = ["--allow-future", "--allow-custom-permissions"]

  /// What an ingest says, without what is of the files and of the clock.
  private func summary(_ result: ToolResult) throws -> NSDictionary {
    var object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    for key in ["files", "seconds"] { object[key] = nil }
    return object as NSDictionary
  }

  private func answers(_ log: String) throws -> [Data] {
    try [
      ["export"], ["export", "--format", "csv"], ["export", "--journeys"],
      ["report", "--by", "os_version"], ["report", "--by", "os_version", "--format", "json"],
      ["audit", "--format", "json", "--all"],
    ].map { try Tool.run($0 + ["--log", log]).output }
  }

  @Test(arguments: [21, 22] as [UInt64]) func orderAndFilesChangeNothing(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = HistoryGenerator(seed: seed).history(users: 60).map { ndjsonLine($0) + "\n" }
    let workspace = try Workspace()
    let all = try workspace.write("all.ndjson", lines.joined())
    let once = workspace.path("once")
    let first = try Tool.run(["ingest", all, "--log", once, "--summary", "json"] + Self.allowed)
    #expect(first.status == 0, "\(first.errors)")
    let (told, expected) = (try summary(first), try answers(once))
    #expect(
      (told["conflicts"] as? Int).map { $0 > 20 } == true, "seed \(seed): copies that differ are what this is about")
    for trial in 0..<3 {
      let log = workspace.path("log\(trial)")
      var pieces = [[String]](repeating: [], count: 1 + trial)
      for line in lines.shuffled(using: &random) { pieces[Int.random(in: 0...trial, using: &random)].append(line) }
      let files = try pieces.enumerated().map { try workspace.write("piece-\(trial)-\($0).ndjson", $1.joined()) }
      let options = ["--threads", "\(1 + trial % 2)"] + (trial == 2 ? ["--keep-partial"] : [])
      let result = try Tool.run(
        ["ingest"] + files.reversed() + ["--log", log, "--summary", "json"] + options + Self.allowed)
      #expect(result.status == 0, "seed \(seed), trial \(trial): \(result.errors)")
      #expect(try summary(result) == told, "seed \(seed), trial \(trial)")
      #expect(try answers(log) == expected, "seed \(seed), trial \(trial)")
    }
  }

  /// What stays can be read off the lines: the earliest, and of one time the lowest line of an export.
  @Test func theLeastCopyStays() throws {
    func line(_ time: String, _ rest: String) -> String {
      #"{"user_id":"u","event_id":"e","timestamp":"2026-03-02T10:00:0\#(time)Z",\#(rest)}"# + "\n"
    }
    let copies = [
      line("1", #""event":"granted","permission":"camera","status":"limited""#),
      line("0", #""event":"prompt_shown","permission":"camera""#),
      line("0", #""event":"granted","permission":"camera","os_version":"18.0""#),
      line("0", #""event":"granted","permission":"camera","variant":"A""#),
      line("0", #""event":"granted","permission":"camera","variant":"A""#),
    ]
    let workspace = try Workspace()
    for (n, order) in [copies, copies.reversed()].enumerated() {
      let file = try workspace.write("\(n).ndjson", order.joined())
      let log = workspace.path("log\(n)")
      let ingested = try Tool.run(["ingest", file, "--log", log, "--summary", "json"])
      let told = try summary(ingested)
      #expect(told["new"] as? Int == 1 && told["duplicates"] as? Int == 4 && told["conflicts"] as? Int == 4)
      let kept =
        #"{"event_id":"e","user_id":"u","timestamp":"2026-03-02T10:00:00.000Z","event":"granted","permission":"camera","os_version":"18.0"}"#
        + "\n"
      #expect(try Tool.run(["export", "--log", log]).text == kept)
      // What is committed stays, though the copy that comes is lesser.
      let earlier = try workspace.write("earlier.ndjson", line("0", #""event":"denied","permission":"camera""#))
      #expect(
        try summary(try Tool.run(["ingest", earlier, "--log", log, "--summary", "json"]))["conflicts"] as? Int == 1)
      #expect(try Tool.run(["export", "--log", log]).text == kept)
    }
  }
}
