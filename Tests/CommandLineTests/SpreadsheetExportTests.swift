// An export for spreadsheets calculates nothing; the plain one keeps every byte.

import Foundation
import Testing

@Suite struct SpreadsheetExportTests {
  @Test func formulasAreTextAndThePlainExportIsAsItWas() throws {
    let workspace = try Workspace()
    let values = ["=1+1", " =2", "＝3", "+4", "-5", "@6", "a\u{9B}b"]
    let lines = values.enumerated().map { n, value in
      #"{"event_id":"e\#(n)","user_id":"\#(value)","timestamp":"2026-03-02T10:00:00Z","event":"app_active","app_version":"=x,\"y\""}"#
        + "\n"
    }
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", lines.joined())
    #expect(try Tool.run(["ingest", file, "--keep-ids", "--log", log]).status == 0)
    let plain = try Tool.run(["export", "--format", "csv", "--log", log])
    for value in values { #expect(plain.text.contains(",\(value),2026"), "\(value)") }
    let safe = workspace.path("look.csv")
    #expect(try Tool.run(["export", "--for-spreadsheets", "--output", safe, "--log", log]).status == 0)
    let text = String(decoding: try workspace.read("look.csv"), as: UTF8.self)
    for value in values.dropLast() { #expect(text.contains(",'\(value),2026"), "\(value): \(text)") }
    #expect(text.contains(",a\\u{9B}b,2026"))
    #expect(text.contains("\"'=x,\"\"y\"\"\"") && text.split(whereSeparator: \.isNewline).count == values.count + 1)
    let damaged = try Tool.run(["export", "--for-spreadsheets", "--format", "csv", "--skip-damaged", "--log", log])
    #expect(damaged.text == text)
  }

  @Test func itGoesWithCSVAlone() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", line), "--log", log]).status == 0)
    let alone = try Tool.run(["export", "--for-spreadsheets", "--log", log])
    #expect(alone.status == 0 && alone.text.hasPrefix("\u{FEFF}event_id,"), "\(alone.text)")
    for options in [["--format", "ndjson"], ["--output", workspace.path("x.ndjson")]] {
      let result = try Tool.run(["export", "--for-spreadsheets", "--log", log] + options)
      #expect(result.status == 64 && result.output.isEmpty, "\(options)")
      #expect(result.errors.contains("--for-spreadsheets needs --format csv"), "\(result.errors)")
    }
    let help = try Tool.run(["export", "--help"]).text
    #expect(help.contains("--for-spreadsheets") && help.contains("a spreadsheet would calculate"), "\(help)")
  }
}
