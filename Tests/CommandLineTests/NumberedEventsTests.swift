// The numbers of events through the tool: what arrived is counted, of stored rows and of others, until a person is erased.

import Foundation
import Testing

@Suite struct NumberedEventsTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// A line of Amplitude's export.
  private func line(
    _ number: Int?, _ name: String, device: String = "D1", user: String? = nil, day: Int = 5, second: Int = 0,
    version: String = "2.0", properties: String = "{}"
  ) -> String {
    let (id, account) = (number.map(String.init) ?? "null", user.map { "\"\($0)\"" } ?? "null")
    return """
      {"event_type":"\(name)","event_time":"2026-01-0\(day) 10:00:\(String(format: "%02d", second)).000000","device_id":"\(device)",\
      "user_id":\(account),"amplitude_id":1,"event_id":\(id),"$insert_id":"\(device)-\(number ?? -second)-\(day)","version_name":\
      "\(version)","platform":"iOS","event_properties":\(properties)}

      """
  }

  private func ingest(_ lines: [String], _ name: String, _ options: [String] = [], log: String = "log") throws -> String
  {
    let file = try workspace.write("\(name).json", lines.joined())
    let result = try Tool.run(["ingest", file, "--log", workspace.path(log)] + options)
    #expect(result.status == 0, "\(result.errors)")
    return result.errors
  }

  private struct Completeness: Decodable, Equatable {
    struct Part: Decodable, Equatable {
      var week, app_version, platform: String?
      var numbered, arrived: Int
    }
    var counters, left_out, numbered, arrived: Int
    var arrived_share: Double?
    var by_week, by_version, by_platform: [Part]
  }

  private func completeness(_ options: [String] = [], log: String = "log") throws -> Completeness? {
    struct Report: Decodable { var completeness: Completeness? }
    let result = try Tool.run(["report", "--log", workspace.path(log), "--format", "json"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(result.text.utf8)).completeness
  }

  private var manifest: String {
    get throws { try String(contentsOfFile: workspace.path("log/manifest"), encoding: .utf8) }
  }

  /// Of ten events of a phone the fourth and the seventh are missing. Only two are stored.
  private var tenEvents: [String] {
    let names = [
      "Push Permission Prompt Shown", "Push Permission Granted", "Cart Opened", "x", "Tap", "Tap", "x", "Tap",
    ]
    return (1...10).filter { ![4, 7].contains($0) }.map {
      line($0, $0 <= names.count ? names[$0 - 1] : "Screen Viewed", second: $0)
    }
  }

  @Test func rowsThatAreNotStoredCount() throws {
    _ = try ingest(tenEvents, "a")
    let found = try #require(try completeness())
    #expect(found.counters == 1 && found.left_out == 0)
    #expect(found.numbered == 8 && found.arrived == 6 && found.arrived_share == 0.75)
    #expect(found.by_week == [.init(week: "2026-W02", numbered: 8, arrived: 6)])
    #expect(found.by_version == [.init(app_version: "2.0", numbered: 8, arrived: 6)])
    // No filter is about it, and what is later than the moment is not seen.
    #expect(try completeness(["--where", "app_version=2.0", "--permission", "notifications"]) == found)
    #expect(try completeness(["--as-of", "2026-01-05T09:00:00Z"])?.numbered ?? 0 == 0)
    let text = try Tool.run(["report", "--log", workspace.path("log"), "--section", "arrived"]).text
    #expect(text.contains("Which numbered events arrived") && text.contains("75.0 %"), "\(text)")
    let verified = try Tool.run(["verify", "--log", workspace.path("log")])
    #expect(verified.status == 0, "\(verified.errors)")
  }

  @Test func aFileThatIsReadAgainChangesNothing() throws {
    _ = try ingest(tenEvents, "a")
    let before = try manifest.components(separatedBy: "\n").filter { $0.hasPrefix("numbers-") }
    #expect(before.count == 1)
    _ = try ingest(tenEvents, "b")
    #expect(try manifest.components(separatedBy: "\n").filter { $0.hasPrefix("numbers-") } == before)
  }

  /// What was missing comes later, in rows of which nothing is stored.
  @Test func anIngestThatStoresNothingHasArrivedToo() throws {
    _ = try ingest(tenEvents, "a")
    // A file without any event that is understood is refused, with its numbers; this one has a copy.
    _ = try ingest([line(4, "Tap", second: 4), tenEvents[0]], "b")
    #expect(try completeness()?.arrived == 7)
    // Taken back, the newest ingest with events takes what came after it along.
    #expect(try Tool.run(["undo", "--log", workspace.path("log")]).status == 0)
    #expect(try completeness() == nil)
  }

  @Test func anErasureTakesTheWholeCounter() throws {
    // A second user of the same phone, and another phone.
    let second = (11...14).map { line($0, "Push Permission Prompt Shown", user: "second", day: 6, second: $0) }
    let other = (1...5).filter { $0 != 3 }.map {
      line($0, "Push Permission Prompt Shown", device: "D2", user: "other", second: $0)
    }
    _ = try ingest(tenEvents + second + other, "a", ["--identity", "account"])
    #expect(try completeness()?.counters == 2)
    #expect(try completeness()?.numbered == 12 + 3)
    #expect(try Tool.run(["erase", "--user", "second", "--log", workspace.path("log")]).status == 0)
    let left = try #require(try completeness())
    #expect(left.counters == 1 && left.numbered == 3 && left.arrived == 2)
    // Their rows do not bring the numbers back.
    _ = try ingest(second, "b", ["--identity", "account"])
    #expect(try completeness() == left)
    #expect(try Tool.run(["erase", "--user", "other", "--log", workspace.path("log")]).status == 0)
    #expect(try completeness() == nil)
    #expect(try !manifest.contains("numbers-"))
  }

  @Test func anExpiryTakesOldNumbers() throws {
    _ = try ingest(
      tenEvents + (11...20).map { line($0, $0 == 15 ? "Push Permission Granted" : "Tap", day: 8, second: $0) }, "a")
    #expect(try Tool.run(["expire", "--before", "2026-01-07", "--log", workspace.path("log")]).status == 0)
    let left = try #require(try completeness())
    #expect(left.numbered == 8 && left.arrived == 8)
    _ = try ingest(tenEvents, "b")
    #expect(try completeness() == left)
  }

  /// A row that is refused was not lost on its way.
  @Test func aRefusedRowHasArrived() throws {
    let lines = (1...5).map {
      line(
        $0, $0 == 3 ? "Permission Denied" : "Push Permission Denied", second: $0,
        properties: $0 == 3 ? "{\"permission\":\"no such thing\"}" : "{}")
    }
    let errors = try ingest(lines, "a")
    #expect(errors.contains("rejected"), "\(errors)")
    let found = try #require(try completeness())
    #expect(found.numbered == 3 && found.arrived == 3)
  }

  @Test func aRowWithoutANumberOrAPhoneCountsNothing() throws {
    _ = try ingest(
      [
        line(nil, "Push Permission Granted"), line(1, "Tap", device: "null"), line(1_700_000_000_000_000_000, "Tap"),
        line(-4, "Tap", second: 1),
      ], "a")
    #expect(try completeness() == nil && !manifest.contains("numbers-"))
  }

  /// Ids of the library for apps, and one of its events gets an id of the log's own.
  @Test func theRecordersNumbersAreRead() throws {
    func event(_ number: Int, _ kind: String, _ more: String = "\"permission\":\"camera\"") -> String {
      let id = "0badcafe-1234-8abc-8d00-" + String(repeating: "0", count: 11) + String(number, radix: 16)
      return """
        {"event_id":"\(id)","user_id":"u","timestamp":"2026-01-05T10:00:0\(number)Z","event":"\(kind)",\(more),"app_version":"3.1"}

        """
    }
    let lines = [
      event(1, "explanation_shown"), event(2, "assigned", "\"experiment\":\"e\",\"variant\":\"A\""),
      event(3, "prompt_shown"), event(5, "granted"), event(6, "app_active", "\"surface\":\"x\""),
    ]
    let key = try workspace.write("key", String(repeating: "k", count: 32))
    for (log, options) in [("log", []), ("hashed", ["--hash-users", key]), ("general", ["--replace"])] {
      _ = try ingest(lines, "recorded-\(log)", options, log: log)
      let found = try #require(try completeness(log: log), "\(log)")
      #expect(found.counters == 1 && found.numbered == 4 && found.arrived == 3, "\(log)")
      #expect(found.by_version.map(\.app_version) == ["3.1"])
    }
  }

  @Test func aMappingNamesTheNumber() throws {
    func mapping(_ number: String) throws -> String {
      try workspace.write(
        "m.yaml",
        """
        record:
          form: csv
          event: /name
          user: /who
          time: {from: /at, zone: UTC}
          number: \(number)
        """)
    }
    let rows = [1, 2, 4, 5].map { "tap,u,2026-01-05 10:00:0\($0),\($0),s\n" }.joined()
    let table = "name,who,at,n,session\ncamera prompt shown,u,2026-01-05 10:00:00,0,s\n"
    let file = try workspace.write("t.csv", table + rows)
    let good = try mapping("{from: /n, within: /session}")
    let result = try Tool.run(["ingest", file, "--mapping", good, "--log", workspace.path("log")])
    #expect(result.status == 0, "\(result.errors)")
    let found = try #require(try completeness())
    #expect(found.numbered == 4 && found.arrived == 3)
    for number in ["{from: /n}", "{within: /session}", "{from: /n, within: /session, by: 1}"] {
      let refused = try Tool.run(["mapping", "check", file, "--mapping", try mapping(number)])
      #expect(refused.status != 0 && refused.errors.contains("number"), "\(number): \(refused.errors)")
    }
  }

  @Test func theAuditNamesTheVersion() throws {
    var lines: [String] = []
    for phone in 0..<80 {
      var number = 0
      for (day, version) in [(5, "2.0"), (6, "2.1")] {
        for second in 0..<30 {
          number += 1
          if version == "2.1", (second + phone) % 9 == 0 { continue }
          let name = second == 0 ? "Push Permission Prompt Shown" : "Tap"
          lines.append(line(number, name, device: "P\(phone)", day: day, second: second, version: version))
        }
      }
    }
    _ = try ingest(lines, "a")
    let audit = ["audit", "--log", workspace.path("log"), "--only", "events_missing"]
    let text = try Tool.run(audit).text
    #expect(text.contains("version 2.1") && !text.contains("version 2.0"), "\(text)")
    let json = try Tool.run(audit + ["--format", "json"]).text
    #expect(json.contains("\"events_missing\"") && json.contains("\"warning\""), "\(json)")
    // A threshold of its own.
    #expect(try !Tool.run(audit + ["--threshold", "events_missing=50"]).text.contains("version 2.1"))
  }
}
