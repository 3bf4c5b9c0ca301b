// Users who are left out: every answer is that of a log which never had their events, and says how many they are.

import Foundation
import ReportOracle
import Testing

@Suite struct LeftOutUsersTests {
  private static let now = "2100-01-01T00:00:00Z"
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func run(_ words: [String], log: String? = nil, _ options: [String] = []) throws -> ToolResult {
    try Tool.run(words + (log.map { ["--log", $0] } ?? []) + options)
  }

  /// A log of two ingests, so that users are in several parts.
  /// - Parameter ids: users whose rows are not there.
  private func ingest(_ events: [OracleEvent], _ name: String, without ids: Set<[UInt8]> = []) throws -> String {
    let log = workspace.path(name)
    // Of two copies the first ingested stays.
    for (number, piece) in [events.prefix(events.count / 2), events.dropFirst(events.count / 2)].enumerated() {
      let lines = piece.filter { !ids.contains(Array($0.userID.utf8)) }.map { ndjsonLine($0) + "\n" }
      let file = try workspace.write("\(name)-\(number).ndjson", lines.joined())
      #expect(try run(["ingest", file, "--now", Self.now], log: log).status == 0)
    }
    return log
  }

  /// Texts that look alike are different ids.
  private func users(_ events: [OracleEvent]) -> [String] {
    Set(events.map { Array($0.userID.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The answer without the number of users who are left out, and that number.
  private func answer(_ result: ToolResult) throws -> (rest: String, leftOut: String) {
    let line = try #require(result.text.firstMatch(of: /\n *"left_out_users": (.*?),?\n/))
    return (result.text.replacingOccurrences(of: line.0, with: "\n"), String(line.1))
  }

  /// Whoever gives the list's name twice by mistake keeps the list.
  @Test(arguments: [
    ["report"], ["flow"], ["audit"], ["compare", "A", "B"], ["experiments"], ["plan", "A", "B"],
    ["export", "--journeys"],
  ])
  func theListIsNeverReplacedByAnAnswer(words: [String]) throws {
    let events = HistoryGenerator(seed: 8).history(users: 20)
    let log = try ingest(events, "log")
    let list = try workspace.write("team.json", "\(events[0].userID)\n")
    let before = try workspace.read("team.json")
    let format = words[0] == "export" ? "ndjson" : "json"
    let asked = try run(words, log: log, ["--without-users", list, "--output", list, "--format", format])
    #expect(asked.status == 64 && asked.errors.contains("the users who are left out"), "\(words): \(asked.errors)")
    #expect(try workspace.read("team.json") == before)
  }

  @Test(arguments: [3, 4, 5, 6] as [UInt64])
  func answersAreThoseOfALogWithoutThem(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var events = HistoryGenerator(seed: seed).history(users: 40).sorted { $0.timestamp < $1.timestamp }
    // Everything that only the users who are left out have.
    let all = users(events)
    // With the oldest and the newest event of the log.
    let ends = [events[0].userID, events[events.count - 1].userID].map { Array($0.utf8) }
    let gone = all.filter { ends.contains(Array($0.utf8)) || Int.random(in: 0..<4, using: &random) == 0 }
    let ids = Set(gone.map { Array($0.utf8) })
    let rest = events.filter { !ids.contains(Array($0.userID.utf8)) }
    events.shuffle(using: &random)
    let variants = Array(Set(rest.compactMap(\.variant)).sorted().prefix(2))
    let log = try ingest(events, "all")
    let other = try ingest(events, "rest", without: ids)
    let file = try workspace.write("gone.txt", "# the team\n" + gone.joined(separator: "\n") + "\n")
    let listed = workspace.path("listed")
    try FileManager.default.copyItem(atPath: log, toPath: listed)
    let excluded = try run(["users", "exclude", "--from", file], log: listed)
    #expect(excluded.status == 0 && excluded.text.contains("the list has \(gone.count) id"), "\(excluded)")
    #expect(try run(["users", "list"], log: listed).text == gone.map { $0 + "\n" }.joined())
    let questions = [
      ["report"], ["report", "--by", "country"], ["flow"], ["audit", "--all"], ["experiments"],
      ["compare"] + variants + ["--permission", "notifications"],
    ]
    for question in questions {
      let words = question + ["--format", "json", "--now", Self.now]
      let expected = try run(words, log: other)
      guard question[0] != "compare" || expected.status == 0 else { continue }
      #expect(expected.status == 0, "\(question): \(expected.errors)")
      let right = try answer(expected)
      #expect(right.leftOut == "null")
      for found in try [run(words, log: log, ["--without-users", file]), run(words, log: listed)] {
        let it = try answer(found)
        // What ingests counted is of all events.
        let isAudit = question[0] == "audit"
        #expect(isAudit || it.rest == right.rest, "seed \(seed), \(question)")
        #expect(it.leftOut == "\(gone.count)", "seed \(seed), \(question)")
      }
    }
    let rows = try run(["export", "--journeys"], log: other).text
    #expect(try run(["export", "--journeys"], log: log, ["--without-users", file]).text == rows)
    #expect(try run(["export", "--journeys"], log: listed).text == rows)
    #expect(try run(["export"], log: listed).text == run(["export"], log: log).text, "events stay")
    // Taken back, the log answers as before.
    let back = try run(["users", "include", "--from", file], log: listed)
    #expect(back.status == 0 && back.text.contains("the list has 0 ids"))
    let before = try run(["report", "--format", "json", "--now", Self.now], log: log).text
    #expect(try run(["report", "--format", "json", "--now", Self.now], log: listed).text == before)
    #expect(try run(["verify"], log: listed).status == 0)
  }

  @Test func everyHeaderCountsThem() throws {
    let events = HistoryGenerator(seed: 9).history(users: 40)
    let log = try ingest(events, "log")
    let gone = Array(users(events).prefix(3))
    let file = try workspace.write("gone.txt", gone.joined(separator: "\n"))
    for question in [["report"], ["report", "--full"], ["flow"], ["audit"], ["experiments"]] {
      for format in ["text", "html"] {
        let text = try run(question + ["--format", format], log: log, ["--without-users", file]).text
        #expect(text.replacing(/\s+/, with: " ").contains("3 users left out"), "\(question) \(format)")
        #expect(!(try run(question + ["--format", format], log: log).text.contains("left out as")))
      }
    }
    #expect(
      try run(["report", "--format", "csv"], log: log, ["--without-users", file]).text.contains(
        "left_out_users,3"))
    let chat = try run(["report", "--format", "slack"], log: log, ["--without-users", file]).text
    #expect(chat.contains("users left out"), "\(chat)")
    // A list that matches no user is told, not passed over.
    let other = try workspace.write("other.txt", "no such user\n")
    #expect(try run(["report"], log: log, ["--without-users", other]).text.contains("0 users left out"))
    #expect(try run(["info", "--format", "json"], log: log).text.contains("\"excluded_users\": 0"))
    _ = try run(["users", "exclude", "--id", gone[0], "--id", "not there yet"], log: log)
    #expect(try run(["info", "--format", "json"], log: log).text.contains("\"excluded_users\": 2"))
    #expect(try run(["info"], log: log).text.contains("left out    2 ids"))
    // The list and the file together, each user once.
    #expect(try run(["report"], log: log, ["--without-users", file]).text.contains("3 users left out"))
    let everybody = try workspace.write("all.txt", users(events).joined(separator: "\n"))
    for format in ["eml", "slack"] {
      let mail = try run(["report", "--format", format], log: log, ["--without-users", everybody]).text
      #expect(mail.contains("all users are left out") && !mail.contains("the log is empty"), "\(format)")
    }
    let nothing = try run(["report"], log: log, ["--without-users", everybody])
    #expect(nothing.status == 0 && nothing.text.contains("All users with events are left out"), "\(nothing)")
    let compared = try run(["compare", "A", "B"], log: log, ["--without-users", everybody])
    #expect(compared.status == 1 && compared.errors.contains("all users with events are left out"), "\(compared)")
  }

  @Test func sumsCarryTheList() throws {
    let events = HistoryGenerator(seed: 12).history(users: 40)
    // In one ingest, as sums of exports are.
    let log = workspace.path("log")
    let rows = try workspace.write("rows.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    #expect(try run(["ingest", rows, "--now", Self.now], log: log).status == 0)
    let all = users(events)
    let numbers = Dictionary(uniqueKeysWithValues: all.enumerated().map { (Array($0.element.utf8), $0.offset) })
    let gone = Array(all.prefix(5))
    let file = try workspace.write("gone.txt", gone.joined(separator: "\n"))
    let question = workspace.path("question")
    let newest = events.map(\.timestamp).max() ?? 0
    let asOf = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(newest / 1000 + 1)))
    let options = ["--as-of", asOf, "--log-start", "2020-01-01"]
    _ = try run(["report"] + options + ["--save-question", question, "--now", Self.now])
    let direct = try run(["report", "--format", "json"] + options, log: log, ["--without-users", file]).text
    func make(_ words: [String], _ name: String) throws -> String {
      let path = workspace.path(name)
      let made = try run(["sums", "make"] + words + ["--question", question, "--output", path, "--quiet"])
      #expect(made.status == 0, "\(made.errors)")
      return path
    }
    func rendered(_ sums: [String]) throws -> ToolResult {
      try run(["report", "--format", "json"] + sums.flatMap { ["--from-sums", $0] })
    }
    let ofLog = try make(["--log", log, "--without-users", file], "log.sums")
    #expect(try rendered([ofLog]).text == direct)
    // Shards of exports, each with the same list.
    var shards: [String] = []
    for shard in 1...2 {
      let own = events.filter { (numbers[Array($0.userID.utf8)] ?? 0) % 2 + 1 == shard }
      let part = try workspace.write("shard\(shard).ndjson", own.map { ndjsonLine($0) + "\n" }.joined())
      let words = [part, "--format", "ndjson", "--shard", "\(shard)/2", "--job", "j", "--without-users", file]
      shards.append(try make(words, "\(shard).sums"))
    }
    #expect(try rendered(shards).text == direct)
    let merged = workspace.path("merged.sums")
    _ = try run(["sums", "merge"] + shards + ["--output", merged])
    #expect(try rendered([merged]).text == direct)
    let shown = try run(["sums", "show", merged]).text
    #expect(shown.contains("without     5 users of the list "), "\(shown)")
    // Another list, and none.
    let other = try workspace.write("other.txt", gone.dropLast().joined(separator: "\n"))
    let second = workspace.path("shard2.ndjson")
    for (name, list) in [("other", ["--without-users", other]), ("none", [])] {
      let words = [second, "--format", "ndjson", "--shard", "2/2", "--job", "j"] + list
      let refused = try run(["sums", "merge", shards[0], make(words, name + ".sums"), "--output", workspace.path("no")])
      #expect(refused.status == 2 && refused.errors.contains("Make all shards with the same list of users"))
      #expect(!FileManager.default.fileExists(atPath: workspace.path("no")))
    }
    for words in [
      ["report", "--from-sums", merged, "--without-users", file],
      ["report", "--as-of", asOf, "--save-question", question, "--without-users", file],
    ] {
      let refused = try run(words)
      #expect(refused.status == 64 && refused.errors.contains("sums"), "\(refused.errors)")
    }
    // A shard of which all users are left out is a shard all the same.
    let alone = try workspace.write(
      "alone.ndjson",
      events.filter { $0.userID.utf8.elementsEqual(gone[0].utf8) }.map { ndjsonLine($0) + "\n" }.joined())
    let empty = try make([alone, "--format", "ndjson", "--without-users", file], "empty.sums")
    #expect(try rendered([empty]).text.contains("\"left_out_users\": 1"))
  }

  @Test func hashedUsersAreFoundByTheKey() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 32))
    let newKey = try workspace.write("new", String(repeating: "n", count: 32))
    let rows = (0..<6).map { user in
      #"{"user_id":"person \#(user)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"}"#
        + "\n"
    }
    let file = try workspace.write("rows.ndjson", rows.joined())
    let log = workspace.path("log")
    #expect(try run(["ingest", file, "--hash-users", key], log: log).status == 0)
    let gone = try workspace.write("gone.txt", "person 1\nperson 2 \n")
    func count(_ options: [String]) throws -> String {
      try answer(run(["report", "--format", "json"], log: log, options)).leftOut
    }
    #expect(try count(["--without-users", gone, "--hash-users", key]) == "2")
    for wrong in [[], ["--hash-users", newKey]] {
      let refused = try run(["report"], log: log, ["--without-users", gone] + wrong)
      #expect(refused.status == 64 && refused.errors.contains("hashed under"), "\(refused)")
      #expect(!refused.errors.contains("Nothing was changed"))
    }
    #expect(try run(["report"], log: log, ["--hash-users", key]).status == 64, "the key alone says nothing")
    #expect(try run(["users", "exclude", "--from", gone, "--hash-users", key], log: log).status == 0)
    #expect(try count([]) == "2")
    let listed = try run(["users", "list"], log: log).text
    #expect(listed.split(separator: "\n").count == 2 && !listed.contains("person"))
    // The list follows the log to another key.
    #expect(try run(["rekey", key, newKey], log: log).status == 0)
    #expect(try count([]) == "2")
    let both = ["--hash-users", key, "--hash-users", newKey]
    #expect(try count(["--without-users", workspace.write("all.txt", "person 1\nperson 3\n")] + both) == "3")
    // As the log exports it, without a key, too.
    let own = try workspace.write("own.txt", try run(["users", "list"], log: log).text)
    #expect(try run(["users", "include", "--from", own], log: log).status == 0)
    #expect(try count(["--without-users", own]) == "2")
    #expect(try run(["users", "exclude", "--from", own], log: log).status == 0)
    let pseudonym = try #require(run(["users", "list"], log: log).text.split(separator: "\n").first)
    #expect(try run(["users", "include", "--id", String(pseudonym)] + both, log: log).status == 0)
    #expect(try count([]) == "1")
    // An erased person is on no list.
    #expect(try run(["erase", "--user", "person 1", "--user", "person 2"] + both, log: log).status == 0)
    #expect(try run(["users", "list"], log: log).text.isEmpty)
    #expect(try count([]) == "null")
  }

  /// A day that only users who are left out have events after is not over, and looks of other users are never mixed.
  @Test func recordedLooksAreOfTheUsersThatCount() throws {
    func rows(_ user: String, _ day: Int, _ variant: String) -> String {
      [("prompt_shown", 0), (day % 2 == 0 ? "granted" : "denied", 5)].map { event, second in
        #"{"user_id":"\#(user)","timestamp":"2026-03-\#(String(format: "%02d", day))T10:00:0\#(second)Z","event":"\#(event)","permission":"camera","variant":"\#(variant)","experiment":"e"}"#
          + "\n"
      }.joined()
    }
    let lines = (1...20).flatMap { day in (0..<20).map { rows("u\(day)-\($0)", day, $0 % 2 == 0 ? "A" : "B") } }
    let monitor = #"{"user_id":"monitor","timestamp":"2026-03-28T10:00:00Z","event":"app_active"}"# + "\n"
    let log = workspace.path("log")
    let file = try workspace.write("rows.ndjson", lines.joined() + monitor)
    #expect(try run(["ingest", file], log: log).status == 0)
    let gone = try workspace.write("gone.txt", "monitor\n")
    let plan = workspace.path("plan.json")
    let words = ["plan", "A", "B", "--permission", "camera", "--experiment", "e", "--effect", "5", "--save", plan]
    #expect(try run(words, log: log).status == 0)
    #expect(try run(["users", "exclude", "--from", gone], log: log).status == 0)
    let planned = try run(["plan", "--permission", "camera", "--effect", "5", "--format", "json"], log: log).text
    #expect(planned.contains("\"left_out_users\": 1"))
    let compare = ["compare", "--plan", plan, "--record", "--as-of", "2026-03-25"]
    let recorded = try run(compare, log: log)
    #expect(recorded.status == 0, "\(recorded.errors)")
    let record = String(decoding: try workspace.read("plan.looks.json"), as: UTF8.self)
    #expect(record.contains("2026-03-19") && !record.contains("2026-03-20"), "its day may still get events")
    for words in [compare, ["compare", "--plan", plan]] {
      let refused = try run(words, log: log, ["--without-users", gone])
      #expect(refused.status == 64 && refused.errors.contains("put these users on that list"), "\(refused)")
    }
  }

  /// A change of the list that concerns no event changes no answer, so that no comparison has a caution.
  @Test func idsWithoutEventsChangeNothing() throws {
    let log = try ingest(HistoryGenerator(seed: 4).history(users: 20), "log")
    let before = try run(["compare", "A", "B", "--permission", "notifications"], log: log).text
    _ = try run(["users", "exclude", "--id", "nobody here"], log: log)
    let after = try run(["compare", "A", "B", "--permission", "notifications"], log: log).text
    #expect(after.replacing("; 0 users left out", with: "") == before)
    _ = try run(["users", "include", "--id", "nobody here"], log: log)
    #expect(try run(["compare", "A", "B", "--permission", "notifications"], log: log).text == before)
  }

  @Test func aListHasOneChecksumInEveryShard() throws {
    func row(_ user: String) -> String {
      #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"}"# + "\n"
    }
    let gone = try workspace.write("gone.txt", " ann \nbob\n")
    let question = workspace.path("question")
    _ = try run(["report", "--as-of", "2026-04-01", "--save-question", question])
    let shards = try [" ann ", "carl"].enumerated().map { number, user in
      let rows = try workspace.write("\(number).ndjson", row(user))
      let sums = workspace.path("\(number).sums")
      let words = [
        "sums", "make", rows, "--format", "ndjson", "--keep-ids", "--question", question, "--without-users", gone,
        "--shard", "\(number + 1)/2", "--job", "j", "--output", sums, "--quiet",
      ]
      #expect(try run(words).status == 0)
      return sums
    }
    let text = try run(["report", "--format", "json"] + shards.flatMap { ["--from-sums", $0] }).text
    #expect(text.contains("\"left_out_users\": 1") && text.contains("\"users\": 1,"), "\(text.prefix(400))")
  }

  @Test func linkedIDsAreOneUser() throws {
    let mapping = try workspace.write("mapping.yaml", LinkedIDTests.mapping)
    let rows = [
      #"{"ev":"push_permission_prompt_shown","u":"a","t":1772445600000,"id":"1","p":{}}"#,
      #"{"ev":"push_permission_granted","u":"b","t":1772445601000,"id":"2","p":{}}"#,
      #"{"ev":"push_permission_prompt_shown","u":"c","t":1772445602000,"id":"3","p":{}}"#,
      #"{"ev":"link","u":"a","t":1772445603000,"other":"b"}"#,
    ]
    let file = try workspace.write("rows.ndjson", rows.joined(separator: "\n") + "\n")
    let log = workspace.path("log")
    let read = try run(["ingest", file, "--mapping", mapping], log: log)
    #expect(read.status == 0, "\(read.errors)")
    // The second id is stored under the first.
    let gone = try workspace.write("gone.txt", "b\n")
    let text = try run(["report", "--format", "json"], log: log, ["--without-users", gone]).text
    #expect(text.contains("\"left_out_users\": 1") && text.contains("\"users\": 1,"), "\(text.prefix(700))")
    // Taking one id back does not bring the user back while another is listed.
    _ = try run(["users", "exclude", "--id", "a", "--id", "b"], log: log)
    let taken = try run(["users", "include", "--id", "b"], log: log).text
    #expect(taken.contains("still left out through linked ids of the list: a"), "\(taken)")
    let missing = try run(["users", "include", "--id", "nobody", "--quiet"], log: log)
    #expect(missing.status == 3 && missing.errors == "permlog: 1 id was not in the list\n", "\(missing.errors)")
  }

  @Test func badListsAreRefused() throws {
    let log = try ingest(HistoryGenerator(seed: 1).history(users: 5), "log")
    let empty = try workspace.write("empty.txt", "# no one\n\n")
    let long = try workspace.write("long.txt", "ok\n" + String(repeating: "x", count: 300) + "\n")
    for (file, status, words) in [
      (empty, 64, "it has no ids"), (long, 64, "line 2"), (workspace.path("absent"), 1, "No such file"),
    ] as [(String, Int32, String)] {
      let refused = try run(["report"], log: log, ["--without-users", file])
      #expect(refused.status == status && refused.errors.contains(words), "\(refused)")
      #expect(refused.errors.contains("--without-users"), "\(refused.errors)")
      let listed = try run(["users", "exclude", "--from", file], log: log)
      #expect(listed.status != 0 && listed.errors.contains("--from"), "\(listed.errors)")
    }
    #expect(try run(["users", "exclude"], log: log).status == 64)
    #expect(try run(["users", "list"], log: log).text.isEmpty)
    // Groups for strangers: the difference of two such reports would be a few users.
    let file = try workspace.write("gone.txt", users(HistoryGenerator(seed: 1).history(users: 5))[0])
    let refused = try run(["report", "--small-groups", "2"], log: log, ["--without-users", file])
    #expect(refused.status == 64 && refused.errors.contains("users to leave out"), "\(refused.errors)")
    // A damaged list is told; no answer pretends that there is none.
    _ = try run(["users", "exclude", "--id", "somebody"], log: log)
    let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasPrefix("excluded-") }
    let path = log + "/" + (try #require(names.first))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    for words in [["report"], ["users", "list"], ["verify"]] {
      let refused = try run(words, log: log)
      #expect(refused.status == 2 && refused.errors.contains("list of excluded users"), "\(words): \(refused)")
    }
  }
}
