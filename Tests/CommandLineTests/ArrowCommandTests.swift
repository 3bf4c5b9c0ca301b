// Arrow streams on the command line: standard input and files, what is refused, and which columns an ingest asks for.

import Foundation
import Testing

private let samples: String =
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("data/samples/arrow").path

@Suite struct ArrowCommandTests {
  private func stream(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: "\(samples)/\(name).arrows"))
  }

  /// The events that a log has, each without its place in the input.
  private func export(_ log: String) throws -> String { try Tool.run(["export", "--log", log]).text }

  @Test(arguments: [["--format", "arrow"], []]) func standardInputAndFiles(options: [String]) throws {
    let workspace = try Workspace()
    let input = try Tool.run(
      ["ingest", "-", "--log", workspace.path("a"), "--summary", "json"] + options, input: stream("slices"))
    #expect(input.status == 0, "\(input.errors)")
    let summary = try #require(try JSONSerialization.jsonObject(with: input.output) as? [String: Any])
    #expect(summary["lines"] as? Int == 19 && summary["new"] as? Int == 19 && summary["rejected"] as? Int == 0)
    // `even`, a column that nobody asks for, has a value in every row.
    #expect(summary["ignored_fields"] as? Int == 19)
    let file = try Tool.run(["ingest", "\(samples)/slices.arrows", "--log", workspace.path("b")] + options)
    #expect(file.status == 0, "\(file.errors)")
    let lines = try Tool.run(["ingest", "\(samples)/slices.ndjson", "--log", workspace.path("c")])
    #expect(lines.status == 0)
    let events = try export(workspace.path("c"))
    #expect(!events.isEmpty)
    #expect(try export(workspace.path("a")) == events)
    #expect(try export(workspace.path("b")) == events)
  }

  @Test func nothingOfATornStreamIsStored() throws {
    let workspace = try Workspace()
    let whole = try stream("slices")
    for data in [whole.dropLast(8), whole.dropLast(100), whole + Data([0]), whole + whole] {
      let result = try Tool.run(["ingest", "-", "--log", workspace.path("log")], input: Data(data))
      #expect(result.status == 2)
      #expect(result.errors.contains("Arrow stream") && result.errors.contains("nothing was stored"))
      #expect(!FileManager.default.fileExists(atPath: workspace.path("log")))
    }
    let kept = try Tool.run(
      ["ingest", "-", "--log", workspace.path("log"), "--keep-partial"], input: Data(whole.dropLast(8)))
    #expect(kept.status == 0)
    #expect(kept.errors.contains("its end marker is missing"))
    #expect(kept.text.contains("new        19 events"))
  }

  @Test func rejectedRows() throws {
    let workspace = try Workspace()
    let result = try Tool.run(
      ["ingest", "-", "--log", workspace.path("log"), "--rejects", workspace.path("r.ndjson")],
      input: stream("rejected"))
    #expect(result.status == 0)
    #expect(result.errors.contains("-:1: user_id \"anonymous\" names no user"))
    let lines = String(decoding: try workspace.read("r.ndjson"), as: UTF8.self).split(separator: "\n")
    let rejects = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(rejects.map { $0["line"] as? Int } == [1, 2, 3, 6, 7, 8])
    let text = try #require(rejects.first?["text"] as? String)
    let row = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(row["user_id"] as? String == "anonymous" && row["timestamp"] as? Int == 1_740_830_400_000)

    let strict = try Tool.run(
      ["ingest", "-", "--log", workspace.path("other"), "--strict"], input: stream("rejected"))
    #expect(strict.status == 2 && strict.errors.contains("--strict was given"))
    #expect(!FileManager.default.fileExists(atPath: workspace.path("other")))
  }

  @Test func hiddenUsers() throws {
    let workspace = try Workspace()
    let key = try workspace.write("key", String(repeating: "0123456789abcdef", count: 4))
    let options = ["--hash-users", key, "--rejects", workspace.path("r.ndjson")]
    let rows = try Tool.run(["ingest", "-", "--log", workspace.path("a")] + options, input: stream("texts_string"))
    #expect(rows.status == 0, "\(rows.errors)")
    #expect(!String(decoding: try workspace.read("r.ndjson"), as: UTF8.self).contains("x257"))
    let lines = try Tool.run(
      ["ingest", "\(samples)/texts_string.ndjson", "--log", workspace.path("b"), "--hash-users", key])
    #expect(lines.status == 0)
    let events = try export(workspace.path("a"))
    #expect(!events.isEmpty && !events.contains("3F2504E0"))
    #expect(try export(workspace.path("b")) == events)
  }

  @Test func vendorsTables() throws {
    for name in ["posthog", "ga4", "amplitude"] {
      let rows = try Tool.run(["mapping", "check", "-"], input: stream("vendors/\(name)"))
      let lines = try Tool.run(["mapping", "check", "\(samples)/vendors/\(name).ndjson"])
      #expect(rows.status == 0 && lines.status == 0, "\(rows.errors)")
      #expect(
        rows.text.replacing("-:", with: "\(name).ndjson:").split(separator: "\n").last
          == lines.text.split(separator: "\n").last)
    }
  }

  @Test func columns() throws {
    let workspace = try Workspace()
    let canonical = try Tool.run(["mapping", "columns", "-"], input: stream("no_rows"))
    #expect(canonical.status == 0 && canonical.text == "user_id\ntimestamp\nevent\npermission\n")
    let spelled = try Tool.run(["mapping", "columns", "\(samples)/spellings.arrows", "--format", "arrow"])
    #expect(spelled.text == "User ID\n time-stamp \nEVENT\nPermission\n")
    let vendor = try Tool.run(["mapping", "columns", "-", "--format", "ga4"], input: stream("vendors/ga4"))
    #expect(vendor.text.hasPrefix("event_name\nevent_timestamp\n") && !vendor.text.contains("event_date"))
    let mapping = try workspace.write(
      "m.yaml", "record:\n  event: /event\n  user: /user_id\n  time: /timestamp\nfields:\n  variant: /a list\n")
    let refused = try Tool.run(["mapping", "columns", "-", "--mapping", mapping], input: stream("passed_over"))
    #expect(refused.status == 2 && refused.text.isEmpty)
    #expect(refused.errors.contains("the column a list is of the type list, which permlog does not read"))
    let lines = try Tool.run(["mapping", "columns", "\(samples)/null.ndjson"])
    #expect(lines.status == 2 && lines.errors.contains("is not a table with column names"))
  }

  @Test func filesOfColumnsNameThePackage() throws {
    let workspace = try Workspace()
    let file = try workspace.write("my events.parquet", "PAR1\u{15}\u{0}")
    for command in [
      ["ingest", file, "--log", workspace.path("log")], ["mapping", "check", file], ["mapping", "draft", file],
    ] {
      // A Python without the package.
      let result = try Tool.run(command, environment: ["PATH": workspace.path("nowhere")])
      #expect(result.status == 2)
      #expect(
        result.errors.contains(
          "is a Parquet file, which permlog does not read directly. permlog's Python package reads it: "
            + "python -m permlog ingest '\(file)'"), "\(result.errors)")
    }
  }

  /// Whoever has the package need not call it: the tool becomes it, with the same arguments.
  @Test func filesOfColumnsAreHandedOver() throws {
    let workspace = try Workspace()
    let file = try workspace.write("my events.parquet", "PAR1\u{15}\u{0}\u{15}\u{0}")
    let bin = workspace.path("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    let python = bin + "/python3"
    try Data(
      "#!/bin/sh\nif [ \"$1\" = -c ]; then exit $MISSING; fi\nprintf '%s|' \"$@\" \"$PERMLOG_TOOL\"\nexit 7\n".utf8
    )
    .write(to: URL(fileURLWithPath: python))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python)
    let environment = ["PATH": bin + ":/usr/bin:/bin", "MISSING": "0"]
    for command in [
      ["ingest", "--strict", file, "--log", workspace.path("log")], ["mapping", "check", file],
      ["mapping", "draft", file],
      ["mapping", "columns", file],
    ] {
      let result = try Tool.run(command, environment: environment)
      let tool = URL(fileURLWithPath: Tool.path).resolvingSymlinksInPath().path
      #expect(result.status == 7 && result.text == (["-m", "permlog"] + command + [tool, ""]).joined(separator: "|"))
      let without = try Tool.run(command, environment: environment.merging(["MISSING": "1"]) { $1 })
      #expect(without.status == 2 && without.errors.contains("python -m permlog ingest"))
      // The package's own tool hands nothing over.
      let again = try Tool.run(command, environment: environment.merging(["PERMLOG_HANDED_OVER": "1"]) { $1 })
      #expect(again.status == 2)
    }
  }

  @Test func formatsThatDoNotFit() throws {
    let workspace = try Workspace()
    for (format, input, sentence) in [
      ("csv", try stream("null"), "is an Arrow stream, not csv; leave --format out"),
      ("arrow", Data("{}\n".utf8), "does not begin like an Arrow stream"),
      ("arrow", Data(), "does not begin like an Arrow stream"),
    ] {
      let result = try Tool.run(["ingest", "-", "--log", workspace.path("log"), "--format", format], input: input)
      #expect(result.status == 2 && result.errors.contains(sentence), "\(result.errors)")
    }
  }
}
