// `permlog audit` where there is no log: what an app declares and what its code calls, in the formats of builds.

import Foundation
import Testing

@Suite struct AuditWithoutLogTests {
  private let workspace: Workspace
  private let folder: String

  init() throws {
    workspace = try Workspace()
    folder = workspace.path("app")
    try FileManager.default.createDirectory(atPath: folder + "/Code", withIntermediateDirectories: true)
    try workspace.write(
      "app/Info.plist",
      """
      <plist><dict>
      <key>DTXcode</key><string>1</string>
      <key>NSContactsUsageDescription</key><string>TODO</string>
      </dict></plist>
      """)
    try workspace.write(
      "app/Code/Scan.swift", "import AVFoundation\nAVCaptureDevice.requestAccess(for: .video) { _ in }\n")
  }

  private func audit(_ options: [String], _ environment: [String: String] = [:]) throws -> ToolResult {
    try Tool.run(["audit", "--info-plist", "Info.plist"] + options, environment: environment, in: folder)
  }

  @Test("Without a log the Info.plist and the code are checked, and the output says what was not")
  func withoutLog() throws {
    let plain = try audit([])
    #expect(plain.status == 0 && plain.text.contains("1 warning in 1 Info.plist."), "\(plain.text)")
    #expect(plain.text.contains("No log was"), "\(plain.text)")
    let both = try audit(["--source", "Code"])
    #expect(both.text.contains("1 error, 1 warning and 1 note in 1 Info.plist and 1 file of code."), "\(both.text)")
    #expect(both.text.contains("requestAccess in Code/Scan.swift:2 asks for it, but Info.plist has"), "\(both.text)")
    #expect(both.text.contains("Not seen in the code: libraries"), "\(both.text)")
    #expect(!FileManager.default.fileExists(atPath: folder + "/permlog-data"))
    let json = try audit(["--source", "Code", "--format", "json"])
    let tree = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(tree["users"] is NSNull && tree["as_of"] is NSNull && tree["source_files"] as? Int == 1)
    #expect((tree["calls"] as? [[String: Any]])?.first?["line"] as? Int == 2)
  }

  @Test("A build ends with the status of its condition")
  func conditions() throws {
    #expect(try audit(["--fail-on", "error"]).status == 0)
    #expect(try audit(["--source", "Code", "--fail-on", "error"]).status == 3)
    #expect(try audit(["--source", "Code", "--fail-on", "unused_purpose"]).status == 3)
    let data = try audit(["--fail-on", "feed_stopped"])
    #expect(data.status == 64 && data.errors.contains("feed_stopped needs a log"), "\(data.errors)")
    let code = try audit(["--fail-on", "not_logged"])
    #expect(code.status == 64 && code.errors.contains("--source"), "\(code.errors)")
  }

  @Test("A log that somebody named must be there, and options of a log are refused without one")
  func namedLog() throws {
    for refused in [
      try audit(["--log", "gone"]), try audit([], ["PERMLOG_LOG": "gone"]), try Tool.run(["audit"], in: folder),
      try Tool.run(["audit", "--source", "Code"], in: folder),
    ] {
      #expect(refused.status == 1 || refused.status == 64, "\(refused.status) \(refused.errors)")
      #expect(refused.text.isEmpty)
    }
    for option in [
      ["--threshold", "cold_ask=1"], ["--from", "2026-01-01"], ["--examples", "1"], ["--as-of", "2026-01-01"],
    ] {
      let refused = try audit(option)
      #expect(refused.status == 64 && refused.errors.contains(option[0]), "\(refused.errors)")
    }
    // A folder that is no log is no reason to look at the rest alone.
    try FileManager.default.createDirectory(atPath: folder + "/permlog-data", withIntermediateDirectories: true)
    try workspace.write("app/permlog-data/x", "x")
    #expect(try audit([]).status != 0)
  }

  @Test("Findings are shown beside the code: in GitHub's lines and in SARIF, with a log too")
  func annotations() throws {
    let github = try audit(["--source", "Code", "--format", "github", "--fail-on", "error"])
    #expect(github.status == 3)
    #expect(
      github.text.hasPrefix(
        "::error file=Code/Scan.swift,line=2,title=missing_purpose%3A purpose string missing::camera: "),
      "\(github.text)")
    #expect(github.text.contains("::warning file=Info.plist,line=3,title=weak_purpose"), "\(github.text)")
    let sarif = try audit(["--source", "Code", "--output", "a.sarif"])
    #expect(sarif.status == 0 && sarif.text.isEmpty, "\(sarif.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/a.sarif"))
    let tree = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(tree["version"] as? String == "2.1.0")
    let over = try audit(["--source", "Code/Scan.swift", "--output", "Code/Scan.swift", "--format", "sarif"])
    #expect(over.status == 64 && over.errors.contains("Code/Scan.swift"), "\(over.errors)")
    let inFolder = try audit(["--source", "Code", "--output", "Code/Scan.swift", "--format", "sarif"])
    #expect(inFolder.status == 64 && inFolder.errors.contains("Code/Scan.swift"), "\(inFolder.errors)")
    let here = try audit(["--source", "./Code", "--format", "github"])
    #expect(here.text.contains("file=Code/Scan.swift,line=2"), "\(here.text)")
    let typo = try audit(["--permission", "camra", "--fail-on", "error"])
    #expect(typo.status == 64 && typo.errors.contains("camra"), "\(typo.errors)")
  }

  @Test("With a log, code and log are compared")
  func withLog() throws {
    let lines = (0..<30).flatMap { user in
      [("prompt_shown", 0), ("granted", 4000)].map { kind, wait in
        #"{"user_id":"u\#(user)","timestamp":\#(1_770_000_000_000 + user * 30_000 + wait),"event":"\#(kind)","permission":"motion"}"#
      }
    }
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file], in: folder).status == 0)
    let both = try audit(["--source", "Code", "--only", "not_in_code,not_logged,missing_purpose"])
    #expect(both.text.contains("motion  The log shows the app asking for it, but no call"), "\(both.text)")
    #expect(both.text.contains("camera  requestAccess in Code/Scan.swift:2 asks for it, but the log"), "\(both.text)")
    #expect(both.text.contains("motion  The app asks for it, but Info.plist has no"), "\(both.text)")
    // A result without a file would make a code host refuse all.
    let sarif = try audit(["--format", "sarif"])
    #expect(sarif.status == 0 && !sarif.text.contains("\"locations\": []"), "\(sarif.text)")
    let nowhere = try Tool.run(["audit", "--format", "sarif"], in: folder)
    #expect(nowhere.status == 64 && nowhere.errors.contains("--info-plist or --source"), "\(nowhere.errors)")
  }
}
