// Canonical files with names of their own: read, or each name listed with its count and a warning that `info` and the report keep.

import Foundation
import Testing

@Suite struct HalfUnderstoodTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures/half-understood.csv.gz").path

  private func object(_ output: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
  }

  private func kinds(_ log: String) throws -> [String: Int] {
    let lines = try Tool.run(["export", "--log", log]).text.split(separator: "\n")
    return try lines.reduce(into: [:]) { counts, line in
      let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      counts[event["event"] ?? "", default: 0] += 1
    }
  }

  @Test func namesOfItsOwnAreRead() throws {
    let log = workspace.path("log")
    let result = try Tool.run(["ingest", Self.fixture, "--log", log, "--summary", "json"])
    #expect(result.status == 0 && !result.errors.contains("WARNING"), "\(result.errors)")
    let summary = try object(result.output)
    #expect(summary["new"] as? Int == 421 && summary["rejected"] as? Int == 0)
    #expect(summary["respelled"] as? Int == 340 && summary["unmapped_events"] as? Int == 59)
    let counts = try kinds(log)
    #expect(counts["explanation_shown"] == 68 && counts["skipped"] == 5 && counts["prompt_shown"] == 85)
    #expect(counts["settings_opened"] == 2 && counts["re_enabled"] == 1 && counts["app_active"] == 179)
    let info = try Tool.run(["info", "--log", log, "--format", "json"])
    let share = try #require(try object(info.output)["not_understood"] as? [String: Int])
    #expect(share == ["lines": 0, "of": 480])
    #expect(try !Tool.run(["report", "--full", "--log", log]).text.contains("not read"))
  }

  @Test func mappingCheckShowsNamesOfCanonicalFiles() throws {
    let check = try Tool.run(["mapping", "check", Self.fixture])
    #expect(check.text.contains("primer shown") && check.text.contains("→ explanation_shown camera"), "\(check.text)")
    #expect(check.text.contains("480 lines: 421 events, 59 not stored, 0 rejected"))
    let plain = try workspace.write(
      "plain.csv", "user_id,timestamp,event,permission\nu1,2026-03-02T10:00:00Z,granted,camera\n")
    #expect(try Tool.run(["mapping", "check", plain]).text.contains("granted camera"))
  }

  /// Of 100 lines, so many have a name that nobody knows.
  private func file(_ name: String, odd: Int) throws -> String {
    var text = "user_id,timestamp,event,permission\n"
    for n in 0..<100 {
      let event = n < odd ? (n % 2 == 0 ? "nag panel skipped" : "teapot") : n % 2 == 0 ? "granted" : "denied"
      text += "u\(n),2026-03-02T10:00:\(String(format: "%02d", n % 60))Z,\(event),camera\n"
    }
    return try workspace.write(name, text)
  }

  @Test func fromFivePercentOnAWarningStays() throws {
    let (few, many) = (workspace.path("few"), workspace.path("many"))
    let below = try Tool.run(["ingest", try file("few.csv", odd: 4), "--log", few])
    #expect(!below.errors.contains("WARNING") && below.text.contains("nag panel skipped"), "\(below.errors)")
    #expect(try Tool.run(["info", "--log", few]).text.contains("not read    4 of 100 lines (4.0 %)"))
    #expect(try !Tool.run(["report", "--full", "--log", few]).text.contains("not read"))

    let result = try Tool.run(["ingest", try file("many.csv", odd: 6), "--log", many])
    #expect(result.errors.contains("WARNING: 6 of 100 lines (6.0 %) were rejected because a name"), "\(result.errors)")
    #expect(result.errors.contains("skips (skip rate)") && result.errors.contains("any figure may lack their lines"))
    #expect(result.text.contains("    3  nag panel skipped") && result.text.contains("    3  teapot"), "\(result.text)")
    let info = try object(try Tool.run(["info", "--log", many, "--format", "json"]).output)
    #expect(info["not_understood"] as? [String: Int] == ["lines": 6, "of": 100])
    #expect(try Tool.run(["report", "--log", many]).text.contains("6 of 100 lines (6.0 %) were"))
    for format in ["text", "markdown", "html"] {
      let page = try Tool.run(["report", "--full", "--format", format, "--log", many]).text
      #expect(page.contains("not read") && page.replacing("\u{A0}", with: " ").contains("6 of 100 lines"), "\(format)")
    }
    // Equal events give equal bytes, whatever else the files had: the share is no figure.
    let without = workspace.path("without")
    let lines = try Tool.run(["export", "--log", many]).text
    #expect(try Tool.run(["ingest", try workspace.write("again.ndjson", lines), "--log", without]).status == 0)
    let json = ["report", "--format", "json", "--as-of", "2026-03-03"]
    #expect(try Tool.run(json + ["--log", many]).output == Tool.run(json + ["--log", without]).output)
  }

  @Test func aDraftNeverSaysThatRejectedLinesAreRead() throws {
    let said = "permlog reads the head of this file without a mapping too"
    #expect(try Tool.run(["mapping", "draft", Self.fixture]).text.contains(said))
    let draft = try Tool.run(["mapping", "draft", try file("draft.csv", odd: 6)]).text
    #expect(!draft.contains(said), "\(draft)")
    #expect(draft.contains("Without a mapping permlog rejects lines of this file"), "\(draft)")
    #expect(draft.contains("6 rejected"), "\(draft)")
  }

  /// Rows of random names, copied, erased and mangled: each line is new, a copy, of an erased user, not stored or rejected.
  @Test(arguments: [1, 2, 3] as [UInt64]) func noLineIsLost(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func below(_ n: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % n
    }
    let events = ["granted", "denied", "primer shown", "primer continue", "teapot", "allowed", "did become active", ""]
    let permissions = ["camera", "push", "Camera", "pusch", ""]
    var lines: [String] = []
    for n in 0..<400 {
      var line = "u\(below(20)),2026-03-02T10:00:\(10 + below(50))Z,\(events[below(8)]),\(permissions[below(5)])"
      if below(20) == 0 { line.removeFirst(below(line.count)) }
      lines.append(line)
      if n % 7 == 0 { lines.append(line) }
    }
    let log = workspace.path("log-\(seed)")
    #expect(
      try Tool.run([
        "ingest", try workspace.write("u3.csv", head + "u3,2026-03-01T10:00:00Z,granted,camera\n"), "--log", log,
      ]).status == 0)
    #expect(try Tool.run(["erase", "--user", "u3", "--log", log]).status == 0)
    let file = try workspace.write("f-\(seed).csv", head + lines.joined(separator: "\n") + "\n")
    let summary = try object(try Tool.run(["ingest", file, "--log", log, "--summary", "json"]).output)
    func count(_ key: String) -> Int { summary[key] as? Int ?? -1 }
    let parts = ["new", "duplicates", "erased", "unmapped_events", "rejected"].map(count)
    #expect(parts.allSatisfy { $0 > 0 } && parts.reduce(0, +) == count("lines"), "seed \(seed): \(summary)")
  }

  private let head = "user_id,timestamp,event,permission\n"
}
