// `permlog sums` on the command line: what is read and written, what ends with which status, and that nothing is left.

import Foundation
import Testing

@Suite struct SumsCommandTests {
  let workspace: Workspace

  init() throws { workspace = try Workspace() }

  static func line(_ user: String, _ event: String, day: Int = 2) -> String {
    #"{"user_id":"\#(user)","timestamp":"2026-03-0\#(day)T10:00:00Z","event":"\#(event)","permission":"camera"}"# + "\n"
  }

  func question(_ name: String = "q", _ options: [String] = []) throws -> String {
    let path = workspace.path(name)
    let saved = try Tool.run(
      ["report", "--as-of", "2026-04-01", "--save-question", path, "--now", "2026-04-02T00:00:00Z"] + options)
    #expect(saved.status == 0, "\(saved.errors)")
    return path
  }

  /// Two exports of disjoint users, with a bad line each.
  func exports() throws -> [String] {
    try [
      workspace.write(
        "a.ndjson", Self.line("u", "prompt_shown") + "{bad\n" + Self.line("u", "granted") + Self.line("u", "granted")),
      workspace.write("b.ndjson", Self.line("v", "denied", day: 3) + Self.line("v", "prompt_shown", day: 3) + "[]\n"),
    ]
  }

  func make(_ arguments: [String], input: Data? = nil) throws -> ToolResult {
    try Tool.run(["sums", "make"] + arguments, input: input, environment: ["TMPDIR": workspace.path("tmp")])
  }

  func tmp() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: workspace.path("tmp"))
  }

  func makeTMP() throws {
    try FileManager.default.createDirectory(atPath: workspace.path("tmp"), withIntermediateDirectories: true)
  }

  func shards(_ question: String, _ options: [String] = []) throws -> [String] {
    try exports().enumerated().map { number, file in
      let path = workspace.path("\(number + 1).sums")
      let result = try make(
        [
          file, "--format", "ndjson", "--question", question, "--shard", "\(number + 1)/2", "--job", "j", "--output",
          path,
        ] + options)
      #expect(result.status == 0, "\(result.errors)")
      return path
    }
  }

  @Test func shardsAddUpToWhatOneLogSays() throws {
    try makeTMP()
    // Sums know no oldest event, from which on one log looks.
    // Their answers come at once, which sums do not judge.
    let start = ["--log-start", "2026-03-01"]
    let question = try question("q", start)
    let shards = try shards(question)
    #expect(try tmp().isEmpty)
    let merged = workspace.path("all.sums")
    #expect(try Tool.run(["sums", "merge"] + shards + ["--output", merged]).status == 0)
    let other = try Tool.run(["sums", "merge"] + shards.reversed() + ["--output", "-"])
    #expect(other.output == (try workspace.read("all.sums")))
    let piped = try Tool.run(
      ["sums", "merge", shards[0], "-", "--output", "-"], input: try workspace.read("2.sums"))
    #expect(piped.output == other.output, "\(piped.errors)")
    let report = try Tool.run(["report", "--from-sums", merged, "--format", "json"])
    #expect(report.status == 0, "\(report.errors)")
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest"] + exports() + ["--log", log, "--now", "2026-04-02T00:00:00Z"]).status == 0)
    let whole = try Tool.run(["report", "--as-of", "2026-04-01", "--log", log, "--format", "json"] + start)
    #expect(whole.output == report.output)
  }

  @Test func standardInputAndOutputAndOneReadingForSeveralQuestions() throws {
    try makeTMP()
    let (first, second) = (try question("q"), try question("p", ["--by", "platform"]))
    let input = try Data(contentsOf: URL(fileURLWithPath: exports()[0]))
    let result = try make(
      ["-", "--question", first, "--question", second, "--output", "-"], input: input)
    #expect(result.status == 0)
    // The summary makes way for the sums.
    #expect(result.text.hasPrefix("permlog-sums 2\njob -\nshards 1\nclaimed 1\n"))
    #expect(result.errors.contains("read       4 lines in 1 file"), "\(result.errors)")
    #expect(result.text.split(separator: "\n").filter { $0.hasPrefix("question {") }.count == 2)
    let quiet = try make(
      ["-", "--question", second, "--question", first, "--output", "-", "--quiet"], input: input)
    #expect(quiet.output == result.output && quiet.errors.isEmpty)
    let toFile = try make(
      ["-", "--question", first, "--question", second, "--output", workspace.path("x"), "--summary", "json"],
      input: input)
    let summary = try #require(try JSONSerialization.jsonObject(with: toFile.output) as? [String: Any])
    #expect(summary["new"] as? Int == 2 && summary["duplicates"] as? Int == 1 && summary["rejected"] as? Int == 1)
    #expect(try workspace.read("x") == result.output)
  }

  @Test func noEventsAreAnAnswer() throws {
    try makeTMP()
    let question = try question()
    let none = try make(["-", "--question", question, "--output", "-"], input: Data())
    #expect(none.status == 0 && none.text.contains("\nevents 0\nusers 0\nnewest -\n"), "\(none.errors)")
    // A stream with a schema and no rows: the sample's first message, and the end mark.
    let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("data/samples/arrow")
    let stream = try Data(contentsOf: samples.appendingPathComponent("slices.arrows"))
    let length = stream[4..<8].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    let schema = stream.prefix(8 + length) + Data([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    let arrow = try make(["-", "--format", "arrow", "--question", question, "--output", "-"], input: schema)
    #expect(arrow.status == 0 && arrow.text.contains("\nevents 0\n"), "\(arrow.errors)")
    let cut = try make(
      ["-", "--format", "arrow", "--question", question, "--output", workspace.path("cut")], input: schema.dropLast(8))
    #expect(cut.status == 2 && !FileManager.default.fileExists(atPath: workspace.path("cut")))
    #expect(try tmp().isEmpty)
  }

  @Test func sumsAreShown() throws {
    try makeTMP()
    let shards = try shards(try question())
    let text = try Tool.run(["sums", "show", shards[0]])
    #expect(text.status == 0)
    for line in [
      "job         j", "shards      has shard 1 of 2; shard 2 is missing", "events      2 of 1 user",
      "rejected    1 line",
    ] {
      #expect(text.text.contains(line + "\n"), "\(text.text)")
    }
    let json = try Tool.run(["sums", "show"] + shards + ["--format", "json"])
    let document = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(document["schema"] as? String == "permlog.sums/1" && document["job"] as? String == "j")
    #expect(document.at("totals", "events") as? Int == 4 && document.at("totals", "rejected") as? Int == 2)
    #expect((document["missing"] as? [Any])?.isEmpty == true && document.at("claimed", 0, "last") as? Int == 2)
    #expect(document.at("questions", 0, "kind") as? String == "report")
    #expect(document.at("questions", 0, "fold") as? String == "report 7")
    // As it was saved, without its line end.
    let asked = try #require(document.at("questions", 0, "question") as? String)
    #expect(Data((asked + "\n").utf8) == (try workspace.read("q")))
    // Nothing of a job.
    let all = try make(try exports() + ["--question", question(), "--output", workspace.path("all.sums")])
    #expect(all.status == 0)
    #expect(
      try Tool.run(["sums", "show", workspace.path("all.sums")]).text.hasPrefix("job         none: all users at once\n")
    )
  }

  @Test func whatHoldsIdsOfUsersIsPrivate() throws {
    try makeTMP()
    func mode(_ name: String) throws -> Int {
      try #require(try FileManager.default.attributesOfItem(atPath: workspace.path(name))[.posixPermissions] as? Int)
        & 0o77
    }
    for (examples, mask) in [("0", 0o44), ("2", 0)] {
      let question = workspace.path("audit-\(examples)")
      let words = ["audit", "--as-of", "2026-04-01", "--log-start", "2026-01-01", "--examples", examples]
      #expect(try Tool.run(words + ["--save-question", question]).status == 0)
      let made = try make([exports()[0], "--question", question, "--output", workspace.path("made")])
      #expect(made.status == 0, "\(made.errors)")
      #expect(
        try Tool.run(["sums", "merge", workspace.path("made"), "--output", workspace.path("merged")]).status == 0)
      // In a file of its own each time: the mode of a file that is there is kept otherwise.
      #expect(try mode("made") & 0o44 == mask && mode("merged") & 0o44 == mask, "\(examples)")
      for name in ["made", "merged"] { try FileManager.default.removeItem(atPath: workspace.path(name)) }
    }
  }

  /// Reading may take an hour.
  @Test func theOutputIsLookedAtBeforeAnythingIsRead() throws {
    try makeTMP()
    let question = try question()
    for output in [workspace.path("none/x"), workspace.path("tmp")] {
      let made = try make([exports()[0], "--question", question, "--output", output])
      #expect(made.status == 1 && made.errors.contains("--output") && !made.text.contains("lines in"), "\(made.text)")
    }
    // Beside what is read.
    let folder = workspace.path("exports")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try workspace.write("exports/a.ndjson", Self.line("u", "prompt_shown"))
    let made = try make([folder, "--question", question, "--output", folder + "/x.sums"])
    #expect(made.status == 0 && made.text.contains("1 line in 1 file"), "\(made.text)\(made.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.ndjson", "x.sums"])
  }

  @Test func aQuestionIsAskedOnceAndReplacesNoOtherFile() throws {
    try makeTMP()
    let first = try question("q1")
    let again = workspace.path("q2")
    #expect(
      try Tool.run(["report", "--as-of", "2026-04-01", "--save-question", again, "--now", "2026-04-03T00:00:00Z"])
        .status == 0)
    let made = try make([exports()[0], "--question", first, "--question", again, "--output", workspace.path("x")])
    #expect(made.status == 64 && made.errors.contains("was saved twice"), "\(made.errors)")
    let export = try exports()[0]
    let saved = try Tool.run(["report", "--as-of", "2026-04-01", "--save-question", export])
    #expect(saved.status == 64 && saved.errors.contains("exists and is not a question"), "\(saved.errors)")
    #expect(try workspace.read("a.ndjson").count > 100)
    // An older question is replaced.
    #expect(try question("q1") == first)
  }

  /// Of sums, not of a log that is kept.
  @Test func theSummaryIsOfSums() throws {
    try makeTMP()
    let question = try question()
    let none = try make(["-", "--question", question, "--output", workspace.path("x")], input: Data())
    #expect(none.text.contains("No events: the sums are valid, but have no users.\n"), "\(none.text)")
    let some = try make([exports()[0], "--question", question, "--output", workspace.path("x")])
    #expect(some.text.contains(", the newest event read\n"), "\(some.text)")
    #expect(!(some.text + none.text).contains("log") && !(some.text + none.text).contains("store"), "\(some.text)")
  }

  @Test func momentsAreShownInTheZoneOfTheQuestion() throws {
    try makeTMP()
    let question = try question("z", ["--time-zone", "Europe/Berlin", "--log-start", "2026-03-01T10:30:00+01:00"])
    let made = try make([exports()[0], "--question", question, "--output", workspace.path("x")])
    #expect(made.status == 0, "\(made.errors)")
    let text = try Tool.run(["sums", "show", workspace.path("x")]).text
    #expect(text.contains("as of: 2026-04-01 in Europe/Berlin\n"), "\(text)")
    #expect(text.contains("log start: 2026-03-01T10:30:00.000 in Europe/Berlin\n"), "\(text)")
    #expect(text.contains("  report, version 7 of its sums\n"), "\(text)")
  }

  @Test func wrongCommandLines() throws {
    try makeTMP()
    let (question, file) = (try question(), try exports()[0])
    let out = ["--output", workspace.path("x")]
    let wrong: [([String], String)] = [
      ([file] + out, "--question"), (["--question", question] + out, "name either files to read"),
      ([file, "--log", "l", "--question", question] + out, "or a log with --log"),
      ([file, "--question", question, "--shard", "1/2"] + out, "--shard and --job go together"),
      ([file, "--question", question, "--job", "j"] + out, "--shard and --job go together"),
      (
        [file, "--format", "csv", "--question", question, "--shard", "3/2", "--job", "j"] + out,
        "shard 3 of 2 is not possible"
      ),
      ([file, "--question", question, "--shard", "1/2", "--job", "j"] + out, "--shard needs --format"),
      ([file, "--question", question, "--shard", "+1/2", "--job", "j"] + out, "--shard"),
      ([file, "--format", "csv", "--question", question, "--shard", "1/2", "--job", "-"] + out, "the name of a job"),
      ([file, "--question", question, "--shard", "1/2", "--job", "j", "--strict"] + out, "do not go with --shard"),
      ([file, "--question", question, "--question", question] + out, "asked twice"),
      ([file, "--question", question, "--output", "-", "--summary", "json"], "give --output a file"),
      (["--log", "l", "--question", question, "--allow-future"] + out, "--allow-future is for reading files"),
      ([file, "--question", question, "--output", file], "one of the files to read"),
      ([file, "--question", question, "--output", question], "a question that is answered"),
      ([file, "--question", question, "--scratch", workspace.path("no/such")] + out, "--scratch"),
      ([file, "--question", file] + out, "it is not a question"),
      ([file, "--question", question, "--output", ""], "the argument after --output is empty"),
      (["-", "--question", "-"] + out, "standard input can be read only once"),
    ]
    for (arguments, sentence) in wrong {
      let result = try make(arguments)
      let isOfSystem = sentence == "--scratch"
      #expect(result.status == (isOfSystem ? 1 : 64), "\(arguments) \(result.errors)")
      #expect(result.errors.contains(sentence), "\(arguments): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: workspace.path("x")))
    #expect(try tmp().isEmpty)
    // A file in a directory that is read.
    let inside = try make([workspace.path("."), "--question", question, "--output", file])
    #expect(inside.status == 64 && inside.errors.contains("one of the files to ingest"), "\(inside.errors)")
    #expect(try Tool.run(["sums", "merge", file, "--output", "-"]).status == 2)
    #expect(try Tool.run(["sums", "merge", workspace.path("none"), "--output", "-"]).status == 1)
    #expect(try Tool.run(["sums", "merge", "--output", "-"]).status == 64)
    #expect(try Tool.run(["sums", "add"]).status == 64)
  }

  @Test func aFullDiskLeavesNothing() throws {
    try makeTMP()
    let shards = try shards(try question())
    let full = try Tool.run(["sums", "merge"] + shards + ["--output", "/dev/full"])
    #expect(full.status == 1 && full.errors.contains("--output /dev/full"), "\(full.errors)")
    // No file may grow beyond a few blocks: the scratch log does not fit.
    let users = try Tool.run(["simulate", "--users", "2000", "--output", workspace.path("many.ndjson")])
    #expect(users.status == 0)
    let result = try Tool.run(
      [
        "-c", "ulimit -f 16; exec \"$0\" sums make \"$1\" --question \"$2\" --output \"$3\" --scratch \"$4\"",
        Tool.path,
        workspace.path("many.ndjson"), workspace.path("q"), workspace.path("x"), workspace.path("tmp"),
      ], program: "/bin/sh")
    #expect(result.status == 1 && result.errors.contains("permlog-scratch-"), "\(result.errors)")
    #expect(try tmp().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: workspace.path("x")))
  }

  @Test(arguments: ["TERM", "INT", "HUP", "QUIT", "XCPU"]) func aSignalTakesAwayTheScratchLog(signal: String) throws {
    try makeTMP()
    let question = try question()
    // The directory is there before standard input is read, and standard input never ends.
    let script = """
      import os, signal, subprocess, sys, time
      number = getattr(signal, "SIG" + sys.argv[1])
      def deliver():
          signal.signal(number, signal.SIG_DFL)
          signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
      tool = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=deliver)
      seen = []
      for _ in range(3000):
          seen = [n for n in os.listdir(sys.argv[2]) if os.path.exists(os.path.join(sys.argv[2], n, "lock"))]
          if seen: break
          time.sleep(0.01)
      modes = [oct(os.stat(os.path.join(sys.argv[2], n)).st_mode & 0o777) for n in seen]
      tool.send_signal(number)
      tool.wait(60)
      print(seen and seen[0][:16], modes, os.listdir(sys.argv[2]), tool.returncode == -number)
      """
    let result = try Tool.run(
      [
        "python3", "-c", script, signal, workspace.path("tmp"), Tool.path, "sums", "make", "-", "--question", question,
        "--output", workspace.path("x"), "--scratch", workspace.path("tmp"),
      ], program: "/usr/bin/env")
    #expect(result.text == "permlog-scratch- ['0o700'] [] True\n", "\(result.text) \(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: workspace.path("x")))
  }
}
