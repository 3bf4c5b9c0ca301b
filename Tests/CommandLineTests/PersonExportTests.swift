// All that a log has of a person, in each format: nothing is missing, and nothing is of anybody else.

import Foundation
import Testing

@Suite struct PersonExportTests {
  private let workspace: Workspace
  private let log: String

  private static let lines = [
    #"{"event_id":"1","user_id":"ann@example.com","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera","variant":"B <b>","surface":"onboarding","country":"DE"}"#,
    #"{"event_id":"2","user_id":"ann@example.com","timestamp":"2026-03-02T10:00:05Z","event":"denied","permission":"camera","status":"denied"}"#,
    #"{"event_id":"3","user_id":"ann@example.com","timestamp":"2026-03-05T10:00:00Z","event":"app_active"}"#,
    #"{"event_id":"4","user_id":"bob","timestamp":"2026-03-02T11:00:00Z","event":"prompt_shown","permission":"camera"}"#,
    #"{"event_id":"5","user_id":"bob","timestamp":"2026-03-02T11:00:03Z","event":"granted","permission":"camera"}"#,
  ]

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    let file = try workspace.write("ann@example.com.ndjson", Self.lines.map { $0 + "\n" }.joined())
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
  }

  private func export(_ arguments: [String], in log: String? = nil) throws -> ToolResult {
    try Tool.run(["export"] + arguments + ["--log", log ?? self.log])
  }

  private func persons(_ arguments: [String], in log: String? = nil) throws -> [[String: Any]] {
    let text = try export(arguments + ["--format", "json"], in: log).text
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["schema"] as? String == "permlog.person/1")
    return try #require(document["persons"] as? [[String: Any]])
  }

  @Test func nothingIsMissingAndNothingIsOfOthers() throws {
    let result = try export(["--user", "ann@example.com", "--format", "json"])
    #expect(result.status == 0 && !result.text.contains("bob") && result.errors.isEmpty, "\(result.errors)")
    let person = try #require(try persons(["--user", "ann@example.com"]).first)
    // Each stored value, as the export of all events has it.
    let events = try #require(person["events"] as? [[String: Any]]).map { $0.compactMapValues { $0 as? String } }
    let stored = try export([]).text.split(separator: "\n").filter { $0.contains("ann@example.com") }.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]
    }
    #expect(events.count == 3 && Set(events) == Set(stored.compactMap { $0 }))
    let journeys = try #require(person["journeys"] as? [[String: Any]])
    #expect(journeys.count == 1 && journeys[0]["outcome"] as? String == "denied")
    #expect(journeys[0]["variant"] as? String == "B <b>")
    // The row is that of the journeys of all.
    let all = try export(["--journeys"]).text.split(separator: "\n").first { $0.contains("ann@example.com") }
    let row = try #require(JSONSerialization.jsonObject(with: Data((all ?? "").utf8)) as? [String: Any])
    #expect(NSDictionary(dictionary: row) == NSDictionary(dictionary: journeys[0]))
    #expect(person["kept_out"] as? Bool == false && person["found"] as? Bool == true)
    #expect((person["files"] as? [String])?.contains { $0.hasSuffix("ann@example.com.ndjson") } == true)
    // Each field has a meaning.
    #expect(!result.text.contains("a field of a later version"), "\(result.text)")
    let text = try export(["--user", "ann@example.com"]).text
    for word in [
      "2026-03-02T10:00:05.000Z", "denied camera, status denied", "the permission was refused", "onboarding",
    ] {
      #expect(text.contains(word), "\(word): \(text)")
    }
    let csv = try export(["--user", "ann@example.com", "--format", "csv"]).text
    #expect(csv.contains("ann@example.com,event,1,variant,B <b>,"), "\(csv)")
    let page = try export(["--user", "ann@example.com", "--output", workspace.path("ann.html")])
    let html = try String(contentsOfFile: workspace.path("ann.html"), encoding: .utf8)
    #expect(page.status == 0 && html.contains("B &lt;b&gt;") && !html.contains("B <b>"))
  }

  @Test func whatTheLogDoesNotHaveIsNotGuessed() throws {
    let result = try export(["--user", "Ann@Example.com", "--user", "nobody"])
    #expect(
      result.status == 3 && result.errors.contains("the log has nothing of Ann@Example.com, nobody"), "\(result.errors)"
    )
    #expect(result.text.contains("The log also has ann@example.com"), "\(result.text)")
    #expect(result.text.contains("The log has nothing of this person, under this spelling"), "\(result.text)")
    // Erased, it is said since when; with the key outside it is not known.
    #expect(try Tool.run(["erase", "--user", "ann@example.com", "--log", log]).status == 0)
    let erased = try persons(["--user", "ann@example.com"])
    #expect(erased[0]["kept_out"] as? Bool == true && erased[0]["found"] as? Bool == false)
    #expect((erased[0]["kept_out_since"] as? String)?.hasPrefix("20") == true)
    let outside = workspace.path("outside")
    let file = workspace.path("ann@example.com.ndjson")
    #expect(try Tool.run(["ingest", file, "--log", outside]).status == 0)
    let key = workspace.path("erased.key")
    #expect(try Tool.run(["erase", "--user", "bob", "--log", outside, "--key", key]).status == 0)
    #expect(try persons(["--user", "bob"], in: outside)[0]["kept_out"] is NSNull)
    #expect(try persons(["--user", "bob", "--key", key], in: outside)[0]["kept_out"] as? Bool == true)
  }

  /// Who was named in a request and had no event was not erased.
  @Test func aRequestIsNoErasure() throws {
    #expect(try Tool.run(["erase", "--user", "late@example.com", "--allow-missing", "--log", log]).status == 0)
    #expect(try Tool.run(["erase", "--user", "bob", "--log", log]).status == 0)
    let late = try export(["--user", "late@example.com"]).text.split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    #expect(
      late.contains("An erasure was asked for on ") && late.contains(", when the log had no event either"), "\(late)")
    #expect(try export(["--user", "bob"]).text.contains("The person was erased on "))
    let csv = try export(["--user", "late@example.com", "--format", "csv"]).text
    #expect(csv.contains("late@example.com,kept_out,,,true,") && csv.contains("late@example.com,kept_out_since,,,20"))
    #expect(
      try export(["--user", "ann@example.com", "--format", "csv"]).text.contains("ann@example.com,kept_out,,,false,"))
  }

  @Test func aMixedLogMayHaveMoreOfAPerson() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 40))
    let file = workspace.path("ann@example.com.ndjson")
    #expect(try Tool.run(["ingest", file, "--log", log, "--hash-users", key, "--force-mixed-users"]).status == 0)
    let text = try export(["--user", "ann@example.com"]).text
    #expect(text.contains("names users in several ways"), "\(text)")
    #expect(try persons(["--user", "ann@example.com"])[0]["mixed"] as? Bool == true)
    #expect(try export(["--user", "bob", "--format", "csv"]).text.contains("bob,mixed,,,true,"))
  }

  @Test func aHashedLogIsAskedWithItsKey() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 40))
    let hashed = workspace.path("hashed")
    let file = workspace.path("ann@example.com.ndjson")
    #expect(try Tool.run(["ingest", file, "--log", hashed, "--hash-users", key]).status == 0)
    let person = try persons(["--user", "ann@example.com", "--hash-users", key], in: hashed)
    #expect((person[0]["events"] as? [Any])?.count == 3 && (person[0]["journeys"] as? [Any])?.count == 1)
    let without = try export(["--user", "ann@example.com"], in: hashed)
    #expect(without.status == 64 && without.errors.contains("hashed under a key"), "\(without.errors)")
    #expect(without.errors.hasSuffix("Give the key with which the log was filled.\n"), "\(without.errors)")
  }

  @Test func linkedIDsAreOnePerson() throws {
    let linked = workspace.path("linked")
    let mapping = try workspace.write("mine.yaml", LinkedIDTests.mapping + "\n")
    let rows = [
      #"{"ev":"app_open","u":"d1","t":1772445600000,"id":"e1"}"#,
      #"{"ev":"app_open","u":"d2","t":1772445600000,"id":"e2"}"#,
      #"{"ev":"app_open","u":"d3","t":1772445600000,"id":"e3"}"#,
      #"{"ev":"link","u":"a1","other":"d1","t":1772445700000,"id":"e4"}"#,
      #"{"ev":"link","u":"a1","other":"d2","t":1772445700000,"id":"e5"}"#,
    ]
    let file = try workspace.write("rows.ndjson", rows.map { $0 + "\n" }.joined())
    let ingest = try Tool.run(["ingest", file, "--mapping", mapping, "--log", linked])
    #expect(ingest.status == 0, "\(ingest.errors)")
    let person = try persons(["--user", "d2"], in: linked)[0]
    #expect(Set(person["ids"] as? [String] ?? []) == ["a1", "d1", "d2"], "\(person)")
    #expect((person["events"] as? [Any])?.count == 2)
  }

  /// Ids that look alike, and two ids of one person.
  @Test func journeysAreOfTheRightPerson() throws {
    let alike = workspace.path("alike")
    let lines = [
      ("andr\u{E9}", "camera"), ("andre\u{301}", "contacts"), (#"q\\"#, "photos"), (#"q\",\"permission\":"#, "siri"),
    ].map { user, permission in
      #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"\#(permission)"}"#
        + "\n"
    }
    let file = try workspace.write("alike.ndjson", lines.joined())
    #expect(try Tool.run(["ingest", file, "--log", alike]).status == 0)
    let both = try persons(["--user", "andr\u{E9}", "--user", "andre\u{301}"], in: alike)
    #expect(
      both.map { ($0["journeys"] as? [[String: Any]])?.map { $0["permission"] as? String } } == [
        ["camera"], ["contacts"],
      ])
    let quoted = try persons(["--user", #"q\"#, "--user", #"q","permission":"#], in: alike)
    #expect(
      quoted.map { ($0["journeys"] as? [[String: Any]])?.map { $0["permission"] as? String } } == [
        ["photo_library"], ["siri"],
      ])
    let twice = try persons(["--user", "ann@example.com", "--user", " ann@example.com "])
    #expect(twice.map { ($0["journeys"] as? [Any])?.count } == [1, 1])
  }

  @Test func wrongUseIsRefused() throws {
    for arguments in [
      ["--user", "a", "--journeys"], ["--user", "a", "--format", "ndjson"], ["--format", "html"],
      ["--user", "a", "--week", "2026-W10"],
      ["--user", "a", "--user", "b", "--format", "html"], ["--user", String(repeating: "x", count: 257)],
      ["--hash-users", "key"],
    ] { #expect(try export(arguments).status == 64, "\(arguments)") }
  }
}
