// What the log has no evidence of is unknown in texts, too, and no 0.

import Foundation
import Testing

@Suite struct UnloggedStepTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// - Parameter kinds: the events of each user, a second apart.
  private func log(_ kinds: [[String]]) throws -> String {
    let lines = kinds.enumerated().map { user, kinds in
      kinds.enumerated().map { second, kind in
        #"{"user_id":"u\#(user)","timestamp":"2026-03-02T10:00:0\#(second)Z","event":"\#(kind)","permission":"camera"}"#
          + "\n"
      }.joined()
    }
    let log = workspace.path("log")
    let file = try workspace.write("events.ndjson", lines.joined())
    #expect(try Tool.run(["ingest", file, "--log", log, "--quiet"]).status == 0)
    return log
  }

  private func text(_ command: [String], _ log: String) throws -> String {
    let result = try Tool.run(command + ["--log", log, "--as-of", "2026-03-31"])
    #expect(result.status == 0, "\(result.errors)")
    return result.text.replacing("\u{A0}", with: " ").replacing("\\", with: "")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(arguments: ["text", "markdown", "html"]) func answersThatAreNotLogged(format: String) throws {
    let log = try log(Array(repeating: ["explanation_shown", "prompt_shown"], count: 60))
    let parts = format == "html" ? [] : ["prompt", "cold", "after-grant"].flatMap { ["--section", $0] }
    let report = try text(["report", "--format", format] + parts, log)
    #expect(report.contains("so what people answered is not known"), "\(report)")
    #expect(!report.contains("No users in the base granted"), "\(report)")
    if format == "text" { #expect(report.contains("60 – – 0 0.0 % –"), "\(report)") }
    let flow = try text(["flow"], log)
    #expect(flow.contains("No user granted or denied: camera. Does the app log the answers?"), "\(flow)")
  }

  @Test func explanationsThatAreNotLogged() throws {
    let kinds = (0..<120).map { user in
      user < 40 ? ["skipped"] : ["prompt_shown", user % 2 == 0 ? "granted" : "denied"]
    }
    let log = try log(kinds)
    for section in ["explanation", "cold"] {
      let report = try text(["report", "--section", section], log)
      #expect(!report.contains("%"), "\(report)")
      #expect(report.contains("This log has no explanation_shown events of camera"), "\(report)")
    }
    #expect(try text(["report", "--section", "prompt"], log).contains("40 50.0 %"))
    #expect(try !text(["flow"], log).contains("Does the app log the answers?"))
  }

  @Test func screensThatAreNotLogged() throws {
    let log = try log((0..<60).map { [$0 % 2 == 0 ? "granted" : "denied"] })
    for section in ["prompt", "explanation", "cold"] {
      let report = try text(["report", "--section", section], log)
      #expect(!report.contains("%") && !report.contains("No users in the base saw"), "\(report)")
      #expect(report.contains("This log has no screens of camera"), "\(report)")
    }
  }
}
