// `permlog report --format eml` and `--format slack`, as a job of Monday morning runs them.

import Foundation
import Testing

@Suite struct MailCommandTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    var lines = ""
    for user in 0..<20 {
      let time = 1_772_409_600_000 + user * 60_000
      for (number, kind) in ["prompt_shown", user % 2 == 0 ? "granted" : "denied"].enumerated() {
        let moment = time + number * 2000
        lines += #"{"user_id":"u\#(user)","timestamp":\#(moment),"event":"\#(kind)","permission":"camera"}"# + "\n"
      }
    }
    let made = try Tool.run(["ingest", try workspace.write("events.ndjson", lines), "--log", log])
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test func theNameOfTheFileDecides() throws {
    let path = workspace.path("monday.eml")
    let result = try Tool.run(["report", "--log", log, "--output", path])
    #expect(result.status == 0, "\(result.errors)")
    let mail = try String(contentsOfFile: path, encoding: .utf8)
    #expect(mail.hasPrefix("Subject: Permissions, ") && mail.contains("multipart/alternative"))
    let printed = try Tool.run(["report", "--log", log, "--format", "eml"])
    #expect(printed.text == mail, "the same to a file and to a pipe")
  }

  @Test func aMessageIsJSON() throws {
    let result = try Tool.run(["report", "--log", log, "--format", "slack", "--as-of", "2026-03-09"])
    #expect(result.status == 0, "\(result.errors)")
    let message = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    #expect((message?["blocks"] as? [Any])?.isEmpty == false && message?["text"] is String)
    #expect(result.text.contains("*Camera*  50.0\u{A0}%  (10\u{A0}of\u{A0}20)"), "\(result.text)")
  }

  @Test(arguments: [
    (["report", "--format", "eml", "--full"], "--full and --section do not go with the format eml"),
    (["report", "--format", "slack", "--section", "time"], "--full and --section do not go with the format slack"),
    (["report", "--format", "eml", "--small-groups", "5"], "--small-groups does not go with the format eml"),
    (["compare", "A", "B", "--format", "eml"], "'eml' is invalid"),
    (["flow", "--output", "x.eml"], "the name says eml, which this command does not write"),
  ])
  func otherResultsAreNoMails(arguments: [String], words: String) throws {
    let result = try Tool.run(arguments + ["--log", log])
    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
  }
}
