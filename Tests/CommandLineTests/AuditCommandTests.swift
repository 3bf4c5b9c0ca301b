// `permlog audit` of the built tool: its forms, its exit statuses, and what it refuses.

import Foundation
import Testing

@Suite struct AuditCommandTests {
  private let workspace: Workspace
  private let log: String

  /// 40 users are asked for the camera without an explanation and deny it; nobody shows them the way to Settings. 40 others are asked for
  /// notifications, all but three (7.5 %) after an explanation, and those who deny see a Settings prompt.
  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    var lines = ""
    for user in 0..<40 {
      func line(_ user: String, _ time: String, _ kind: String, _ permission: String) {
        lines +=
          #"{"user_id":"\#(user)","timestamp":"2026-03-\#(time)Z","event":"\#(kind)","permission":"\#(permission)"}"#
          + "\n"
      }
      let minute = String(100 + user).dropFirst()
      line("camera-\(user)", "02T10:\(minute):00", "prompt_shown", "camera")
      line("camera-\(user)", "02T10:\(minute):04", "denied", "camera")
      if user >= 3 { line("other-\(user)", "03T10:\(minute):00", "explanation_shown", "notifications") }
      line("other-\(user)", "03T10:\(minute):20", "prompt_shown", "notifications")
      line("other-\(user)", "03T10:\(minute):24", user < 20 ? "granted" : "denied", "notifications")
      if user >= 20 { line("other-\(user)", "04T10:\(minute):24", "settings_prompt_shown", "notifications") }
    }
    let file = try workspace.write("events.ndjson", lines)
    let result = try Tool.run(["ingest", file, "--log", log])
    #expect(result.status == 0, "\(result.errors)")
  }

  private func audit(_ options: [String]) throws -> ToolResult {
    try Tool.run(["audit", "--log", log] + (options.contains("--as-of") ? [] : ["--as-of", "2026-03-31"]) + options)
  }

  private func findings(_ options: [String], _ list: String = "findings") throws -> [[String: Any]] {
    let result = try audit(["--format", "json"] + options)
    #expect(result.status == 0, "\(result.errors)")
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    return try #require(object[list] as? [[String: Any]])
  }

  private func ids(_ findings: [[String: Any]]) -> [String] {
    findings.map { "\($0["id"] as? String ?? "") \($0["permission"] as? String ?? "")" }
  }

  /// Who was asked a minute before is no user without a prompt.
  @Test func anAnswerThatIsOpenIsNotSilence() throws {
    let early = try audit(["--as-of", "2026-03-02T10:05:00Z"])
    #expect(early.status == 0, "\(early.errors)")
    #expect(early.text.contains("No exposure here has an outcome: the audit cannot tell how the app asks."))
    #expect(try audit([]).text.contains("No exposure") == false)
  }

  @Test func whatIsThereIsFound() throws {
    let found = ids(try findings([]))
    #expect(found.contains("no_way_back camera") && found.contains("cold_ask camera"))
    #expect(!found.contains { $0.hasSuffix("notifications") && $0.hasPrefix("cold_ask") })
    let text = try audit([]).text
    #expect(
      text.contains("How the app asks: an audit") && text.contains("no_way_back") && text.contains("--info-plist FILE"))
    #expect(!text.contains("Checks without a finding"))
    #expect(try audit(["--all"]).text.contains("Checks without a finding"))
    #expect(try !findings(["--all"], "others").isEmpty && (try findings([], "others")).isEmpty)
  }

  @Test func thresholdsAndExamplesAreTaken() throws {
    let cold = "cold_ask notifications"
    #expect(try ids(findings(["--threshold", "cold_ask=7.5"])).contains(cold))
    #expect(try ids(findings(["--threshold", "cold_ask=0%"])).contains(cold))
    #expect(try !ids(findings(["--threshold", "cold_ask=7.5001"])).contains(cold))
    let named = try findings(["--examples", "2"]).first { $0["id"] as? String == "no_way_back" }
    let examples = try #require(named?["examples"] as? [String])
    #expect(examples.count == 2 && examples.allSatisfy { $0.hasPrefix("camera-") })
    #expect(try findings([]).allSatisfy { ($0["examples"] as? [String])?.isEmpty == true })
    #expect(try ids(findings(["--permission", "notifications"])).allSatisfy { !$0.hasSuffix("camera") })
    let title = try audit(["--permission", "camera"]).text
    #expect(title.hasPrefix("How the app asks for camera: an audit"))
  }

  @Test func aFindingThatWasAskedForIsAStatusOfItsOwn() throws {
    let error = try audit(["--fail-on", "error"])
    #expect(error.status == 3 && error.text.contains("no_way_back"))
    #expect(error.errors.hasPrefix("permlog: the audit found ") && error.errors.contains("no_way_back (camera)"))
    #expect(!error.errors.contains("cold_ask"))
    let warning = try audit(["--fail-on", "warning", "--quiet"])
    #expect(warning.status == 3 && warning.errors.contains("cold_ask (camera)"))
    let none = try audit(["--fail-on", "error", "--permission", "notifications"])
    #expect(none.status == 0 && none.errors.isEmpty, "\(none.errors)")
    // Also if nobody reads it to its end, and if it goes to a file.
    let unread = try Tool.run(
      [
        "-c",
        #""$0" audit --log "$1" --as-of 2026-03-31 --all --format html --fail-on error | true; echo ${PIPESTATUS[0]}"#,
        Tool.path,
        log,
      ],
      program: "/bin/bash")
    #expect(unread.text == "3\n" && !unread.errors.contains("cannot write"), "\(unread.errors)")
    let file = try audit(["--fail-on", "error", "--output", workspace.path("a.json")])
    #expect(file.status == 3 && file.output.isEmpty)
    #expect(try workspace.read("a.json").first == UInt8(ascii: "{"))
  }

  /// What was not looked at is never clean: each form says how many checks that are.
  @Test func onlySomeChecks() throws {
    let found = try findings(["--only", "cold_ask"])
    #expect(ids(found) == ["cold_ask camera"])
    let others = try findings(["--only", "cold_ask, no_way_back", "--all"], "others")
    #expect(!others.isEmpty && others.allSatisfy { ["cold_ask", "no_way_back"].contains($0["id"] as? String) })
    for (options, line) in [
      (["--only", "feed_stopped"], "Only feed_stopped was looked at; 35 other checks were not."),
      (["--only", "no_way_back,cold_ask"], "Only cold_ask and no_way_back were looked at; 34 other checks were not."),
    ] {
      for format in ["text", "markdown", "html"] {
        let text = try audit(options + ["--format", format]).text.replacing("\\", with: "").replacing(
          "\u{A0}", with: " ")
        #expect(text.contains(line), "\(format): \(text)")
        #expect(!text.contains("Not checked: the app's Info.plist"))
      }
    }
    #expect(try audit(["--only", "feed_stopped"]).text.contains("No exposure") == false)
    let whole = try audit(["--format", "json"]).text
    let some = try audit(["--format", "json", "--only", "no_way_back,cold_ask"]).text
    #expect(whole.contains(#""only": null"#) && some.contains(#""only": ["cold_ask", "no_way_back"]"#), "\(some)")
    // The figures are those of the whole audit.
    #expect(try findings([]).filter { $0["id"] as? String == "cold_ask" }.count == found.count)
    // Of an empty log, too.
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", try workspace.write("none.ndjson", ""), "--log", empty]).status == 0)
    let nothing = try Tool.run(["audit", "--log", empty, "--only", "no_activity"])
    #expect(nothing.text.contains("35 other checks were not"), "\(nothing.text)")
  }

  @Test func aFindingOfACheckIsAStatusOfItsOwn() throws {
    let found = try audit(["--fail-on", "cold_ask"])
    #expect(found.status == 3 && found.text.contains("no_way_back"))
    #expect(found.errors == "permlog: the audit found 1 warning: cold_ask (camera)\n", "\(found.errors)")
    // A finding of any severity: notes too.
    let notes = try findings([]).filter { $0["severity"] as? String == "note" }.compactMap { $0["id"] as? String }
    if let note = notes.first { #expect(try audit(["--fail-on", note]).status == 3) }
    #expect(try audit(["--fail-on", "feed_stopped,assigned_late"]).status == 0)
    #expect(try audit(["--fail-on", "feed_stopped,cold_ask"]).status == 3)
    #expect(try audit(["--fail-on", "feed_stopped,error"]).status == 3)
    #expect(try audit(["--only", "feed_stopped", "--fail-on", "feed_stopped"]).status == 0)
    #expect(try audit(["--only", "feed_stopped,cold_ask", "--fail-on", "cold_ask"]).status == 3)
    // The errors are not looked at, and the output says so.
    let some = try audit(["--only", "cold_ask", "--fail-on", "error"])
    #expect(some.status == 0 && some.text.contains("35 other checks were not"))
  }

  @Test func aFileHasItsFormat() throws {
    for (name, start) in [("x.html", "<!DOCTYPE"), ("x.json", "{"), ("x.md", "## How"), ("x.txt", "How the app")] {
      let result = try audit(["--output", workspace.path(name)])
      #expect(result.status == 0 && result.output.isEmpty)
      #expect(String(decoding: try workspace.read(name), as: UTF8.self).hasPrefix(start))
    }
    // Findings are sentences: there is no table of them.
    #expect(try audit(["--output", workspace.path("x.csv")]).status == 64)
  }

  @Test func nothingIsWrittenOverWhatIsRead() throws {
    let plist = try workspace.write("Info.plist", "before")
    #expect(try audit(["--output", log + "/manifest"]).status == 64)
    let result = try audit(["--info-plist", plist, "--output", plist])
    #expect(result.status == 64 && result.errors.contains("an Info.plist that is read"), "\(result.errors)")
    #expect(try workspace.read("Info.plist") == Data("before".utf8))
  }

  /// The command finds these files by itself, beside what it is given.
  @Test func nothingIsWrittenOverWhatLiesBesideAnInfoPlist() throws {
    let text = #"{ CFBundleIdentifier = a; NSCameraUsageDescription = "Scan receipts with your camera."; }"#
    let files = [
      ("M.app/Contents/Info.plist", text), ("M.app/Contents/Resources/de.lproj/InfoPlist.strings", "a = b;"),
      ("M.app/Contents/InfoPlist.xcstrings", #"{"strings": {}}"#),
      ("App.xcodeproj/project.pbxproj", "{ objects = {}; }"),
    ]
    for (name, text) in files {
      let path = workspace.path(name)
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    for (name, text) in files {
      let result = try audit([
        "--info-plist", workspace.path("M.app"), "--output", workspace.path(name), "--format", "text",
      ])
      #expect(result.status == 64 && result.errors.contains("read"), "\(name): \(result.status) \(result.errors)")
      #expect(try workspace.read(name) == Data(text.utf8), "\(name)")
    }
  }

  @Test func whatCannotBeAskedIsRefused() throws {
    for (options, words) in [
      (
        ["--threshold", "warm_ask=5"],
        "warm_ask is not the id of a check. These have a share, in per cent: cold_ask (10),"
      ),
      (["--threshold", "no_activity=5"], "no_activity is reported whenever it occurs"),
      (["--threshold", "cold_ask"], "needs a percentage"), (["--threshold", "cold_ask=101"], "needs a percentage"),
      (["--threshold", "cold_ask=1e1"], "needs a percentage"), (["--threshold", "cold_ask=-1"], "needs a percentage"),
      (["--threshold", "cold_ask=0.12345"], "needs a percentage"),
      (["--threshold", "cold_ask=5", "--threshold", "cold_ask=6"], "cold_ask was given twice"),
      (["--examples", "101"], "--examples: it needs a whole number from 0 to 100"),
      (["--examples", "-1"], "--examples"),
      (["--permission", "homekit"], "the log has no permission homekit"),
      (["--where", "country"], "quotes"), (["--response-window", "3h"], "response-window"),
      (["--follow-up", "3d"], "follow-up"), (["--fail-on", "note"], "fail-on"), (["--format", "csv"], "format"),
      (["--title", "x"], "--title is for"),
      (["--from", "2026-03-01", "--to", "2026-03-01"], "--from: 2026-03-01 is not before 2026-03-01"),
      (["--info-plist", "-"], "--info-plist needs"), (["--log-start", "soon"], "--log-start"),
      (["--fail-on", "error", "--fail-on", "warning"], "twice"),
      (["--only", "feed_stoped"], "--only: feed_stoped is not the id of a check; did you mean feed_stopped?"),
      (["--only", "everything"], "--only: everything is not the id of a check. The ids are: cold_ask, asked_at_once,"),
      (["--only", "cold_ask,cold_ask"], "--only: cold_ask was given twice"),
      (["--only", "cold_ask,"], "--only: it needs ids of checks, joined by commas"),
      (["--only", "missing_purpose"], "--only: missing_purpose needs an Info.plist."),
      (["--only", "cold_ask", "--info-plist", "x"], "--only: these checks do not use the Info.plist"),
      (
        ["--only", "pestering", "--threshold", "cold_ask=5"],
        "--only: cold_ask has a threshold, but is not one of these"
      ),
      (["--fail-on", "note"], "--fail-on: it needs error, warning, or ids of checks. note is not the id of a check"),
      (["--fail-on", "pestring"], "did you mean pestering?"),
      (
        ["--only", "pestering", "--fail-on", "cold_ask"], "--fail-on: --only leaves cold_ask out, so it cannot be found"
      ),
      (["--fail-on", "weak_purpose"], "--fail-on: weak_purpose needs an Info.plist. Give it with --info-plist FILE"),
    ] {
      let result = try audit(options)
      #expect(result.status == 64 && result.errors.contains(words), "\(options): \(result.errors)")
    }
  }

  @Test func anEmptyLogSaysSo() throws {
    let empty = workspace.path("empty")
    let file = try workspace.write("none.ndjson", "")
    #expect(try Tool.run(["ingest", file, "--log", empty]).status == 0)
    let result = try Tool.run(["audit", "--log", empty, "--fail-on", "warning"])
    #expect(result.status == 0 && result.text.contains("The log is empty"), "\(result.errors)")
    #expect(try Tool.run(["audit", "--log", workspace.path("missing")]).status == 1)
  }
}
