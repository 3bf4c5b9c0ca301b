// docs/operating.md is what people paste into cron and scripts, so its commands are run: in order, in one directory, as a shell would.

import Foundation
import Testing

@Suite struct OperatingPageTests {
  private static let root = DocumentPage.root

  private func blocks() throws -> [DocumentPage.Block] { try DocumentPage("docs/operating.md").blocks }

  /// A directory with what the page takes for granted: the tool, sendmail and curl on the PATH, and exports.
  private func place() throws -> Workspace {
    let workspace = try Workspace()
    for name in ["bin", "exports"] {
      try FileManager.default.createDirectory(
        at: workspace.url.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(atPath: workspace.path("bin/permlog"), withDestinationPath: Tool.path)
    for name in ["sendmail", "curl"] {
      let stub = try workspace.write(
        "bin/\(name)", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$SENT/\(name).words\"\ncat >\"$SENT/\(name).text\"\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stub)
    }
    for name in ["export-1.ndjson", "export-2.csv", "export-3.ndjson.zst"] {
      try FileManager.default.copyItem(
        at: Self.root.appendingPathComponent("data/" + name),
        to: workspace.url.appendingPathComponent("exports/" + name))
    }
    // The feed has not stopped.
    let now = Int(Date().timeIntervalSince1970 * 1000) - 3_600_000
    try workspace.write("exports/today.ndjson", #"{"user_id":"u","timestamp":\#(now),"event":"app_active"}"# + "\n")
    return workspace
  }

  @Test func everyShellBlockOfThePageEndsWithStatus0() throws {
    let workspace = try place()
    let commands = try blocks().filter { $0.language == "sh" }
    #expect(commands.count >= 10)
    let environment = ["SENT": workspace.url.path, "CHAT_WEBHOOK": "https://chat.example/hook"]
    for block in commands {
      let result = try DocumentPage.run(block.text, in: workspace, environment: environment)
      // Later blocks need what the earlier ones made.
      try #require(result.status == 0, "docs/operating.md:\(block.line): \(block.text)\(result.text)\(result.errors)")
    }
    func text(_ name: String) throws -> String { String(decoding: try workspace.read(name), as: UTF8.self) }
    // What went out of the directory.
    #expect(try text("sendmail.words") == "-t\n")
    #expect(try text("sendmail.text").hasPrefix("To: team@example.com\nSubject: Permissions, week of "))
    let sent = try #require(try JSONSerialization.jsonObject(with: workspace.read("curl.text")) as? [String: Any])
    #expect((sent["blocks"] as? [Any])?.isEmpty == false)
    #expect(try text("curl.text").contains("*Notifications*"))
    #expect(try text("curl.words").hasSuffix("\nhttps://chat.example/hook\n"))
    #expect(try text("report.html").hasPrefix("<!DOCTYPE html>"))
    #expect(try JSONSerialization.jsonObject(with: workspace.read("audit.json")) is [String: Any])
    let gauges = try text("permlog.prom").split(separator: "\n")
    #expect(
      gauges.allSatisfy { $0.wholeMatch(of: /permlog_[a-z_]+(\{permission="[a-z_]+"\})? [0-9.]+/) != nil }, "\(gauges)")
    #expect(gauges.count { $0.hasPrefix("permlog_grant_rate{") } > 3, "\(gauges)")
    for name in ["permlog_events", "permlog_bytes", "permlog_unusual", "permlog_newest_ingest_seconds"] {
      #expect(gauges.count { $0.hasPrefix(name + " ") } == 1, "\(name)")
    }
    // The other logs: the restored one, and the one that keeps the same users out.
    func fact(_ key: String, of log: String) throws -> AnyHashable? {
      let result = try Tool.run(["info", "--log", workspace.path(log), "--format", "json"])
      return (try JSONSerialization.jsonObject(with: result.output) as? [String: Any])?[key] as? AnyHashable
    }
    let events = try #require(try fact("events", of: "permlog-data") as? Int)
    #expect(events > 20_000)
    for log in ["second", "backup/permlog"] { #expect(try fact("events", of: log) as? Int == events, "\(log)") }
    // Restored before the erasure.
    #expect(try fact("events", of: "restored") as? Int ?? 0 > events)
    for log in ["permlog-data", "second", "backup/permlog"] {
      #expect(try fact("erased_users", of: log) as? Int == 1, "\(log)")
    }
  }

  /// The daily command is on the page for a shell, for cron and for systemd.
  @Test func scheduledCommandsHaveTheOptionsOfTheCommandThatIsRun() throws {
    let blocks = try blocks()
    #expect(Set(blocks.map(\.language)) == ["sh", "cron", "ini"])
    func commands(_ block: DocumentPage.Block) -> [[String]] {
      block.text.split(separator: "\n").compactMap { line in
        line.range(of: "permlog ingest ").map {
          line[$0.lowerBound...].split(separator: " ").map(String.init)
        }
      }
    }
    /// Without the paths: the exports, and the log.
    func options(_ words: [String]) throws -> [String] {
      let log = try #require(words.firstIndex(of: "--log"))
      try #require(words.count > log + 1 && !words[2].hasPrefix("-"))
      return words.enumerated().filter { $0.offset != 2 && $0.offset != log + 1 }.map(\.element)
    }
    let daily = try options(try #require(blocks.first { $0.language == "sh" }.flatMap { commands($0).first }))
    let scheduled = blocks.filter { $0.language != "sh" }.flatMap(commands)
    #expect(scheduled.count == 2)
    for words in scheduled { #expect(try options(words) == daily, "\(words.joined(separator: " "))") }
  }
}
