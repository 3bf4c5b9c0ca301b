// Another key for a log of pseudonyms, as a user of the command line gives it: nothing of the old one stays, no answer changes,
// nobody is in the log twice, and who was erased stays out.

import Foundation
import ReportOracle
import Testing

@Suite struct RekeyCommandTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    for name in ["one", "two", "three"] {
      try workspace.write(name, name + String(repeating: "k", count: 32))
      #expect(chmod(workspace.path(name), 0o600) == 0)
    }
    try workspace.write("map.yaml", LinkedIDTests.mapping)
  }

  private func keys(_ names: String...) -> [String] { names.flatMap { ["--hash-users", workspace.path($0)] } }

  private func run(_ arguments: [String], input: String? = nil, log: String? = nil) throws -> ToolResult {
    try Tool.run(arguments + ["--log", log ?? self.log], input: input.map { Data($0.utf8) })
  }

  private func rekey(_ names: String...) throws -> ToolResult { try run(["rekey"] + names.map(workspace.path)) }

  private func ingest(_ text: String, _ options: [String], log: String? = nil) throws -> [String: Any] {
    let result = try run(["ingest", "-", "--quiet", "--summary", "json"] + options, input: text, log: log)
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private func user(_ n: Int) -> String { "user-\(n)@example.com" }

  /// Canonical events, with ids from the app and without any.
  private func events(_ users: Range<Int>, from first: Int = 0, to last: Int = 3) -> String {
    users.flatMap { n in
      (first..<last).flatMap { day -> [String] in
        let day = String(format: "2026-03-%02d", 2 + day)
        let start = #"{"user_id":"\#(user(n))","timestamp":"\#(day)T10:0\#(n % 6):0"#
        return [
          start + #"0Z","event":"app_active","event_id":"\#(user(n))-\#(day)"}"#,
          start + #"1Z","event":"prompt_shown","permission":"camera","variant":"\#(n % 2)"}"#,
          start + #"2Z","event":"permission_\#(n % 3 == 0 ? "granted" : "denied")","permission":"camera"}"#,
          start + #"3Z","event":"app_installed","event_id":"\#(user(n))+\#(day)"}"#,
        ]
      }
    }.joined(separator: "\n") + "\n"
  }

  /// Rows that carry a state and an assignment, which are the same event in all rows of a day.
  private func rows(_ users: Range<Int>, from first: Int = 0, to last: Int = 3) -> String {
    users.flatMap { n in
      (first..<last).flatMap { day in
        [1, 2].map { row in
          #"{"ev":"app_open","u":"\#(user(n))","t":\#(1_772_445_600_000 + day * 86_400_000 + row * 1000),"id":"r\#(day)-\#(row)","s":"s","p":{"push":\#(n % 2 == 0),"arm":"\#(n % 2)"}}"#
        }
      }
    }.joined(separator: "\n") + "\n"
  }

  private var sticky: [String] {
    ["--mapping", workspace.path("map.yaml"), "--experiment", "arm", "--state", "notifications=push"]
  }
  private static let questions = [
    ["report", "--format", "json"], ["flow", "--format", "json"], ["audit", "--format", "json", "--all"],
    ["compare", "0", "1", "--permission", "camera", "--format", "json"],
  ]

  private func answers() throws -> [Data] { try Self.questions.map { try run($0).output } }

  /// The ids of users and events in an export.
  private func ids(_ field: String, log: String? = nil) throws -> Set<String> {
    let text = try run(["export"], log: log).text
    return Set(text.matches(of: try Regex(#""\#(field)":"([^"]+)""#)).compactMap { $0[1].substring.map(String.init) })
  }

  /// Whether a file of the log has an id, as text or as a UUID's low word.
  private func logHolds(_ id: String) throws -> Bool {
    let digits = id.replacing("-", with: "")
    let low = UInt64(digits.suffix(16), radix: 16).map { withUnsafeBytes(of: $0.littleEndian) { Data($0) } }
    return try FileManager.default.contentsOfDirectory(atPath: log).contains {
      let bytes = try workspace.read("log/\($0)")
      return bytes.range(of: Data(id.utf8)) != nil || low.map { bytes.range(of: $0) != nil } == true
    }
  }

  @Test func noOldPseudonymStaysAndNoAnswerChanges() throws {
    for days in [0..<2, 1..<3] {
      _ = try ingest(events(0..<20, from: days.lowerBound, to: days.upperBound), keys("one"))
      _ = try ingest(rows(0..<20, from: days.lowerBound, to: days.upperBound), keys("one") + sticky)
    }
    let (before, users, events) = (try answers(), try ids("user_id"), try ids("event_id"))
    #expect(try users.count == 20 && users.allSatisfy(logHolds))
    let result = try rekey("one", "two")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(
      result.text == """
        20 users have another pseudonym, in 480 events
        ingest, erase and export --user need all keys from now on: --hash-users \(workspace.path("one")) --hash-users \(workspace.path("two"))

        """)
    #expect(try answers() == before)
    #expect(try ids("user_id").isDisjoint(with: users) && ids("user_id").count == 20)
    for id in users { #expect(try !logHolds(id), "\(id)") }
    // Of the events' ids those stay in which there is no user.
    let kept = try ids("event_id").intersection(events)
    let lines = try run(["export"]).text.split(separator: "\n").filter { line in kept.contains { line.contains($0) } }
    #expect(lines.allSatisfy { $0.contains("assigned") || $0.contains("status_checked") }, "\(lines)")
    #expect(!lines.isEmpty)
    #expect(try run(["verify"]).status == 0)
    let again = try rekey("one", "two")
    #expect(again.status == 0 && again.text.hasPrefix("the log has this key already; nothing was changed\n"))
    let undo = try run(["undo"])
    #expect(undo.status != 0 || undo.text.contains("nothing"), "\(undo.text)\(undo.errors)")
    #expect(try answers() == before)
  }

  @Test func theSameExportsAddNothingAndNewOnesGoToTheSamePersons() throws {
    _ = try ingest(events(0..<20), keys("one"))
    _ = try ingest(rows(0..<20), keys("one") + sticky)
    #expect(try rekey("one", "two").status == 0)
    #expect(try rekey("one", "two", "three").status == 0)
    let all = keys("one", "two", "three")
    for (text, options) in [(events(0..<20), []), (rows(0..<20), sticky)] {
      let again = try ingest(text, all + options)
      #expect(again["new"] as? Int == 0 && again["conflicts"] as? Int == 0, "\(again)")
    }
    #expect(try ingest(events(0..<20, to: 4), all)["new"] as? Int == 80)
    #expect(try ingest(rows(0..<20, to: 4), all + sticky)["new"] as? Int == 80)
    #expect(try ids("user_id").count == 20)
    // It is the log of one ingest under all keys from the beginning.
    let fresh = workspace.path("fresh")
    _ = try ingest(events(0..<20, to: 4), all, log: fresh)
    _ = try ingest(rows(0..<20, to: 4), all + sticky, log: fresh)
    #expect(try run(["export"]).output == run(["export"], log: fresh).output)
  }

  @Test(arguments: ["amplitude", "mixpanel", "posthog", "segment", "ga4", "snowplow"])
  func rowsOfVendorsHaveTheSameIDsAfterwards(vendor: String) throws {
    let files = [#filePath.replacing("Tests/CommandLineTests/RekeyCommandTests.swift", with: "data/samples/" + vendor)]
    #expect(try run(["ingest"] + files + keys("one")).status == 0)
    // Numbers of events are counted under the old key, and so forgotten.
    func others() throws -> [NSDictionary] {
      try answers().filter { !$0.isEmpty }.map { answer in
        var json = try #require(JSONSerialization.jsonObject(with: answer) as? [String: Any])
        json["completeness"] = nil
        for list in ["findings", "others"] {
          json[list] = (json[list] as? [[String: Any]])?.filter { $0["id"] as? String != "events_missing" }
        }
        return json as NSDictionary
      }
    }
    let hasNumbers = ["amplitude", "ga4"].contains(vendor)
    let (before, count) = (try others(), try ids("user_id").count)
    let rekeyed = try rekey("one", "two")
    #expect(
      rekeyed.status == 0 && rekeyed.text.contains("numbers of events are forgotten") == hasNumbers, "\(rekeyed.text)")
    #expect(try others() == before)
    #expect(try answers()[0].range(of: Data("\"completeness\": null".utf8)) != nil)
    let again = try run(["ingest", "--summary", "json"] + files + keys("one", "two"))
    let summary =
      try JSONSerialization.jsonObject(with: again.output) as? [String: Any]
    #expect(summary?["new"] as? Int == 0, "\(again.text)")
    #expect(try ids("user_id").count == count)
  }

  @Test(arguments: TestSeeds.some(Array(UInt64(1)...6)))
  func linkedIDsStayOnePerson(seed: UInt64) throws {
    let story = LinkedIDTests.Story(seed: seed)
    let options = ["--mapping", workspace.path("map.yaml")]
    let half = story.linked.count / 2
    for text in story.linked[..<half] { _ = try ingest(text, options + keys("one")) }
    if half > 0 { #expect(try rekey("one", "two").status == 0) }
    let all = half > 0 ? keys("one", "two") : keys("one")
    for text in story.linked[half...] { _ = try ingest(text, options + all) }
    let fresh = workspace.path("fresh")
    for text in story.linked { _ = try ingest(text, options + all, log: fresh) }
    #expect(try run(["export"]).output == run(["export"], log: fresh).output, "seed \(seed)")
    #expect(try run(["report", "--format", "json"]).output == run(["report", "--format", "json"], log: fresh).output)
    #expect(try run(["verify"]).status == 0)
    let erased = try run(["erase", "--user", story.links[0].0, "--allow-missing"] + all)
    let fromFresh = try run(["erase", "--user", story.links[0].0, "--allow-missing"] + all, log: fresh)
    #expect(erased.text == fromFresh.text, "seed \(seed)")
    #expect(try run(["export"]).output == run(["export"], log: fresh).output, "seed \(seed)")
  }

  @Test func erasedUsersStayOutUnderEachKey() throws {
    _ = try ingest(events(0..<20), keys("one"))
    #expect(try run(["erase", "--user", user(1)] + keys("one")).status == 0)
    #expect(try rekey("one", "two").status == 0)
    let both = keys("one", "two")
    #expect(try run(["erase", "--user", user(2)] + both).text.hasPrefix("erased 12 events of 1 user"))
    let before = try answers()
    let again = try ingest(events(0..<20), both)
    #expect(again["new"] as? Int == 0 && again["erased"] as? Int == 24, "\(again)")
    #expect(try answers() == before)
    let once = try run(["erase", "--user", user(1), "--format", "json"] + both)
    #expect(once.status == 0 && once.text.contains("erased_before"), "\(once.text)\(once.errors)")
    #expect(try run(["info", "--format", "json"]).text.contains(#""erased_users": 2"#))
    // Whoever is accepted again was erased under the first key, and has the id of both now.
    for n in [1, 2] {
      let text = try run(["erase", "--readmit", user(n)] + both).text
      #expect(text.hasPrefix("1 user is accepted again"), "\(text)")
    }
    #expect(try ingest(events(0..<20), both)["new"] as? Int == 24)
    #expect(try ids("user_id").count == 20)
    let found = try run(["export", "--user", user(1), "--format", "json"] + both)
    #expect(found.status == 0 && found.text.contains("app_active"), "\(found.errors)")
    #expect(try run(["export", "--user", "nobody"] + both).status == 3)
  }

  @Test func aPseudonymOfBeforeFindsThePerson() throws {
    _ = try ingest(events(0..<3), keys("one"))
    let old = try #require(try ids("user_id").first)
    #expect(try rekey("one", "two").status == 0)
    let erased = try run(["erase", "--user", old] + keys("one", "two"))
    #expect(erased.status == 0 && erased.text.hasPrefix("erased 12 events of 1 user"), "\(erased.text)\(erased.errors)")
    #expect(
      try run(["info", "--format", "json"]).text.contains(#""erased_users": 2"#), "the id of then and that of now")
    #expect(try ingest(events(0..<3), keys("one", "two"))["erased"] as? Int == 12)
    #expect(try ids("user_id").count == 2)
  }

  /// Events of linked ids are stored under one of them; the person is found by a former pseudonym of each.
  @Test func aPseudonymOfBeforeFindsAPersonOfLinkedIDs() throws {
    for name in ["ann", "install-1"] {
      _ = try ingest(
        #"{"user_id":"\#(name)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n",
        ["--format", "ndjson"] + keys("one"))
    }
    let before = try ids("user_id")
    let link = #"{"ev":"link","u":"ann","t":1772445600000,"other":"install-1"}"# + "\n"
    _ = try ingest(link, ["--mapping", workspace.path("map.yaml")] + keys("one"))
    #expect(try rekey("one", "two").status == 0)
    for id in before {
      let found = try run(["erase", "--user", id, "--dry-run"] + keys("one", "two"))
      #expect(
        found.status == 0 && found.text.hasPrefix("would erase 2 events of 1 user"), "\(found.text)\(found.errors)")
    }
  }

  /// Who was erased under a former key cannot be found by a pseudonym of now, and nothing says otherwise.
  @Test func aPseudonymOfNowDoesNotShowWhoWasErasedBefore() throws {
    _ = try ingest(events(0..<3), keys("one"))
    let copy = workspace.path("copy")
    #expect(try run(["backup", copy]).status == 0)
    #expect(try run(["erase", "--user", user(1)] + keys("one")).status == 0)
    let paths = ["rekey", workspace.path("one"), workspace.path("two")]
    #expect(try run(paths).status == 0 && run(paths, log: copy).status == 0)
    let now = try #require(try ids("user_id", log: copy).subtracting(ids("user_id")).first)
    let erased = try run(["erase", "--user", now, "--allow-missing"] + keys("one", "two"))
    #expect(erased.text.contains("NOT FOUND"), "\(erased.text)")
    let again = try run(["erase", "--readmit", now] + keys("one", "two"))
    #expect(again.text.hasPrefix("1 user is accepted again"), "\(again.text)")
    #expect(
      again.errors.contains("WARNING: users were erased before this log was rekeyed, and a pseudonym"),
      "\(again.errors)")
    #expect(try ingest(events(0..<3), keys("one", "two"))["new"] as? Int == 0)
    let whole = try run(["erase", "--readmit", user(1)] + keys("one", "two"))
    #expect(whole.text.hasPrefix("1 user is accepted again") && whole.errors.isEmpty, "\(whole.errors)")
    #expect(try ingest(events(0..<3), keys("one", "two"))["new"] as? Int == 12)
    // A list of that time is not taken by a log with events.
    let list = workspace.path("list")
    #expect(try run(["erase", "--user", user(2)] + keys("one", "two")).status == 0)
    #expect(try run(["erase", "--export-list", list]).status == 0)
    #expect(try run(["erase", "--import-list", list], log: copy).status == 0, "nobody of it was erased before")
  }

  @Test func otherKeysChangeNothing() throws {
    _ = try ingest(events(0..<3), keys("one"))
    let export = try run(["export"]).output
    for (names, words) in [
      (
        ["two", "three"],
        "under other keys than the given ones, or in another order. Nothing was changed. Give all keys"
      ),
      (["one", "one"], "the new key is one that the log has already"), (["one"], "permlog rekey OLD NEW"),
      (["one", "missing"], "missing: "),
    ] {
      let result = try run(["rekey"] + names.map(workspace.path))
      #expect(result.status != 0 && result.errors.contains(words), "\(names): \(result.errors)")
    }
    let inside = try run(["rekey", workspace.path("one"), log + "/key"])
    #expect(inside.status == 64 && inside.errors.contains("in the directory of a log"), "\(inside.errors)")
    #expect(try run(["export"]).output == export)
    #expect(try rekey("one", "two").status == 0)
    for wrong in [keys("two"), keys("one"), keys("two", "one"), keys("one", "two", "three"), []] {
      for command in [["ingest", "-", "--format", "ndjson"], ["erase", "--user", "x"], ["export", "--user", "x"]] {
        let result = try run(command + wrong, input: command[0] == "ingest" ? events(0..<1) : nil)
        #expect(result.status == 64, "\(command + wrong): \(result.errors)")
      }
    }
    let plain = workspace.path("plain")
    _ = try ingest(events(0..<1), [], log: plain)
    let refused = try run(["rekey", workspace.path("one"), workspace.path("two")], log: plain)
    #expect(
      refused.status == 64 && refused.errors.contains("its users are not known to be hashed"), "\(refused.errors)")
    _ = try ingest(events(0..<1), keys("one") + ["--force-mixed-users"], log: plain)
    let mixed = try run(["rekey", workspace.path("one"), workspace.path("two")], log: plain)
    #expect(mixed.status == 64 && mixed.errors.contains("in several ways"), "\(mixed.errors)")
    let none = try run(["rekey", workspace.path("one"), workspace.path("two")], log: workspace.path("nowhere"))
    #expect(none.status == 1 && none.errors.contains("no log"), "\(none.errors)")
    #expect(!FileManager.default.fileExists(atPath: workspace.path("nowhere")))
  }

  /// An export of pseudonyms makes a log that does not know their key: another one would double everybody.
  @Test func theWayByExportAndIngestIsRefusedUnderAnotherKey() throws {
    _ = try ingest(events(0..<20), keys("one"))
    let export = try run(["export"]).text
    let copy = workspace.path("copy")
    _ = try ingest(export, [], log: copy)
    let refused = try run(["ingest", "-", "--format", "ndjson"] + keys("two"), input: events(0..<20, to: 4), log: copy)
    #expect(refused.status == 64, "\(refused.text)")
    #expect(
      refused.errors.contains(
        "its users are pseudonyms, but the 20 users of this ingest are not among them, so the key is probably another "
          + "than theirs. Nothing was stored."), "\(refused.errors)")
    #expect(try run(["export"], log: copy).text == export)
    let links = #"{"ev":"link","u":"acc1","t":1772445600000,"other":"anon1"}"# + "\n"
    for name in ["one", "two"] {
      let alone = try run(
        ["ingest", "-", "--mapping", workspace.path("map.yaml")] + keys(name), input: links, log: copy)
      #expect(
        alone.status == 64 && alone.errors.contains("no user with events of this ingest is among them"),
        "\(alone.errors)")
    }
    // The right key is known by its users, and the events are known, too.
    let right = try ingest(events(0..<20, to: 4), keys("one"), log: copy)
    #expect(right["new"] as? Int == 80, "\(right)")
    #expect(try ids("user_id", log: copy).count == 20)
    #expect(try run(["rekey", workspace.path("one"), workspace.path("two")], log: copy).status == 0)
    // Nothing shows it with new users alone; then somebody has to vouch for it.
    let other = workspace.path("other")
    _ = try ingest(export, [], log: other)
    #expect(
      try run(["ingest", "-", "--format", "ndjson"] + keys("one"), input: events(30..<32), log: other).status == 64)
    _ = try ingest(events(30..<32), keys("one") + ["--force-mixed-users"], log: other)
    #expect(try run(["info", "--format", "json"], log: other).text.contains(#""user_ids": "hashed""#))
  }
}
