// What was rejected, or not understood, for sums: it travels with them, and is told to whoever reads the answer.

import Foundation
import Testing

extension SumsCommandTests {
  @Test func rejectedLinesTravelAndAreDecidedAboutAtTheEnd() throws {
    try makeTMP()
    let question = try question()
    let rejects = workspace.path("r.ndjson")
    let shards = try shards(question)
    let first = try make([
      exports()[0], "--format", "ndjson", "--question", question, "--shard", "1/2", "--job", "j", "--output", shards[0],
      "--rejects", rejects,
    ])
    #expect(
      first.status == 0 && first.errors.contains("all of them are in \(rejects)") || first.errors.contains("a.ndjson:2")
    )
    #expect(try workspace.read("r.ndjson").split(separator: 0x0A).count == 1)
    let output = workspace.path("all.sums")
    let strict = try Tool.run(["sums", "merge"] + shards + ["--output", output, "--strict"])
    #expect(
      strict.status == 2 && strict.errors.contains("2 lines were rejected and --strict was given: no sums were written")
    )
    let few = try Tool.run(["sums", "merge"] + shards + ["--output", output, "--max-rejected", "10%"])
    #expect(few.status == 2 && few.errors.contains("2 lines were rejected, more than --max-rejected 10%"))
    #expect(!FileManager.default.fileExists(atPath: output))
    #expect(try Tool.run(["sums", "merge"] + shards + ["--output", output, "--max-rejected", "2"]).status == 0)
    let missing = try Tool.run(["sums", "merge", shards[1], "--output", "-", "--max-rejected", "2"])
    #expect(missing.status == 2 && missing.errors.contains("shard 1 of 2 of the job j is missing"))
    #expect(try Tool.run(["sums", "merge", shards[1], "--output", "-"]).status == 0)
    // Without a shard, as for an ingest.
    let whole = try make(try exports() + ["--question", question, "--output", workspace.path("x"), "--strict"])
    #expect(whole.status == 2 && whole.errors.contains("no sums were written"))
    let bad = try workspace.write("bad.ndjson", "{bad\n")
    let nothing = try make([bad, "--format", "ndjson", "--question", question, "--output", workspace.path("x")])
    #expect(nothing.status == 2 && nothing.errors.contains("none was understood"))
    #expect(!FileManager.default.fileExists(atPath: workspace.path("x")))
    let shard = try make([
      bad, "--format", "ndjson", "--question", question, "--shard", "1/1", "--job", "j", "--output",
      workspace.path("x"),
    ])
    #expect(shard.status == 0 && shard.errors.contains("bad.ndjson:1"), "\(shard.errors)")
    #expect(shard.errors.contains("WARNING: no line of this shard was understood"), "\(shard.errors)")
    #expect(try Tool.run(["report", "--from-sums", workspace.path("x")]).status == 2)
  }

  /// Whoever reads the answer may not be who counted.
  @Test func answersSayThatLinesWereRejected() throws {
    try makeTMP()
    let shards = try shards(try question())
    let sums = shards.flatMap { ["--from-sums", $0] }
    let report = try Tool.run(["report"] + sums)
    #expect(report.status == 0 && report.errors.contains("2 of 7 lines were rejected"), "\(report.errors)")
    #expect(!report.text.contains("rejected"))
    #expect(try Tool.run(["report", "--quiet"] + sums).errors.isEmpty)
    let input = Data((Self.line("u", "prompt_shown") + Self.line("u", "granted", day: 3)).utf8)
    #expect(try make(["-", "--question", question(), "--output", workspace.path("x")], input: input).status == 0)
    let clean = try Tool.run(["report", "--from-sums", workspace.path("x")])
    #expect(clean.status == 0 && !clean.errors.contains("rejected"), "\(clean.errors)")
  }

  /// A log's ingests do not keep what they rejected.
  @Test func whatALogDoesNotKnowIsUnknown() throws {
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest"] + exports() + ["--log", log]).status == 0)
    let sums = workspace.path("log.sums")
    #expect(try Tool.run(["sums", "make", "--log", log, "--question", question(), "--output", sums]).status == 0)
    let text = try Tool.run(["sums", "show", sums]).text
    #expect(text.contains("rejected    unknown\n") && !text.contains("lines "), "\(text)")
    #expect(text.contains("    response window: 30m\n    follow up: 28d\n"), "\(text)")
    let json = try Tool.run(["sums", "show", sums, "--format", "json"]).text
    for key in ["lines", "rejected", "erased", "unmapped"] { #expect(json.contains("\"\(key)\": null"), "\(json)") }
    for option in [["--strict"], ["--max-rejected", "0"]] {
      let merged = try Tool.run(["sums", "merge", sums, "--output", "-"] + option)
      #expect(merged.status == 2 && merged.errors.contains("the number of rejected lines is unknown"))
    }
  }

  /// Names that an export's mapping does not have.
  @Test func eventsWithoutAMeaningAreCounted() throws {
    try makeTMP()
    let line =
      #"{"event_type":"Opened Cart","device_id":"d","event_time":"2026-03-02 10:00:00.000000","$insert_id":"1"}"#
    let made = try make([
      workspace.write("am.json", line + "\n"), "--format", "amplitude", "--question", question(), "--shard", "1/1",
      "--job",
      "j", "--output", workspace.path("x"),
    ])
    #expect(made.status == 0 && made.errors.contains("WARNING: no line of this shard was understood"), "\(made.errors)")
    let text = try Tool.run(["sums", "show", workspace.path("x")]).text
    #expect(text.contains("unmapped    1 event, not counted\n"), "\(text)")
  }

  /// All bad rows of a job may come to one shard.
  @Test func aShardWithBadRowsAloneIsCounted() throws {
    try makeTMP()
    let question = try question()
    let bad = try workspace.write("bad.ndjson", "not a row\n{\"foo\":1}\n")
    for format in ["ndjson", "amplitude"] {
      let made = try make([
        bad, "--format", format, "--question", question, "--shard", "1/2", "--job", "j", "--output",
        workspace.path("x"),
      ])
      #expect(made.status == 0 && made.errors.contains("bad.ndjson:1"), "\(made.errors)")
      #expect(try Tool.run(["sums", "show", workspace.path("x")]).text.contains("lines       2\n"))
    }
  }
}
