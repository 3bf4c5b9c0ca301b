// Sums of shards through the built tool: divided by user, with lines in another order, on one thread or two, merged in any
// order: the files and all answers are those of one log. What is no shard of the same job is refused with status 2.

import Foundation
import ReportOracle
import Testing

@Suite struct SumsDivisionCommandTests {
  private static let now = "2100-01-01T00:00:00Z"
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func moment(_ milliseconds: Int) -> String {
    ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(milliseconds / 1000)))
  }

  private func save(_ words: [String], _ name: String) throws -> String {
    let path = workspace.path(name)
    let saved = try Tool.run(words + ["--save-question", path, "--now", Self.now])
    #expect(saved.status == 0, "\(saved.errors)")
    return path
  }

  private func make(
    _ events: [OracleEvent], _ shard: String, _ questions: [String], job: String = "j", _ options: [String] = []
  ) throws -> String {
    let file = try workspace.write("shard.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    let path = workspace.path(UUID().uuidString + ".sums")
    let made = try Tool.run(
      ["sums", "make", file, "--format", "ndjson", "--shard", shard, "--job", job, "--output", path, "--quiet"]
        + questions.flatMap { ["--question", $0] } + options)
    #expect(made.status == 0, "\(made.errors)")
    return path
  }

  /// Events by shard, the last without any.
  private func divide(_ events: [OracleEvent], _ count: Int, _ random: inout SplitMix64) -> [[OracleEvent]] {
    var shards = [[OracleEvent]](repeating: [], count: count)
    let users = Dictionary(grouping: events, by: { Array($0.userID.utf8) }).sorted {
      $0.key.lexicographicallyPrecedes($1.key)
    }
    for (_, own) in users { shards[Int.random(in: 0..<max(1, count - 1), using: &random)] += own }
    return shards
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  @Test(arguments: [(51, "Pacific/Chatham")] as [(UInt64, String)])
  func filesAndAnswersAreThoseOfOneLog(seed: UInt64, zone: String) throws {
    var random = SplitMix64(seed: seed)
    let events = HistoryGenerator(seed: seed).history(users: 60)
    let times = events.map(\.timestamp)
    // Random answers may be logged together with their prompts, which sums do not look for.
    let scope = ["--as-of", moment((times.max() ?? 0) + 1000), "--time-zone", zone]
    let start = ["--log-start", moment(times.min() ?? 0)]
    let variants = Array(Set(events.compactMap(\.variant)).sorted().prefix(2))
    let asked = [
      ["report", "--by", "os_version"] + scope + start,
      ["compare"] + variants + ["--permission", "notifications", "--by", "locale", "--adjust", "platform"] + scope,
      ["flow", "--steps", "notifications,camera"] + scope, ["audit", "--examples", "2"] + scope + start,
    ]
    let questions = try asked.enumerated().map { try save($1, "\($0).question") }
    let all = try workspace.write("all.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", all, "--log", log, "--now", Self.now]).status == 0)
    let shards = divide(events, 4, &random)
    let files = try shards.enumerated().map { number, own in
      try make(own.shuffled(using: &random), "\(number + 1)/4", questions, ["--threads", "1"])
    }
    for (number, own) in shards.enumerated() {
      let again = try make(
        own.shuffled(using: &random), "\(number + 1)/4", questions.reversed(), ["--threads", "2"])
      #expect(try bytes(again) == bytes(files[number]), "seed \(seed), shard \(number + 1)")
    }
    // (1 2) (3 4), and 4 (3 1) 2.
    func merge(_ files: [String], _ name: String) throws -> String {
      let path = workspace.path(name)
      let merged = try Tool.run(["sums", "merge"] + files + ["--output", path])
      #expect(merged.status == 0, "\(merged.errors)")
      return path
    }
    let first = try merge([merge([files[0], files[1]], "12"), merge([files[2], files[3]], "34")], "all")
    let second = try merge([files[3], merge([files[2], files[0]], "31"), files[1]], "other")
    #expect(try bytes(first) == bytes(second), "seed \(seed)")
    for words in asked {
      for format in ["text", "markdown", "json", "csv", "html"] where words[0] != "audit" || format != "csv" {
        let one = try Tool.run(words + ["--log", log, "--now", Self.now, "--format", format])
        #expect(one.status == 0, "\(one.errors)")
        let many = try Tool.run([words[0], "--from-sums", first, "--format", format])
        #expect(many.output == one.output, "seed \(seed), \(words[0]) as \(format): \(many.errors)")
      }
    }
  }

  @Test func whatIsNoShardOfTheJobIsRefused() throws {
    let seed: UInt64 = 52
    var random = SplitMix64(seed: seed)
    let events = HistoryGenerator(seed: seed).history(users: 12)
    let asOf = ["report", "--as-of", moment((events.map(\.timestamp).max() ?? 0) + 1000)]
    let (question, other) = (try save(asOf, "q"), try save(asOf + ["--follow-up", "7d"], "other"))
    let shards = divide(events, 2, &random)
    let first = try make(shards[0], "1/2", [question])
    let second = try make(shards[1], "2/2", [question])
    func answer(_ files: [String]) throws -> ToolResult {
      try Tool.run(["report", "--format", "json"] + files.flatMap { ["--from-sums", $0] })
    }
    #expect(try answer([first, second]).status == 0)
    let whole = try bytes(second)
    var damaged: [(String, String)] = []
    for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 12)) {
      var changed = whole
      changed[changed.startIndex + place] ^= 0x10
      let path = workspace.path("flipped-\(place)")
      try changed.write(to: URL(fileURLWithPath: path))
      damaged.append((path, "flipped-\(place)"))
    }
    let cut = workspace.path("cut")
    try whole.dropLast(1 + whole.count / 3).write(to: URL(fileURLWithPath: cut))
    let wrong: [(String?, String)] =
      damaged + [
        (cut, "cut"), (nil, "shard 2 of 2"), (first, "shard 1 of 2"),
        (try make(shards[1], "2/2", [other]), "follow_up"), (try make(shards[1], "2/2", [question], job: "k"), "job"),
        (try make(shards[1], "2/3", [question]), "number of shards"),
        (try make(shards[1], "2/2", [question], ["--keep-ids"]), "read differently"),
      ]
    for (path, word) in wrong {
      let result = try answer([first] + (path.map { [$0] } ?? []))
      #expect(result.status == 2 && result.errors.contains(word) && result.output.isEmpty, "\(word): \(result.errors)")
      guard let path else { continue }
      let merged = try Tool.run(["sums", "merge", first, path, "--output", workspace.path("merged")])
      #expect(merged.status == 2 && !FileManager.default.fileExists(atPath: workspace.path("merged")), "\(word)")
    }
  }
}
