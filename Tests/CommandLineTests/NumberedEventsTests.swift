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

  private func json(_ words: [String]) throws -> [String: Any] {
    let result = try Tool.run(words + ["--log", workspace.path("log")])
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.errors)")
  }

  /// Nothing of the second person is stored but the numbers of rows: they are told, and erased.
  @Test func aPersonWithNumbersAloneIsFoundAndErased() throws {
    let taps = (1...6).map { line($0, "Tap", device: "D2", second: $0) }
    _ = try ingest(tenEvents + taps, "a")
    let persons = try json(["export", "--user", "D2", "--format", "json"])["persons"] as? [[String: Any]]
    let numbers = try #require(persons?.first?["numbers"] as? [[String: Any]])
    #expect(persons?.first?["found"] as? Bool == true && numbers.count == 1)
    #expect(numbers[0]["first_number"] as? Int == 1 && numbers[0]["last_number"] as? Int == 6)
    let text = try Tool.run(["export", "--user", "D2", "--log", workspace.path("log")]).text
    #expect(text.contains("1 to 6, app_version 2.0, platform iOS"), "\(text)")
    let dry = try Tool.run(["erase", "--user", "D2", "--dry-run", "--log", workspace.path("log")])
    #expect(dry.status == 0 && !dry.text.contains("NOT FOUND"), "\(dry.text)")
    let erased = try Tool.run(["erase", "--user", "D2", "--log", workspace.path("log")])
    #expect(erased.status == 0 && !erased.text.contains("NOT FOUND"), "\(erased.text)")
    #expect(try completeness()?.counters == 1)
    _ = try ingest(taps + [tenEvents[0]], "b")
    #expect(try completeness()?.counters == 1)
  }

  /// The other user of the phone goes on: what is not known of the erased one is no loss.
  @Test func aPhoneOfAnErasedUserHasNoGaps() throws {
    func day(_ day: Int, from first: Int) -> [String] {
      (0..<12).map {
        let name = $0 % 3 == 0 ? "Push Permission Prompt Shown" : "Tap"
        return line(first + $0, name, user: $0 % 6 < 3 ? "a" : "b", day: day, second: $0)
      }
    }
    _ = try ingest(day(5, from: 1), "1", ["--identity", "account"])
    #expect(try Tool.run(["erase", "--user", "b", "--log", workspace.path("log")]).status == 0)
    for (name, lines) in [("2", day(5, from: 1)), ("3", day(6, from: 13)), ("4", day(7, from: 25))] {
      _ = try ingest(lines, name, ["--identity", "account"])
      let found = try completeness()
      #expect(found?.numbered == found?.arrived, "\(name)")
    }
  }

  /// A list of erased users has no ids, so that nobody without events could be found.
  @Test func anotherLogsListTakesAllNumbers() throws {
    _ = try ingest(tenEvents + (1...6).map { line($0, "Tap", device: "D2", second: $0) }, "a")
    _ = try ingest([line(1, "Push Permission Denied", device: "D2")], "other", log: "other")
    #expect(try Tool.run(["erase", "--user", "D2", "--log", workspace.path("other")]).status == 0)
    let list = workspace.path("list")
    #expect(try Tool.run(["erase", "--export-list", list, "--log", workspace.path("other")]).status == 0)
    let imported = try Tool.run(["erase", "--import-list", list, "--log", workspace.path("log")])
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try completeness() == nil && !manifest.contains("numbers-"))
  }

  /// All else is answered and stored; `verify` says what is wrong.
  @Test func damagedNumbersStopNothing() throws {
    for place in ["block", "tail"] {
      let other = try NumberedEventsTests()
      _ = try other.ingest(other.tenEvents, "a")
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: other.workspace.path("log")).first { $0.hasPrefix("numbers-") })
      var bytes = try other.workspace.read("log/" + name)
      bytes[place == "block" ? 30 : bytes.count - 20] ^= 0x40
      try bytes.write(to: URL(fileURLWithPath: other.workspace.path("log/" + name)))
      let log = other.workspace.path("log")
      let report = try Tool.run(["report", "--full", "--log", log])
      #expect(
        report.status == 0 && report.text.contains(/file\s+of\s+the\s+log\s+is\s+damaged/), "\(place): \(report.errors)"
      )
      #expect(try other.completeness() == nil)
      for words in [["export"], ["flow"], ["audit"], ["info"]] {
        #expect(try Tool.run(words + ["--log", log]).status == 0, "\(place): \(words)")
      }
      #expect(try Tool.run(["verify", "--log", log]).status != 0)
      _ = try other.ingest([other.line(20, "Push Permission Denied", device: "D9", day: 6)], "b")
      // Four files become one, and this one cannot be among them.
      let later = try (1...4).map { number in
        try other.ingest(
          [other.line(20 + number, "Push Permission Denied", device: "D9", day: 6, second: number)], "c\(number)")
      }
      #expect(later.contains { $0.contains("numbers of earlier events in it are not known") }, "\(place): \(later)")
      #expect(try Tool.run(["erase", "--user", "D1", "--log", log]).status == 0, "\(place)")
      #expect(try Tool.run(["verify", "--log", log]).status == 0, "\(place)")
    }
  }

  @Test func floatsAndTextsAreNumbers() throws {
    let lines = (1...9).filter { $0 != 4 }.map { number in
      line(number, "Push Permission Prompt Shown", second: number).replacing(
        "\"event_id\":\(number)", with: "\"event_id\":" + [number % 2 == 0 ? "\(number).0" : "\"\(number)\""][0])
    }
    _ = try ingest(lines, "a")
    let found = try #require(try completeness())
    #expect(found.numbered == 7 && found.arrived == 6)
  }

  /// A phone that is used ten times a day for years, and rows in any order.
  @Test func aHeavyUserInAnyOrderIsCounted() throws {
    var lines: [String] = []
    for number in 1...5200 {
      let (day, hour) = (1 + number / 24 % 28, number % 24)
      let month = 1 + number / (24 * 28) % 12
      lines.append(
        line(number, number % 500 == 0 ? "Push Permission Prompt Shown" : "Tap").replacing(
          "2026-01-05 10",
          with: "2025-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day) \(hour < 10 ? "0" : "")\(hour)"))
    }
    for (log, order) in [
      ("log", lines),
      ("shuffled", lines.enumerated().sorted { ($0.offset * 7919) % 5003 < ($1.offset * 7919) % 5003 }.map(\.element)),
    ] {
      _ = try ingest(order, log, log: log)
      let found = try #require(try completeness(log: log), "\(log)")
      #expect(found.left_out == 0 && found.arrived == found.numbered && found.numbered > 5000, "\(log): \(found)")
    }
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
    // A value in another spelling goes along another path, and a row that is refused has arrived.
    let others =
      lines.dropLast() + [
        event(6, "granted", "\"permission\":\"no such thing\""), event(7, "app_active", "\"surface\":\"x\""),
      ]
    let odd = others.enumerated().map {
      $0.offset % 2 == 0 ? $0.element.replacing("camera", with: "Camera") : $0.element
    }
    for name in ["odd", "odd-hashed"] {
      _ = try ingest(odd, name, name == "odd" ? [] : ["--hash-users", key], log: name)
      let found = try #require(try completeness(log: name))
      #expect(found.counters == 1 && found.numbered == 5 && found.arrived == 4, "\(name): \(found)")
    }
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
