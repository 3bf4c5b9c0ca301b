// Questions that are saved, counted on shards, and answered: the bytes of one log; and what is refused by the name of the option.

import Foundation
import ReportOracle
import Testing

@Suite struct QuestionCommandTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private static let now = "2100-01-01T00:00:00Z"

  private func asOf(_ events: [OracleEvent]) -> String {
    ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double(events.map(\.timestamp).max() ?? 0) / 1000 + 1))
  }

  private func start(_ events: [OracleEvent]) -> String {
    ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double((events.map(\.timestamp).min() ?? 0) / 1000)))
  }

  /// A log of all events, and sums of shards of the users, of all questions at once.
  private func shards(_ events: [OracleEvent], _ count: Int, _ questions: [String]) throws -> (
    log: String, sums: [String]
  ) {
    let all = try workspace.write("all.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    let log = workspace.path("log")
    let ingest = try Tool.run(["ingest", all, "--log", log, "--allow-custom-permissions", "--now", Self.now])
    #expect(ingest.status == 0, "\(ingest.errors)")
    let users = Array(Set(events.map(\.userID))).sorted()
    // The last shard has no users.
    let files = try (1...count).map { number in
      let own =
        number == count && count > 1
        ? []
        : events.filter {
          (users.firstIndex(of: $0.userID) ?? 0) % max(1, count - 1) == number - 1
        }
      let path = try workspace.write("\(number).ndjson", own.map { ndjsonLine($0) + "\n" }.joined())
      let sums = workspace.path("\(number).sums")
      // No zone files: those of the question are enough.
      let made = try Tool.run(
        [
          "sums", "make", path, "--format", "ndjson", "--allow-custom-permissions", "--shard", "\(number)/\(count)",
          "--job", "j", "--output", sums,
        ]
          + questions.flatMap { ["--question", $0] }, environment: ["TZDIR": "/nonexistent"])
      #expect(made.status == 0, "\(made.errors)")
      return sums
    }
    return (log, files)
  }

  private func save(_ words: [String], _ name: String) throws -> String {
    let path = workspace.path(name)
    let saved = try Tool.run(words + ["--save-question", path, "--now", Self.now])
    #expect(saved.status == 0 && saved.output.isEmpty, "\(saved.errors)")
    return path
  }

  @Test(arguments: [(3, 1, "UTC"), (8, 3, "Europe/Berlin"), (21, 8, "America/St_Johns"), (34, 3, "Pacific/Chatham")])
  func sumsAnswerWithTheBytesOfOneLog(seed: UInt64, count: Int, zone: String) throws {
    let events = HistoryGenerator(seed: seed).history(users: 60)
    let variants = Array(Set(events.compactMap(\.variant)).sorted().prefix(2))
    let permission = try #require(events.compactMap(\.permission).filter { $0 != "notifications" }.min())
    // Random answers may be logged together with their prompts, which sums do not look for.
    let moment = ["--as-of", asOf(events), "--time-zone", zone]
    let started = moment + ["--log-start", start(events)]
    let commands = [
      ["report"] + started, ["report", "--by", "variant", "--by", "platform", "--where", "country!=US"] + started,
      ["compare"] + variants + ["--permission", "notifications", "--by", "locale"] + moment,
      ["flow", "--steps", "notifications,\(permission)"] + moment, ["audit", "--examples", "2"] + started,
    ]
    let questions = try commands.enumerated().map { try save($1, "\($0).question") }
    let (log, sums) = try shards(events, count, questions)
    var numbers = SplitMix64(seed: seed)
    let answers = sums.shuffled(using: &numbers).flatMap { ["--from-sums", $0] }
    let choices = [
      ["--by-limit", "3"],
      ["--metric", "skip_rate", "--split", "2:1", "--contaminated", "exclude", "--minimum-effect", "3"],
      ["--guardrail", "drop_off_rate:2", "--explain"], ["--permission", permission],
      ["--threshold", "cold_ask=1", "--all"],
    ]
    for (place, words) in commands.enumerated() {
      let command = words[0]
      let formats = ["text", "json", "html"] + (command == "compare" ? [] : ["csv"]).filter { _ in command != "audit" }
      var forms = formats.map { ["--format", $0] }
      if command == "report" { forms += [["--full"], ["--section", "time"]] }
      if command == "report", place == 1 { forms.append(choices[0] + ["--format", "json"]) }
      if command == "compare" { forms += [choices[1], choices[2]] }
      if command == "flow" { forms.append(choices[3]) }
      if command == "audit" { forms += [choices[3], choices[4]] }
      for form in forms {
        let one = try Tool.run(words + form + ["--log", log, "--now", Self.now])
        #expect(one.status == 0, "seed \(seed), \(words + form): \(one.errors)")
        // Two reports are told apart by the options that are given.
        let again = command == "report" ? Array(words.dropFirst()) : []
        let many = try Tool.run([command] + again + form + answers, environment: ["TZDIR": "/nonexistent"])
        #expect(many.output == one.output && many.status == 0, "seed \(seed), \(words + form): \(many.errors)")
      }
    }
  }

  @Test func aQuestionIsSavedWithoutALogAndNeedsAMoment() throws {
    let report = ["report", "--as-of", "2026-04-01", "--time-zone", "Europe/Berlin", "--now", Self.now]
    let printed = try Tool.run(
      report + ["--log-start", "2026-01-01", "--save-question", "-"], environment: ["PERMLOG_LOG": "/nonexistent"])
    #expect(printed.status == 0 && printed.errors.isEmpty, "\(printed.errors)")
    #expect(
      printed.text.hasPrefix("{\"schema\":\"permlog.question/1\",\"kind\":\"report\"") && printed.text.hasSuffix("}\n"))
    #expect(
      printed.text.contains("\"as_of\":\"2026-03-31T22:00:00.000Z\"") && printed.text.split(separator: "\n").count == 1)
    let open = try Tool.run(report + ["--save-question", workspace.path("q")])
    #expect(open.status == 0 && open.errors.contains("Give --log-start with the first day"), "\(open.errors)")
    let quiet = try Tool.run(report + ["--save-question", workspace.path("q"), "--quiet"])
    #expect(quiet.status == 0 && quiet.errors.isEmpty)
    let moment = ["--as-of", "2026-04-01"]
    let refused: [([String], String)] = [
      (["report"], "--as-of"), (["compare", "A", "B"] + moment, "--permission"),
      (["report", "--format", "json"] + moment, "--format is for reading the sums"),
      (["report", "--full"] + moment, "--full"), (["report", "--log", "x"] + moment, "--log"),
      (["report", "--by", "locale", "--by-limit", "2"] + moment, "--by-limit"),
      (["flow", "--permission", "camera"] + moment, "--permission"),
      (["report", "--threads", "2"] + moment, "--threads"),
      (["audit", "--threshold", "cold_ask=1"] + moment, "--threshold"),
      (["audit", "--permission", "camera"] + moment, "--permission"),
      (["compare", "A", "B", "--permission", "camera", "--metric", "skip_rate"] + moment, "--metric"),
      (["compare", "A", "B", "--permission", "camera", "--split=1:1"] + moment, "--split"),
      (["report", "--from-sums", "x"] + moment, "--save-question or --from-sums"),
    ]
    for (words, sentence) in refused {
      let result = try Tool.run(words + ["--save-question", "-"])
      #expect(
        result.status == 64 && result.errors.contains(sentence) && result.output.isEmpty, "\(words): \(result.errors)")
    }
    let zone = try Tool.run(report + ["--save-question", "-"], environment: ["TZDIR": "/nonexistent"])
    #expect(zone.status == 64 && zone.errors.contains("Europe/Berlin"))
  }

  @Test func optionsThatDifferFromTheQuestionAreNamed() throws {
    let events = HistoryGenerator(seed: 5).history(users: 20)
    let moment = asOf(events)
    let question = try save(
      ["report", "--as-of", moment, "--time-zone", "Europe/Berlin", "--where", "country!=US", "--where", "surface!="],
      "q")
    let (log, sums) = try shards(events, 1, [question])
    func answer(_ options: [String]) throws -> ToolResult {
      try Tool.run(["report", "--from-sums", sums[0], "--format", "json"] + options)
    }
    #expect(
      try answer(["--as-of", moment, "--time-zone", "Europe/Berlin", "--follow-up", "28d", "--permission"]).status == 64
    )
    let same = try answer(["--as-of", moment, "--follow-up", "672h", "--where", "surface!=", "--where", "country!=US"])
    #expect(same.status == 0, "\(same.errors)")
    let differing: [([String], String)] = [
      (["--as-of", "2026-04-01"], "--as-of: "), (["--time-zone", "UTC"], "--time-zone: "),
      (["--follow-up", "7d"], "--follow-up: "),
      (["--response-window", "1h"], "--response-window: "), (["--by", "locale"], "--by: "),
      (["--permission", "camera"], "--permission: "),
      (["--where", "country!=US"], "--where: "), (["--log-start", "2026-01-01"], "--log-start: "),
      (["--week", "2026-W10"], "--from: "),
      (["--to", "2026-04-01"], "--to: "), (["--by-limit", "3"], "--by-limit"),
      (["--section", "values", "--format", "csv"], "--section values"),
      (["--log", log], "--log"),
    ]
    for (options, name) in differing {
      let words = options.contains("--format") ? ["report", "--from-sums", sums[0]] + options : nil
      let result = try words.map { try Tool.run($0) } ?? answer(options)
      #expect(
        result.status == 64 && result.errors.contains(name) && result.output.isEmpty, "\(options): \(result.errors)")
    }
    // In the words in which it was given, and not as the moment in UTC at which the day begins.
    let day = try answer(["--as-of", "2026-04-01"])
    #expect(day.errors.contains(", not with 2026-04-01."), "\(day.errors)")
    // The clock of the question is the one that counts.
    let clock = try answer(["--now", "2099-12-31T00:00:00Z"])
    #expect(clock.status == 64 && clock.errors.contains("--now: ") && clock.output.isEmpty, "\(clock.errors)")
    #expect(try answer(["--now", Self.now]).output == (try answer([])).output)
    let other = try Tool.run(["flow", "--from-sums", sums[0]])
    #expect(
      other.status == 64
        && other.errors.contains("do not answer a question of a report of flows. They answer: report "),
      "\(other.errors)")
    let twice = try Tool.run(["report", "--from-sums", sums[0], "--from-sums", sums[0]])
    #expect(twice.status == 2, "\(twice.errors)")
    let onto = try Tool.run(["report", "--from-sums", sums[0], "--output", sums[0], "--format", "json"])
    #expect(onto.status == 64 && onto.errors.contains("sums that are read"), "\(onto.errors)")
    let piped = try Tool.run(
      ["report", "--from-sums", "-", "--format", "json"], input: try Data(contentsOf: URL(fileURLWithPath: sums[0])))
    #expect(piped.output == (try answer([])).output && piped.status == 0)
  }

  @Test func severalQuestionsAreToldApartByTheOptions() throws {
    let events = HistoryGenerator(seed: 5).history(users: 20)
    let words = ["report", "--as-of", asOf(events), "--log-start", start(events)]
    let questions = try [
      save(words, "1"), save(words + ["--by", "platform"], "2"), save(words + ["--by", "locale"], "3"),
    ]
    let (log, sums) = try shards(events, 1, questions)
    // That without --by; of the other two neither is meant.
    let open = try Tool.run(["report", "--from-sums", sums[0], "--format", "json"])
    #expect(open.output == (try Tool.run(words + ["--log", log, "--format", "json"])).output, "\(open.errors)")
    let none = try Tool.run(["report", "--from-sums", sums[0], "--by", "country"])
    #expect(none.status == 64 && none.errors.contains("none of them fits"), "\(none.errors)")
    let one = try Tool.run(["report", "--from-sums", sums[0], "--by", "locale", "--format", "csv"])
    #expect(one.status == 0 && one.text.contains("locale"), "\(one.errors)")
    // What goes with the question that is meant need not go with the others, and the other way round.
    for more in [
      ["--section", "timing", "--format", "csv"], ["--by", "platform", "--by-limit", "1", "--format", "csv"],
    ] {
      let answer = try Tool.run(["report", "--from-sums", sums[0]] + more)
      #expect(answer.output == (try Tool.run(words + ["--log", log] + more)).output, "\(more): \(answer.errors)")
      #expect(answer.status == 0, "\(more): \(answer.errors)")
    }
    let limit = try Tool.run(["report", "--from-sums", sums[0], "--by-limit", "1"])
    #expect(limit.status == 64 && limit.errors.contains("--by-limit goes with --by"), "\(limit.errors)")
    // Written over the sums of all three.
    let (_, two) = try shards(events, 1, Array(questions.dropFirst()))
    let either = try Tool.run(["report", "--from-sums", two[0]])
    #expect(
      either.status == 64 && either.errors.contains("several fit") && either.errors.contains("by platform"),
      "\(either.errors)")
  }

  @Test func noQuestionIsTakenForAnotherOfItsKind() throws {
    let events = HistoryGenerator(seed: 5).history(users: 20)
    let started = ["--log-start", start(events)]
    let questions = try [
      save(["report", "--as-of", "2026-03-01"] + started, "1"),
      save(["report", "--as-of", "2026-04-01", "--by", "platform"] + started, "2"),
    ]
    let (_, sums) = try shards(events, 1, questions)
    let open = try Tool.run(["report", "--from-sums", sums[0]])
    #expect(
      open.status == 64 && open.errors.contains("several fit") && open.errors.contains("as_of 2026-03-01"),
      "\(open.errors)")
    let one = try Tool.run(["report", "--from-sums", sums[0], "--as-of", "2026-03-01"])
    #expect(one.status == 0, "\(one.errors)")
    // What is wrong whatever the question is said as it is.
    let date = try Tool.run(["report", "--from-sums", sums[0], "--log-start", "soon"])
    #expect(date.status == 64 && date.errors.contains("--log-start") && !date.errors.contains("none of them"))
    let name = try Tool.run(
      ["report", "--from-sums", sums[0], "--permission", String(repeating: "x", count: 2000)])
    #expect(name.status == 64 && name.errors.contains("--permission: a name has"), "\(name.errors)")
  }

  @Test func namesAreUnknownToEventsWithoutAPermissionToo() throws {
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    let (file, log) = (try workspace.write("active.ndjson", line), workspace.path("active"))
    #expect(try Tool.run(["ingest", file, "--format", "ndjson", "--log", log]).status == 0)
    let moment = ["--as-of", "2026-04-01"]
    for (words, chosen) in [
      (["flow"], ["--permission", "camera"]), (["flow", "--steps", "camera,photos"], []),
      (["flow", "--where", "country=DE"], []), (["audit"], ["--permission", "camera"]),
      (["audit", "--where", "country=DE"], []),
    ] {
      let (question, sums) = (try save(words + moment, "q"), workspace.path("active.sums"))
      #expect(try Tool.run(["sums", "make", "--log", log, "--question", question, "--output", sums]).status == 0)
      let one = try Tool.run(words + moment + chosen + ["--log", log])
      let many = try Tool.run([words[0], "--from-sums", sums] + chosen)
      #expect(one.status == 64 && many.status == 64 && many.output.isEmpty, "\(words): \(many.errors)")
    }
  }

  @Test func emptySumsSayWhatAnEmptyLogSays() throws {
    // An ingest without an event makes no log; an expiry empties one.
    let lines = HistoryGenerator(seed: 5).history(users: 5).map { ndjsonLine($0) + "\n" }.joined()
    let log = workspace.path("log")
    #expect(
      try Tool.run(["ingest", workspace.write("x", lines), "--log", log, "--format", "ndjson", "--now", Self.now])
        .status == 0)
    let expired = try Tool.run(["expire", "--before", "2099-01-01", "--log", log, "--now", Self.now])
    #expect(expired.status == 0, "\(expired.errors)")
    let moment = ["--as-of", "2026-04-01", "--time-zone", "Europe/Berlin"]
    for command in ["report", "flow", "audit"] {
      let question = try save([command] + moment, "\(command).question")
      let sums = workspace.path("\(command).sums")
      let made = try Tool.run(
        ["sums", "make", "-", "--format", "ndjson", "--question", question, "--output", sums], input: Data())
      #expect(made.status == 0, "\(made.errors)")
      for format in ["text", "json", "html", "markdown"] + (command == "audit" ? [] : ["csv"]) {
        // With --log an empty log suggests to fill that log.
        let one = try Tool.run([command, "--format", format] + moment, environment: ["PERMLOG_LOG": log])
        let none = try Tool.run(
          [command, "--from-sums", sums, "--format", format], environment: ["TZDIR": "/nonexistent"])
        #expect(none.status == 0 && none.output == one.output, "\(command), \(format): \(none.errors)")
      }
    }
    let question = try save(["compare", "A", "B", "--permission", "camera"] + moment, "q")
    let sums = workspace.path("sums")
    _ = try Tool.run(
      ["sums", "make", "-", "--format", "ndjson", "--question", question, "--output", sums], input: Data())
    let compared = try Tool.run(["compare", "--from-sums", sums])
    #expect(compared.status == 1 && compared.errors.contains("no events"), "\(compared.errors)")
  }

  /// No log is read that could refuse it.
  @Test func aPermissionOutsideTheTaxonomyIsWarnedOf() throws {
    func saved(_ permission: String) throws -> String {
      let result = try Tool.run([
        "report", "--as-of", "2026-04-01", "--log-start", "2026-01-01", "--permission", permission, "--save-question",
        workspace.path("q"),
      ])
      #expect(result.status == 0)
      return result.errors
    }
    #expect(try saved("camera") == "")
    #expect(
      try saved("notification").contains("outside the taxonomy")
        && saved("notification").contains("did you mean notifications?"))
    #expect(try saved("smell").contains("with --allow-custom-permissions have it."))
  }

  /// What happens between the saving and the moment would be rejected.
  @Test func aMomentThatIsYetToComeIsWarnedOf() throws {
    func saved(_ now: String) throws -> ToolResult {
      try Tool.run([
        "audit", "--as-of", "2026-04-01", "--log-start", "2026-01-01", "--save-question", workspace.path("q"), "--now",
        now,
      ])
    }
    for now in ["2026-04-01T00:00:00Z", "2026-03-30T23:00:00Z"] { #expect(try saved(now).errors == "", "\(now)") }
    let early = try saved("2026-03-30T22:59:59Z")
    #expect(
      early.status == 0 && early.errors.contains("WARNING: the question looks from 2026-04-01, which is in the future"),
      "\(early.errors)")
  }
}
