// What a scheduled run needs: silence, patience with another writer, exit statuses for what is asked, dry runs.

import Foundation
import Testing

@Suite struct ScheduledRunTests {
  /// A question and its answer, some hours ago.
  private static func lines(user: String, hoursAgo: Double, answer: String = "granted") -> String {
    let time = Int((Date().timeIntervalSince1970 - hoursAgo * 3600) * 1000)
    return ["prompt_shown", answer].enumerated().map { n, kind in
      #"{"user_id":"\#(user)","timestamp":\#(time + n * 1000),"event":"\#(kind)","permission":"camera"}"# + "\n"
    }.joined()
  }

  private func makeLog(_ workspace: Workspace, _ pieces: [String]) throws -> String {
    let log = workspace.path("log")
    for (n, piece) in pieces.enumerated() {
      #expect(try Tool.run(["ingest", try workspace.write("\(n).ndjson", piece), "--log", log]).status == 0)
    }
    return log
  }

  /// Every file of a directory with its bytes and its time.
  private func contents(_ directory: String) throws -> [String: [AnyHashable]] {
    var result: [String: [AnyHashable]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let path = directory + "/" + name
      let changed = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      result[name] = [try Data(contentsOf: URL(fileURLWithPath: path)), changed]
    }
    return result
  }

  // MARK: Age

  @Test func theAgeOfTheNewestEventDecidesTheStatus() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, [Self.lines(user: "a", hoursAgo: 400), Self.lines(user: "b", hoursAgo: 50)])
    let old = try Tool.run(["info", "--log", log, "--max-age", "49h"])
    #expect(old.status == 3 && old.text.contains("events      4"))
    #expect(old.errors.contains("is 2 days old (") && old.errors.split(separator: "\n").count == 1)
    #expect(try Tool.run(["info", "--log", log, "--max-age", "51h"]).status == 0)
    let quiet = try Tool.run(["info", "--log", log, "--max-age", "1d", "--quiet"])
    #expect(quiet.status == 3 && quiet.errors.contains("which is more than 1d"))
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    let other = workspace.path("other")
    #expect(try Tool.run(["ingest", try workspace.write("one", line), "--log", other]).status == 0)
    for (now, status) in [("2026-03-03T22:00:00Z", Int32(0)), ("2026-03-03T22:00:01Z", 3), ("2026-03-01T00:00:00Z", 3)]
    {
      let result = try Tool.run(["info", "--log", other, "--max-age", "36h", "--now", now])
      #expect(result.status == status, "\(now): \(result.errors)")
    }
    // One phone that is ahead of the clock does not hide that nothing came in.
    let ahead = #"{"user_id":"v","timestamp":"2026-03-04T10:00:00Z","event":"app_active"}"#
    #expect(try Tool.run(["ingest", try workspace.write("two", ahead), "--log", other]).status == 0)
    let hidden = try Tool.run(["info", "--log", other, "--max-age", "36h", "--now", "2026-03-04T09:00:00Z"])
    #expect(
      hidden.status == 3 && hidden.errors.contains("is 47 hours old (2026-03-02T10:00:00.000Z)"), "\(hidden.errors)")
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", try workspace.write("none", ""), "--log", empty]).status == 0)
    let none = try Tool.run(["info", "--log", empty, "--max-age", "1000d"])
    #expect(none.status == 3 && none.errors.contains("is empty"))
    #expect(try Tool.run(["info", "--log", log, "--max-age", "soon"]).status == 64)
  }

  @Test func theSummaryTellsTheNewestEventOfTheLog() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    let log = try makeLog(workspace, [line])
    let older = line.replacing("2026-03", with: "2026-01")
    let text = try Tool.run(["ingest", try workspace.write("older", older), "--log", log]).text
    #expect(text.contains("newest     2026-03-02T10:00:00.000Z, of all events in the log"))
    let json = try Tool.run(["ingest", try workspace.write("again", older), "--log", log, "--summary", "json"]).text
    let keys = json.matches(of: /"([a-z_]+)":/).map { String($0.1) }
    #expect(
      keys == [
        "files", "skipped_files", "lines", "events", "new", "duplicates", "conflicts", "erased", "surplus", "rejected",
        "respelled", "newest", "ignored_fields", "unmapped_events", "seconds", "contradictions",
        "replaced", "withdrawn", "links", "refused_links", "moved", "known_files", "bad_files", "health",
        "retention", "not_stored",
      ])
    #expect(json.contains(#""surplus": 0"#) && json.contains(#""newest": "2026-03-02T10:00:00.000Z""#))
    let none = try Tool.run(
      ["ingest", try workspace.write("none", ""), "--log", workspace.path("new"), "--summary", "json"])
    #expect(none.text.contains(#""newest": null"#))
  }

  // MARK: Silence

  @Test func aQuietRunSaysNothingUnlessItFails() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let bad = "{\"x\n" + Self.lines(user: "a", hoursAgo: 30)
    let file = try workspace.write("a.ndjson", bad)
    let loud = try Tool.run(["ingest", file, "--log", workspace.path("other")])
    #expect(loud.status == 0 && !loud.errors.isEmpty && !loud.text.isEmpty)
    let cases = [
      ["ingest", file], ["compact"], ["expire", "--before", "2020-01-01"], ["erase", "--user", "a"], ["verify"],
    ]
    for command in cases {
      let result = try Tool.run(command + ["--quiet", "--log", log])
      #expect(result.status == 0 && result.errors.isEmpty && result.text.isEmpty, "\(command): \(result.errors)")
    }
    let report = try Tool.run(["report", "--quiet", "--log", log])
    #expect(report.status == 0 && report.errors.isEmpty && !report.text.isEmpty)
    let summary = try Tool.run(["ingest", file, "--quiet", "--summary", "json", "--log", log])
    #expect(summary.errors.isEmpty && summary.text.hasPrefix("{"))
    // One that fails tells what it would have told.
    let failed = try Tool.run(["ingest", file, "--quiet", "--strict", "--log", log])
    #expect(failed.status == 2 && failed.text.isEmpty)
    #expect(failed.errors.contains("a.ndjson:1") && failed.errors.contains("--strict was given"), "\(failed.errors)")
  }

  // MARK: The lock

  @Test func aWriterWaitsForAnother() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, [Self.lines(user: "a", hoursAgo: 30), Self.lines(user: "b", hoursAgo: 20)])
    let first = Process()
    first.executableURL = URL(fileURLWithPath: Tool.path)
    first.arguments = ["ingest", "-", "--log", log]
    let input = Pipe()
    first.standardInput = input
    first.standardOutput = FileHandle.nullDevice
    try first.run()
    let lines = (0..<5000).map { Self.lines(user: "u\($0)", hoursAgo: 10) }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    let lock = URL(fileURLWithPath: log + "/lock")
    for _ in 0..<2000 where try Data(contentsOf: lock).isEmpty { usleep(10_000) }
    let refused = try Tool.run(["compact", "--log", log, "--wait", "200ms"])
    #expect(refused.status == 1 && refused.errors.contains("process \(first.processIdentifier)"), "\(refused.errors)")
    // The first goes on when the second has begun to wait, or is just about to.
    let waiting = LockedData()
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let result = try? Tool.run(["erase", "--user", "a", "--log", log, "--wait", "600s"])
      waiting.set(Data("\(result?.status ?? -1) \(result?.text ?? "")".utf8))
    }
    usleep(300_000)
    try input.fileHandleForWriting.close()
    first.waitUntilExit()
    group.wait()
    let result = String(decoding: waiting.get(), as: UTF8.self)
    #expect(first.terminationStatus == 0 && result.hasPrefix("0 erased 2 events of 1 user"), "\(result)")
  }

  // MARK: Dry runs

  @Test func aDryRunSaysWhatTheRunThenDoesAndChangesNoByte() throws {
    let workspace = try Workspace()
    let log = try makeLog(
      workspace,
      [
        Self.lines(user: "a", hoursAgo: 4000) + Self.lines(user: "b", hoursAgo: 4000),
        Self.lines(user: "a", hoursAgo: 30) + Self.lines(user: "c", hoursAgo: 30),
      ])
    let before = try contents(log)
    let day = String(Date(timeIntervalSinceNow: -100 * 86_400).formatted(.iso8601).prefix(10))
    let expiry = try Tool.run(["expire", "--before", day, "--dry-run", "--log", log])
    #expect(expiry.status == 0)
    #expect(expiry.text.hasPrefix("would remove 4 events before \(day)T00:00:00.000Z of 2 users, from 1 part\n"))
    #expect(expiry.text.contains("1 user would have no events left\nnothing was changed\n"), "\(expiry.text)")
    let erasure = try Tool.run(["erase", "--user", "a", "--user", "nobody", "--dry-run", "--log", log])
    #expect(erasure.text.hasPrefix("would erase 4 events of 1 user, from 2 parts\n"), "\(erasure.text)")
    #expect(erasure.status == 3 && erasure.text.contains("  nobody: NOT FOUND, no events here\n"))
    #expect(
      erasure.text.contains(
        "2 ids would be kept out from then on\nthe key of the list of erased users would be in the log:")
    )
    #expect(erasure.text.hasSuffix("--key FILE keeps it elsewhere\nnothing was changed\n"), "\(erasure.text)")
    #expect(try contents(log) == before)
    // The runs themselves find the same.
    #expect(
      try Tool.run(["erase", "--user", "a", "--user", "nobody", "--log", log]).text
        .hasPrefix("erased 4 events of 1 user, from 2 parts\n"))
    let erased = try contents(log)
    #expect(
      try Tool.run(["erase", "--user", "a", "--dry-run", "--log", log]).text
        .contains("would erase 0 events of 0 users\n  a: erased before on 20"))
    let second = try Tool.run(["expire", "--before", day, "--dry-run", "--log", log])
    #expect(second.text.hasPrefix("would remove 2 events before \(day)T00:00:00.000Z of 1 user, from 1 part\n"))
    #expect(try contents(log) == erased)
    #expect(
      try Tool.run(["expire", "--before", day, "--log", log]).text
        .hasPrefix("removed 2 events before \(day)T00:00:00.000Z, from 1 part\n"))
    #expect(try Tool.run(["expire", "--readmit", "--dry-run", "--log", log]).status == 64)
  }

  // MARK: Drops

  /// Weeks of 200 users each, by the shares granted, and an event that ends the last week.
  private func log(ofWeeks shares: [Double], _ workspace: Workspace) throws -> String {
    let monday = 1_772_409_600_000
    var lines = ""
    for (week, granted) in shares.enumerated() {
      for user in 0..<200 {
        let time = monday + week * 604_800_000 + user * 1_800_000
        let answer = Double(user % 20) < granted * 20 ? "granted" : "denied"
        for (n, kind) in ["prompt_shown", answer].enumerated() {
          lines +=
            #"{"user_id":"u\#(week)-\#(user)","timestamp":\#(time + n * 1000),"event":"\#(kind)","permission":"camera"}"#
            + "\n"
        }
      }
    }
    let last = monday + (7 * shares.count + 1) * 86_400_000
    lines += #"{"user_id":"end","timestamp":\#(last),"event":"app_active"}"# + "\n"
    return try makeLog(workspace, [lines])
  }

  /// Without 4 weeks before it the week is tested against the one before.
  @Test(arguments: [
    (
      [0.6, 0.3],
      "dropped significantly from the week before: camera by 30.0 points (too few weeks for a usual range)"
    ),
    ([0.6, 0.55], nil), ([0.6, 0.9], nil),
    // Usual: sin²(asin √(120.375/200.75) ± 1.5 √(1/200.5 + 1/802)).
    ([0.6, 0.6, 0.6, 0.6, 0.45], "is lower than usual: camera (45.0 %, usual 48.2 to 71.2 %)"),
    ([0.6, 0.6, 0.6, 0.6, 0.5], nil), ([0.6, 0.6, 0.6, 0.6, 0.9], nil),
    // Weeks that vary so of themselves.
    ([0.75, 0.45, 0.75, 0.45, 0.75, 0.45], nil),
  ])
  func aDropEndsWithItsStatus(shares: [Double], found: String?) throws {
    let workspace = try Workspace()
    let log = try log(ofWeeks: shares, workspace)
    let plain = try Tool.run(["report", "--log", log, "--format", "json"])
    let result = try Tool.run(["report", "--log", log, "--format", "json", "--fail-on-drop"])
    #expect(plain.status == 0 && result.status == (found == nil ? 0 : 3), "\(result.errors)")
    #expect(result.output == plain.output)
    let week = shares.count == 2 ? "2026-W11" : "2026-W14"
    let errors = result.errors.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
    #expect(errors == (found.map { "permlog: in week \(week) the grant rate \($0)\n" } ?? ""))
  }

  /// An alarm that cannot ring is no all-clear.
  @Test func aDropThatCannotBeFoundIsAWarning() throws {
    let workspace = try Workspace()
    let log = try log(ofWeeks: [0.6], workspace)
    let result = try Tool.run(["report", "--log", log, "--quiet", "--fail-on-drop"])
    #expect(result.status == 0 && result.errors.hasPrefix("WARNING: --fail-on-drop cannot judge"))
  }

  // MARK: States as JSON

  /// A directory that is put back to an older copy of itself is whole: only what was kept elsewhere tells.
  @Test func aFingerprintTellsALogThatWasPutBack() throws {
    let workspace = try Workspace()
    func fingerprint() throws -> String {
      let result = try Tool.run(["info", "--fingerprint", "--log", workspace.path("log")])
      #expect(result.status == 0 && result.errors.isEmpty)
      #expect(result.text.wholeMatch(of: /[0-9a-f]{64}\n/) != nil, "\(result.text)")
      return result.text
    }
    let log = try makeLog(workspace, [Self.lines(user: "a", hoursAgo: 30)])
    let first = try fingerprint()
    try FileManager.default.copyItem(atPath: log, toPath: workspace.path("copy"))
    _ = try makeLog(workspace, [Self.lines(user: "b", hoursAgo: 20)])
    let second = try fingerprint()
    #expect(first != second)
    let info = try Tool.run(["info", "--log", log, "--format", "json"])
    #expect(info.text.contains(#""fingerprint": "\#(second.dropLast())""#), "\(info.text)")
    // Reading changes nothing.
    #expect(try fingerprint() == second)
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.moveItem(atPath: workspace.path("copy"), toPath: log)
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    #expect(try fingerprint() == first)
    #expect(try Tool.run(["info", "--fingerprint", "--format", "json", "--log", log]).status == 64)
  }

  @Test func informationAndVerificationAreJSON() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, [Self.lines(user: "a", hoursAgo: 30), Self.lines(user: "b", hoursAgo: 20)])
    func object(_ result: ToolResult) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    }
    let info = try object(try Tool.run(["info", "--log", log, "--format", "json"]))
    #expect(info["schema"] as? String == "permlog.info/1" && info["events"] as? Int == 4)
    #expect(info["permissions"] as? [String] == ["camera"] && info["expired_before"] is NSNull)
    #expect((info["parts"] as? [[String: Any]])?.compactMap { $0["events"] as? Int } == [2, 2])
    let whole = try object(try Tool.run(["verify", "--log", log, "--format", "json"]))
    #expect(whole["schema"] as? String == "permlog.verify/1" && whole["whole"] as? Bool == true)
    #expect(whole["events"] as? Int == 4 && whole["lost_events"] as? Int == 0)
    let part = try #require(
      try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasPrefix("part-") }.min())
    try FileManager.default.removeItem(atPath: log + "/" + part)
    let damaged = try Tool.run(["verify", "--log", log, "--format", "json"])
    let found = try object(damaged)
    #expect(damaged.status == 2 && found["whole"] as? Bool == false && found["lost_events"] as? Int == 2)
    #expect((found["damage"] as? [String])?.count == 1)
    try FileManager.default.removeItem(atPath: log + "/manifest")
    #expect(try object(try Tool.run(["verify", "--log", log, "--format", "json"]))["lost_events"] is NSNull)
  }
}
