// Logs that released versions wrote, whole and damaged: they open for ever.

import Foundation
import Testing

@Suite struct ReleasedLogTests {
  /// A copy of a stored log, since a writer would change it.
  private func stored(_ version: String, _ name: String, _ workspace: Workspace) throws -> String {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    let source = fixtures.appendingPathComponent("log-\(version)/\(name)")
    let path = workspace.path(name)
    try FileManager.default.copyItem(atPath: source.path, toPath: path)
    return path
  }

  /// The last one has, with its parts, what the ingests found out.
  @Test(arguments: ["0.1.0", "0.2.0", "0.3.0", "0.3.0-counts"])
  func opensAndTakesMore(version: String) throws {
    let workspace = try Workspace()
    let log = try stored(version, "log", workspace)
    let expected = try Data(
      contentsOf: URL(fileURLWithPath: try stored(version, "export.ndjson", workspace)))
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    #expect(try Tool.run(["export", "--log", log]).output == expected)
    #expect(try Tool.run(["report", "--log", log]).status == 0)
    // Its own export adds nothing, and merging its parts changes nothing.
    let again = try Tool.run(
      ["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", log], input: expected)
    #expect(again.status == 0 && again.text.contains("\"new\": 0,"), "\(again.errors)")
    #expect(try Tool.run(["compact", "--log", log]).status == 0)
    #expect(try Tool.run(["export", "--log", log]).output == expected)
    let info = try Tool.run(["info", "--log", log]).text
    #expect(info.contains("erased      2 ids kept out") == ["0.2.0", "0.3.0"].contains(version), "\(info)")
    // Merging its parts kept what was counted, also of the user who was erased since.
    let counts = "ingested    106 read: 92 new, 14 duplicates (3 with other content); 1 ahead of the clock\n"
    #expect(info.contains(counts) == (version == "0.3.0-counts") && info.contains("parts       1\n"), "\(info)")
  }

  @Test(arguments: [
    (
      "0.1.0", "damaged-block",
      "part-0000000000000002, block 0 at offset 32: the checksum of the block's header does not match", 60
    ),
    ("0.1.0", "damaged-footer", "part-0000000000000002, footer at offset 1171: its checksum does not match", 60),
    ("0.1.0", "damaged-manifest", "manifest: its checksum does not match", 90),
    ("0.1.0", "torn-part", "part-0000000000000003, end of file: it has 1613 bytes and should have 1713", 60),
    ("0.1.0", "missing-part", "part-0000000000000001: the manifest lists it, but it is missing", 60),
    (
      "0.3.0", "damaged-block",
      "part-0000000000000004, block 0 at offset 32: the checksum of the block's header does not match", 61
    ),
    ("0.3.0", "damaged-footer", "part-0000000000000004, footer at offset 1345: its checksum does not match", 61),
    ("0.3.0", "torn-part", "part-0000000000000005, end of file: it has 1649 bytes and should have 1749", 62),
  ])
  func damageIsNamedAndTheRestIsSaved(version: String, name: String, words: String, events: Int) throws {
    let workspace = try Workspace()
    let log = try stored(version, name, workspace)
    let verify = try Tool.run(["verify", "--log", log])
    #expect(verify.status == 2 && verify.errors.contains(words), "\(verify.errors)")
    for command in [["report"], ["export"], ["compact"]] {
      let result = try Tool.run(command + ["--log", log])
      #expect(result.status == 2 && result.errors.contains("--skip-damaged"), "\(command): \(result.errors)")
      #expect(command == ["export"] || result.output.isEmpty, "no figure from damaged bytes")
    }
    let saved = try Tool.run(["export", "--skip-damaged", "--log", log])
    #expect(saved.status == 2 && saved.errors.contains(words), "\(saved.errors)")
    #expect(saved.text.split(separator: "\n").count == events)
    let other = workspace.path("other")
    let ingest = try Tool.run(
      ["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", other], input: saved.output)
    #expect(ingest.text.contains("\"new\": \(events),"), "\(ingest.text)")
  }

  /// A log of a later version: a kind, a permission and a column that this one does not know.
  @Test func whatIsNotKnownIsKept() throws {
    let workspace = try Workspace()
    let log = try stored("from-the-future", "log", workspace)
    func fixture(_ name: String) throws -> Data {
      try Data(contentsOf: URL(fileURLWithPath: try stored("from-the-future", name, workspace)))
    }
    let (expected, table) = (try fixture("export.ndjson"), try fixture("export.csv"))
    let events = String(decoding: expected, as: UTF8.self).split(separator: "\n")
    #expect(events.contains { $0.contains("paywall_shown") } && events.contains { $0.contains("\"tier\":\"tier-") })
    #expect(table.starts(with: Data("event_id,user_id,timestamp,event,permission".utf8)))

    #expect(try Tool.run(["export", "--log", log]).output == expected)
    #expect(try Tool.run(["export", "--format", "csv", "--log", log]).output == table)

    let report = try Tool.run(["report", "--format", "json", "--log", log])
    #expect(report.status == 0 && !report.text.contains("smell") && !report.text.contains("paywall_shown"))
    // What is left out is said beside the figures.
    for name in ["paywall_shown", "smell", "tier"] { #expect(report.errors.contains(name), "\(report.errors)") }
    let question = workspace.path("q")
    #expect(try Tool.run(["report", "--as-of", "2026-06-01", "--save-question", question]).status == 0)
    let sums = try Tool.run(["sums", "make", "--log", log, "--question", question, "--output", workspace.path("x")])
    #expect(sums.status == 0)
    for name in ["paywall_shown", "smell", "tier"] { #expect(sums.errors.contains(name), "\(sums.errors)") }
    // Engagement and installs belong to no permission, whatever they carry; losses are no part of the figures.
    let known = events.filter { event in
      if event.contains("\"event\":\"lost\"") { return false }
      let ofApp = ["app_active", "app_installed", "feature_used"].contains { event.contains("\"event\":\"\($0)\"") }
      return ofApp || !event.contains("\"smell\"") && !event.contains("paywall_shown")
    }
    #expect(report.text.contains("\"events\": \(known.count),"), "\(report.text)")

    // Its own export adds nothing; what is not known is rejected, line by line.
    let again = try Tool.run(["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", log], input: expected)
    #expect(again.status == 0 && again.text.contains("\"new\": 0,"), "\(again.errors)")
    // With an event more, merged, and with a user less.
    let user = "u0"
    let rest = events.filter { !$0.contains("\"user_id\":\"\(user)\"") }
    let more = #"{"event_id":"more","user_id":"\#(user)","timestamp":1772445600000,"event":"app_installed"}"#
    let ingest = try Tool.run(["ingest", "-", "--format", "ndjson", "--log", log], input: Data((more + "\n").utf8))
    #expect(ingest.status == 0)
    for command in [["compact"], ["erase", "--user", user]] {
      #expect(try Tool.run(command + ["--log", log]).status == 0, "\(command)")
      #expect(try Tool.run(["verify", "--log", log]).status == 0, "\(command)")
      let info = try Tool.run(["info", "--log", log]).text
      for line in ["kinds paywall_shown", "permissions smell", "columns tier"] {
        #expect(info.contains("unknown     " + line + ": kept, exported, left out of the figures"), "\(info)")
      }
    }
    let left = try Tool.run(["export", "--log", log]).text.split(separator: "\n")
    #expect(left == rest)
  }
}
