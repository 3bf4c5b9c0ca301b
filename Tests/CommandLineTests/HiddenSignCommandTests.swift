// Nothing that the tool prints for people has a sign that a terminal obeys, wherever it comes from.

import Foundation
import Testing

@Suite struct HiddenSignCommandTests {
  private static let hostile = "a\u{1B}[31m\u{9B}2J\u{202E}b\u{200B}\u{2028}\u{7F}\u{61C}\u{2066}"

  /// Spreadsheets want it before CSV; a terminal shows nothing for it.
  private let byteOrderMark: Unicode.Scalar = "\u{FEFF}"

  private func expectLegible(_ result: ToolResult, _ what: String, lines: Int? = nil) {
    for text in [result.errors, result.text] {
      for scalar in text.unicodeScalars where scalar != "\n" && scalar != byteOrderMark {
        let kind = scalar.properties.generalCategory
        #expect(![.control, .format, .lineSeparator].contains(kind), "\(what): U+\(String(scalar.value, radix: 16))")
      }
    }
    if let lines { #expect(result.errors.split(separator: "\n").count == lines, "\(what): \(result.errors)") }
  }

  @Test func argumentsAndPathsAreShownLegibly() throws {
    let workspace = try Workspace()
    let hostile = Self.hostile
    let forged = "x\npermlog: all is well"
    for name in [hostile, forged] {
      let cases: [([String], Int32, Int?)] = [
        (["report", "--" + name], 64, nil), (["report", "--week=" + name], 64, 1),
        (["report", "--format", name], 64, nil),
        (["report", "--log=" + workspace.path(name)], 1, 1), ([name], 64, 1), (["report", name], 64, nil),
        (["ingest", workspace.path(name), "--log", workspace.path("l")], 1, 1), (["mapping", "show", name], 64, 1),
        (["report", "--output", workspace.path(name) + "/x", "--log", workspace.path("l")], 1, 1),
        (["simulate", "--users", "3", "--output", workspace.path(name) + "/x/y"], 1, 1),
      ]
      for (arguments, status, lines) in cases {
        let result = try Tool.run(arguments)
        #expect(result.status == status, "\(arguments): \(result.errors)")
        expectLegible(result, "\(arguments)", lines: lines)
        #expect(!result.errors.split(separator: "\n").contains { $0.hasPrefix("permlog: all is well") }, "\(arguments)")
        // In a locale without UTF-8 too.
        expectLegible(try Tool.run(arguments, environment: ["LC_ALL": "C"]), "\(arguments) in C", lines: lines)
      }
    }
  }

  /// Read as letters of options it would be the help, with status 0 and nothing stored.
  @Test(arguments: ["-hello.csv", "-x.csv", "-é.csv"])
  func aFileThatBeginsWithADashIsNoOption(name: String) throws {
    let result = try Tool.run(["ingest", name])
    #expect(
      result.status == 64 && result.output.isEmpty && result.errors.contains("write ./\(name)"), "\(result.errors)")
  }

  @Test func pathsOfKeysAreShownLegibly() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", line), "--log", log]).status == 0)
    for arguments in [["--user", "u", "--dry-run"], ["--user", "u"], ["--user", "v", "--allow-missing"]] {
      let result = try Tool.run(["erase", "--key", workspace.path(Self.hostile), "--log", log] + arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      expectLegible(result, "\(arguments)")
    }
  }

  @Test func valuesOfExportsAreShownLegibly() throws {
    let workspace = try Workspace()
    let value = Self.hostile
    let escaped = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    let lines = (0..<40).flatMap { n in
      ["prompt_shown", n % 2 == 0 ? "granted" : "denied"].map { kind in
        #"{"user_id":\#(escaped.dropLast())\#(n)","timestamp":"2026-03-02T10:00:00Z","event":"\#(kind)","permission":\#(escaped),"#
          + #""variant":\#(escaped.dropLast())\#(n % 3)","experiment":\#(escaped)}"# + "\n"
      }
    }
    let directory = workspace.path("d" + value)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let file = try workspace.write(
      "d" + value + "/f\n" + value, lines.joined() + #"{"user_id":\#(escaped)}"# + "\n" + #"{"event":\#(escaped)}"#)
    let log = workspace.path("log" + value)
    let ingest = try Tool.run(["ingest", directory, "--log", log, "--allow-custom-permissions"])
    #expect(ingest.status == 0 && ingest.text.contains("new        80 events"), "\(ingest.errors)")
    expectLegible(ingest, "ingest", lines: 2)
    expectLegible(try Tool.run(["mapping", "check", file, "--allow-custom-permissions"]), "check")
    for command in [
      ["report"], ["report", "--full"], ["report", "--by", "variant"],
      ["report", "--by", "variant", "--format", "html"],
      ["report", "--format", "markdown", "--title", value], ["report", "--format", "html", "--title", value], ["info"],
      ["verify"],
      ["experiments"], ["compare", value + "0", value + "1"], ["report", "--by", "variant", "--format", "csv"],
      ["compare", value + "0", value + "1", "--format", "html"], ["export", "--format", "csv", "--for-spreadsheets"],
    ] {
      let result = try Tool.run(command + ["--log", log])
      #expect(result.status == 0, "\(command): \(result.errors)")
      let shown = ToolResult(
        status: 0, output: Data(result.text.replacing("\r\n", with: "\n").utf8), errors: result.errors)
      expectLegible(shown, "\(command)")
    }
  }

  @Test func jsonHasNoControlCharactersAndTheSameValues() throws {
    let workspace = try Workspace()
    let user = "u\u{9B}\u{7F}\u{2028}"
    let line = #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", line), "--log", log]).status == 0)
    let export = try Tool.run(["export", "--log", log])
    #expect(export.text.contains(#""user_id":"u\u009b\u007f\u2028""#), "\(export.text)")
    let again = try Tool.run(["ingest", try workspace.write("b.ndjson", export.text), "--log", log])
    #expect(again.text.contains("new        0 events"), "\(again.text)")
  }
}
