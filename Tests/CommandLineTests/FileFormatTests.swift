// The format of a result by the name of its file.

import Foundation
import ReportOracle
import Testing

@Suite struct FileFormatTests {
  private func makeLog(_ workspace: Workspace) throws -> String {
    let lines = HistoryGenerator(seed: 3).history(users: 8).map { ndjsonLine($0) + "\n" }.joined()
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", lines), "--log", log]).status == 0)
    return log
  }

  /// The beginning of a file of a format.
  private let beginnings = [
    "html": "<!doctype html", "json": "{", "csv": "week,", "markdown": "#", "ndjson": #"{"event_id""#,
  ]

  @Test func theNameSaysTheFormatOfEveryCommand() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let cases: [([String], [(String, String)])] = [
      (
        ["report"],
        [
          ("a.html", "html"), ("a.HTM", "html"), ("a.json", "json"), ("a.csv", "csv"), ("a.md", "markdown"),
          ("a.markdown", "markdown"),
        ]
      ),
      (["experiments"], [("b.html", "html"), ("b.json", "json")]),
      (["plan", "--baseline", "40", "--log", log], [("c.json", "json")]),
      (["info"], [("d.json", "json")]), (["verify"], [("e.json", "json")]),
      (["export"], [("f.ndjson", "ndjson"), ("f.json", "ndjson"), ("f.jsonl", "ndjson")]),
    ]
    for (command, files) in cases {
      for (name, format) in files {
        let result = try Tool.run(
          command + (command.contains("--log") ? [] : ["--log", log]) + ["--output", workspace.path(name)])
        #expect(result.status == 0 && result.output.isEmpty, "\(command) \(name): \(result.errors)")
        let text = String(decoding: try workspace.read(name), as: UTF8.self)
        let beginning = try #require(beginnings[format])
        #expect(text.lowercased().hasPrefix(beginning), "\(name): \(text.prefix(40))")
      }
    }
    let csv = workspace.path("events.csv")
    #expect(try Tool.run(["export", "--log", log, "--output", csv]).status == 0)
    #expect(try workspace.read("events.csv") == Tool.run(["export", "--log", log, "--format", "csv"]).output)
    #expect(try Tool.run(["simulate", "--users", "5", "--output", workspace.path("sim.csv")]).status == 0)
    #expect(String(decoding: try workspace.read("sim.csv"), as: UTF8.self).hasPrefix("event_id,user_id"))
  }

  @Test func otherNamesAreTextAndAContradictionIsTold() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let text = try Tool.run(["report", "--log", log]).output
    for name in ["plain", "report.txt", "report.of.today", ".html", "report.html.d/report"] {
      let file = workspace.path(name)
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
      let result = try Tool.run(["report", "--log", log, "--output", file])
      #expect(result.status == 0 && result.errors.isEmpty, "\(name): \(result.errors)")
      #expect(try workspace.read(name).count > 0 && text.count > 0)
      #expect(String(decoding: try workspace.read(name), as: UTF8.self).first != "<", "\(name)")
    }
    let file = workspace.path("x.html")
    let asked = try Tool.run(["report", "--log", log, "--output", file, "--format", "json"])
    #expect(
      asked.status == 0 && asked.errors.contains("x.html holds json, as --format says, though its name says html"),
      "\(asked.errors)")
    #expect(try workspace.read("x.html").first == UInt8(ascii: "{"))
    // What a command cannot write is not written under that name.
    let refused = try Tool.run(["plan", "--baseline", "40", "--output", workspace.path("plan.html")])
    #expect(refused.status == 64 && refused.errors.contains("it writes text, json"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: workspace.path("plan.html")))
  }
}
