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

  /// Two experiments, one of a permission whose answers are not logged: it has no result, and the other keeps its own.
  @Test func anExperimentWithoutAnswersIsListedAndStopsNothing() throws {
    var lines = ""
    for user in 0..<80 {
      let time = 1_772_409_600_000 + user * 60_000
      let shared = #""experiment":"x1","variant":"\#(user % 2 == 0 ? "A" : "B")","timestamp":"#
      for (kind, permission, after) in [
        ("prompt_shown", "camera", 0), ("prompt_shown", "contacts", 9000), ("granted", "contacts", 12_000),
      ] {
        lines +=
          #"{"user_id":"u\#(user)","event":"\#(kind)","permission":"\#(permission)",\#(shared)\#(time + after)}"# + "\n"
      }
    }
    let log = workspace.path("experiments")
    #expect(try Tool.run(["ingest", try workspace.write("x.ndjson", lines), "--log", log]).status == 0)
    let listed = try Tool.run(["experiments", "--log", log, "--as-of", "2026-03-09", "--format", "json"])
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(listed.text.contains(#""not_compared": "no_answers""#) && listed.text.contains(#""not_compared": null"#))
    let text = try Tool.run(["experiments", "--log", log, "--as-of", "2026-03-09"]).text
    #expect(text.contains("No answers: the log has no granted or denied events of this permission"), "\(text)")
    for format in ["eml", "slack"] {
      let result = try Tool.run(["report", "--log", log, "--as-of", "2026-03-09", "--format", format])
      #expect(result.status == 0, "\(result.errors)")
      if format == "slack" {
        #expect(result.text.contains("Experiment x1 (Contacts)") && !result.text.contains("Experiment x1 (Camera)"))
      }
    }
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
