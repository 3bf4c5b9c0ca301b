// Properties that rows carry again and again: the variant of an experiment, the state of a permission.

import Foundation
import Testing

@Suite struct StickyRowTests {
  private typealias Experiment = MadeExperiment

  // MARK: Flags that every row carries

  /// A row of a user, with the flags that the user has by then.
  private typealias StickyForm =
    @Sendable (_ event: Experiment.Event, _ number: Int, _ flags: [String: Any]) -> [String: Any]

  private static func stickyName(_ kind: Experiment.Kind) -> String {
    Experiment.name(kind, assigned: "Something Else")
  }

  private static let stickyForms: [(name: String, form: StickyForm)] = [
    (
      "posthog",
      { event, number, flags in
        [
          "event": stickyName(event.kind), "distinct_id": "u\(event.user)", "timestamp": Experiment.stamp(event.time),
          "uuid": UUID().uuidString.lowercased(),
          "properties": Dictionary(uniqueKeysWithValues: flags.map { ("$feature/" + $0.key, $0.value) }),
        ]
      }
    ),
    (
      "amplitude's user properties",
      { event, number, flags in
        [
          "event_type": stickyName(event.kind), "device_id": "u\(event.user)",
          "event_time": Experiment.stamp(event.time),
          "$insert_id": "i\(number)", "event_properties": [String: Any](),
          "user_properties": Dictionary(uniqueKeysWithValues: flags.map { ("[Experiment] " + $0.key, $0.value) }),
        ]
      }
    ),
    (
      "firebase's user properties in ga4",
      { event, _, flags in
        [
          "event_name": stickyName(event.kind), "user_pseudo_id": "u\(event.user)",
          "event_timestamp": (Experiment.start + event.time) * 1000, "event_params": [[String: Any]](),
          "user_properties": flags.map { ["key": $0.key, "value": ["string_value": $0.value]] },
        ]
      }
    ),
    (
      "segment's traits",
      { event, number, flags in
        [
          "type": "track", "event": stickyName(event.kind), "anonymousId": "u\(event.user)", "messageId": "m\(number)",
          "timestamp": Experiment.stamp(event.time), "properties": [String: Any](), "context": ["traits": flags],
        ]
      }
    ),
  ]

  @Test("a flag on every row gives the variant from the first row on", arguments: stickyForms.indices)
  func sticky(number: Int) throws {
    let (name, form) = Self.stickyForms[number]
    var data = Data()
    let given = Dictionary(grouping: Experiment.sample.events, by: \.user).mapValues { events in
      events.compactMap { event -> (time: Int, variant: String)? in
        guard case .assigned("push_copy", let variant, false) = event.kind else { return nil }
        return (event.time, variant)
      }.min { $0.time < $1.time }
    }
    for (place, event) in Experiment.sample.events.enumerated() {
      if case .assigned(_, _, true) = event.kind { continue }
      var flags: [String: Any] = ["checkout_colour": "red"]
      if let first = given[event.user] ?? nil, first.time <= event.time { flags["push_copy"] = first.variant }
      data.append(try JSONSerialization.data(withJSONObject: form(event, place, flags)))
      data.append(0x0A)
    }
    let workspace = try Workspace()
    let path = workspace.path("log")
    let ingest = try Tool.run(["ingest", "-", "--quiet", "--experiment", "push_copy", "--log", path], input: data)
    #expect(ingest.status == 0, "\(ingest.errors)")
    let result = try Tool.run(Experiment.compare + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(name): \(result.errors)")
    let found = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(try Experiment.figures(found) == Experiment.figures(Experiment.onPrompts(hasTesters: false)), "\(name)")
    let assigned = try #require(found["assigned"] as? [String: Any])
    #expect(assigned["users"] as? [Int] == Experiment.sample.assigned, "\(name)")
    // Nothing is stored of a flag that was not named.
    let export = try Tool.run(["export", "--log", path]).text
    #expect(!export.contains("checkout_colour"))

    let plain = workspace.path("plain")
    let unread = try Tool.run(["ingest", "-", "--log", plain], input: data)
    // In the other forms the names do not say that they are of experiments.
    if number < 2 {
      #expect(unread.text.contains("in the rows, not read: checkout_colour, push_copy"), "\(unread.text)")
      #expect(unread.errors.isEmpty, "\(unread.errors)")
      #expect(!ingest.text.contains("push_copy"))
    }
    #expect(try !Tool.run(["export", "--log", plain]).text.contains("push_copy"))
    // A copy of what the tool's own rows say is not missed.
    let own =
      #"{"uuid":"a","event":"$feature_flag_called","distinct_id":"u1","timestamp":"2026-01-08T14:15:02Z","properties":{"$feature/push_copy":"B","$feature_flag":"push_copy","$feature_flag_response":"B"}}"#
    let read = try Tool.run(["ingest", "-", "--log", workspace.path("own")], input: Data((own + "\n").utf8))
    #expect(!read.text.contains("not read"), "\(read.text)")
    // The same in a mapping.
    let base = ["posthog", "amplitude", "ga4", "segment"][number]
    let map = try workspace.write("map.yaml", "extends: \(base)\nexperiments: [push_copy]\n")
    let mapped = workspace.path("mapped")
    _ = try Tool.run(["ingest", "-", "--quiet", "--mapping", map, "--log", mapped], input: data)
    #expect(try Tool.run(["export", "--log", mapped]).text == export, "\(name)")
  }

  // MARK: States that every row carries

  /// Rows of an app that keeps the state as a property, sets it at cold launches only and logs no checks.
  private struct Rows {
    var rows: [(time: Int, user: Int, event: String, state: Bool)] = []
    var denied = 0, granted = 0
    /// Users whose rows show the change: off to on after a denial, on and then off after a grant.
    var enabled = 0, revoked = 0

    init(users: Int, seed: UInt64) {
      var random = LinkedIDTests.Random(seed: seed)
      for user in 0..<users {
        var time = random.below(10 * Experiment.day)
        var (isOn, property) = (false, false)
        var isGranted: Bool?
        var hasToggled = false
        var (shown, times): ([Bool], [Int]) = ([], [])
        let asked = 1 + random.below(2)
        for session in 0..<4 + random.below(8) {
          if isGranted != nil, !hasToggled, random.below(8) == 0 { (isOn, hasToggled) = (!isOn, true) }
          if session == 0 || random.below(2) == 0 { property = isOn }
          func add(_ event: String, _ offset: Int) {
            rows.append((time + offset, user, event, property))
            guard isGranted != nil else { return }
            shown.append(property)
            times.append(time + offset)
          }
          add("Screen Viewed", 0)
          if session == asked {
            add("Push Permission Prompt Shown", 5000)
            let answer = random.below(2) == 0
            (isGranted, isOn) = (answer, answer)
            add("Push Permission " + (answer ? "Granted" : "Denied"), 7000 + random.below(9000))
          }
          // The session may go on after midnight, with the state of before.
          add("Screen Viewed", 30_000 + random.below(3_600_000))
          time += Experiment.day / 5 + random.below(3 * Experiment.day)
        }
        if isGranted == true { granted += 1 } else { denied += 1 }
        if isGranted == false, shown.contains(true) { enabled += 1 }
        if isGranted == true, let off = shown.firstIndex(of: false) {
          // A property that is late for a week is right.
          let isLate = { !shown[..<$0].contains(true) && times[$0] - times[0] < 7 * Experiment.day }
          if (off..<shown.count).contains(where: { !shown[$0] && !isLate($0) }) { revoked += 1 }
        }
      }
      rows.sort { ($0.time, $0.user) < ($1.time, $1.user) }
    }
  }

  private static let states = Rows(users: 400, seed: 3)

  private static let stateForms: [@Sendable (_ row: [String: String], _ state: [String: Any]) -> [String: Any]] = [
    { row, state in
      [
        "event": row["event", default: ""], "distinct_id": row["user", default: ""],
        "timestamp": row["time", default: ""], "uuid": row["id", default: ""],
        "properties": state,
      ]
    },
    { row, state in
      [
        "event_type": row["event", default: ""], "device_id": row["user", default: ""],
        "event_time": row["time", default: ""], "$insert_id": row["id", default: ""],
        "event_properties": [String: Any](), "user_properties": state,
      ]
    },
    { row, state in
      [
        "type": "track", "event": row["event", default: ""], "anonymousId": row["user", default: ""],
        "messageId": row["id", default: ""],
        "timestamp": row["time", default: ""], "properties": [String: Any](), "context": ["traits": state],
      ]
    },
  ]

  private static func stateLines(_ form: Int) throws -> [Data] {
    try states.rows.enumerated().map { number, row in
      let base: [String: String] = [
        "event": row.event, "user": "u\(row.user)", "time": Experiment.stamp(row.time), "id": "id-\(number)",
      ]
      return try JSONSerialization.data(withJSONObject: stateForms[form](base, ["push_enabled": row.state]))
    }
  }

  private static func ingest(_ lines: some Sequence<Data>, _ path: String, _ options: [String] = []) throws -> String {
    let result = try Tool.run(
      ["ingest", "-", "--quiet", "--log", path] + options, input: lines.asLines)
    #expect(result.status == 0, "\(result.errors)")
    return result.errors
  }

  /// Enabled later after a denial, and revoked after a grant.
  private static func changes(_ path: String, _ more: [String] = []) throws -> [Int?] {
    let result = try Tool.run(["report", "--as-of", "2026-04-01", "--format", "json", "--log", path] + more)
    #expect(result.status == 0, "\(result.errors)")
    let report = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let row = try #require((report["rows"] as? [[String: Any]])?.first)
    let denied = (row["enabled_later"] as? [String: Any])?["denied"] as? [String: Any]
    return [
      row["granted"] as? Int, row["denied"] as? Int, denied?["enabled"] as? Int,
      (row["after_grant"] as? [String: Any])?["revoked"] as? Int,
    ]
  }

  private static let state = ["--state", "notifications=push_enabled"]

  @Test(
    "a state on every row tells who enabled later and who revoked, and contradicts no answer", arguments: [0, 1, 2])
  func states(form: Int) throws {
    let lines = try Self.stateLines(form)
    let truth = [Self.states.granted, Self.states.denied, Self.states.enabled, Self.states.revoked]
    #expect(truth.allSatisfy { $0 > 20 })
    let workspace = try Workspace()
    let path = workspace.path("log")
    #expect(try Self.ingest(lines, path, Self.state).isEmpty)
    #expect(try Self.changes(path) == truth)
    let whole = try Tool.run(["export", "--log", path]).output
    // In another order, in a mapping, and hidden users: the same events.
    let shuffled = workspace.path("shuffled")
    _ = try Self.ingest(lines.sorted { $0.hashValue < $1.hashValue }, shuffled, Self.state)
    #expect(try Tool.run(["export", "--log", shuffled]).output == whole)
    let base = ["posthog", "amplitude", "segment"][form]
    let map = try workspace.write("map.yaml", "extends: \(base)\nstates: {push: push_enabled}\n")
    let mapped = workspace.path("mapped")
    _ = try Self.ingest(lines, mapped, ["--mapping", map])
    #expect(try Tool.run(["export", "--log", mapped]).output == whole)
    let key = try workspace.write("key", "0123456789abcdef0123456789abcdef")
    let hidden = workspace.path("hidden")
    _ = try Self.ingest(lines, hidden, Self.state + ["--hash-users", key])
    #expect(try Self.changes(hidden) == truth)
    // The export says where it is from, and is read as the log is.
    let again = workspace.path("again")
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", again], input: whole).status == 0)
    #expect(try Self.changes(again) == truth)
    #expect(try Self.changes(path, ["--at-once", "0s"]) == truth)
    // Without the option nothing is stored of it.
    let plain = workspace.path("plain")
    _ = try Self.ingest(lines, plain)
    #expect(try Self.changes(plain) == [truth[0], truth[1], nil, nil])
    #expect(try !Tool.run(["export", "--log", plain]).text.contains("status_checked"))
  }

  @Test("a day's export a day says the same, also read again")
  func statesByDay() throws {
    let lines = try Self.stateLines(0)
    let workspace = try Workspace()
    let path = workspace.path("log")
    let days = Dictionary(grouping: lines.indices) { Self.states.rows[$0].time / Experiment.day }
    for (_, numbers) in days.sorted(by: { $0.key < $1.key }) {
      _ = try Self.ingest(numbers.map { lines[$0] }, path, Self.state)
    }
    let truth = [Self.states.granted, Self.states.denied, Self.states.enabled, Self.states.revoked]
    #expect(try Self.changes(path) == truth)
    let export = try Tool.run(["export", "--log", path]).output
    let result = try Tool.run(
      ["ingest", "-", "--quiet", "--replace", "--summary", "json", "--log", path] + Self.state,
      input: lines.asLines)
    #expect(result.status == 0, "\(result.errors)")
    let summary = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(["new", "conflicts", "replaced", "withdrawn"].map { summary[$0] as? Int } == [0, 0, 0, 0], "\(summary)")
    #expect(try Tool.run(["export", "--log", path]).output == export)
    let report = ["report", "--as-of", "2026-04-01"]
    let logged = try Tool.run(report + ["--format", "json", "--log", path])
    func rows(_ output: Data) throws -> NSArray? {
      (try JSONSerialization.jsonObject(with: output) as? [String: Any])?["rows"] as? NSArray
    }
    let shards = (0..<3).map { shard in
      lines.indices.filter { Self.states.rows[$0].user % 3 == shard }.map { lines[$0] }
    }
    let summed = try workspace.answer(report, ofShards: shards, ["--format", "posthog"] + Self.state)
    #expect(try rows(summed) == rows(logged.output))
  }

  @Test("states are refused, listed and warned of by name")
  func statesNamed() throws {
    let workspace = try Workspace()
    // A file, as a refused command does not read its input.
    let rows = workspace.path("rows.ndjson")
    try Self.stateLines(0).asLines.write(to: URL(fileURLWithPath: rows))
    func run(_ options: [String]) throws -> ToolResult {
      try Tool.run(["ingest", rows, "--log", workspace.path("log")] + options)
    }
    for (option, words) in [
      ("push_enabled", "notifications=push_enabled"), ("pusch=push_enabled", "there is no permission pusch"),
      ("=x", "notifications=push_enabled"),
    ] {
      let result = try run(["--state", option])
      #expect(result.status == 64)
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    let twice = try run(["--state", "push=a", "--state", "notifications=b"])
    #expect(twice.status == 64 && twice.errors.contains("one state"), "\(twice.errors)")
    let missing = try run(["--state", "camera=camera_enabled"])
    #expect(missing.status == 0 && missing.errors.contains("no row carries a state"), "\(missing.errors)")
    #expect(missing.text.contains("--state notifications=push_enabled"), "\(missing.text)")

    let odd =
      #"{"event":"x","distinct_id":"u1","timestamp":"2026-02-01T10:00:00Z","uuid":"a","properties":{"push_enabled":"maybe"}}"#
    let file = try workspace.write("odd.ndjson", odd + "\n" + odd.replacing("maybe", with: "authorized"))
    let warned = try Tool.run(["ingest", file, "--log", workspace.path("odd")] + Self.state)
    #expect(warned.errors.contains(#"like "maybe""#), "\(warned.errors)")
    let checked = try Tool.run(["mapping", "check", file])
    #expect(checked.text.contains("--state notifications=push_enabled\n      authorized 1 user\n"), "\(checked.text)")
  }

  private static func row(_ user: String, _ time: String, _ event: String, _ properties: String) -> Data {
    Data(
      #"{"event":"\#(event)","distinct_id":"\#(user)","timestamp":"2026-01-\#(time)Z","uuid":"\#(user)-\#(time)-\#(event)","properties":{\#(properties)}}"#
        .utf8)
  }

  private static let (off, on) = (#""push_enabled":false"#, #""push_enabled":true"#)
  private static let prompt = "Push Permission Prompt Shown"

  @Test("a false before an answer is no denial, and answers no prompt")
  func falseIsNotDenied() throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let rows = (0..<60).flatMap { user in
      let name = "u\(user)"
      let ask = [
        Self.row(name, "05T09:00:00", "Screen", Self.off), Self.row(name, "05T09:01:00", Self.prompt, Self.off),
        Self.row(name, "05T09:01:09", "Screen", Self.off),
      ]
      // A third leaves without an answer.
      return user % 3 == 0
        ? ask
        : ask + [
          Self.row(name, "05T09:01:10", "Push Permission " + (user % 3 == 1 ? "Granted" : "Denied"), Self.off),
          Self.row(name, "05T09:01:20", "Screen", Self.off),
          Self.row(name, "06T09:00:00", "Screen", user % 3 == 1 ? Self.on : Self.off),
        ]
    }
    _ = try Self.ingest(rows, path, Self.state)
    let result = try Tool.run(["report", "--as-of", "2026-01-20", "--format", "json", "--log", path])
    let report = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let row = try #require((report["rows"] as? [[String: Any]])?.first)
    #expect(["granted", "denied", "dropped_off"].map { row[$0] as? Int } == [20, 20, 20])
    let reach = try #require((report["reach"] as? [[String: Any]])?.first)
    #expect(["on", "off", "undecided"].map { reach[$0] as? Int } == [20, 20, 20], "\(reach)")
    let audit = try Tool.run(["audit", "--as-of", "2026-03-01", "--format", "json", "--log", path])
    let findings = try #require(
      (JSONSerialization.jsonObject(with: audit.output) as? [String: Any])?["findings"] as? [[String: Any]])
    #expect(!findings.contains { $0["id"] as? String == "asked_after_denial" })
    // The event says what the row says.
    let export = try Tool.run(["export", "--log", path]).text
    #expect(export.contains(#""surface":"state:push_enabled""#) && !export.contains(#""status":"denied""#))
  }

  @Test("a state that contradicts an answer for a week is right")
  func lateStates() throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let rows = ["10", "13"].flatMap { last in
      let user = "u\(last)"
      return [
        Self.row(user, "05T09:01:00", Self.prompt, Self.off),
        Self.row(user, "05T09:01:09", "Push Permission Granted", Self.off),
        Self.row(user, "06T09:00:00", "Screen", Self.off), Self.row(user, "\(last)T09:00:00", "Screen", Self.off),
      ]
    }
    _ = try Self.ingest(rows, path, Self.state)
    #expect(try Self.changes(path) == [2, 0, 0, 1])
  }

  @Test("faults that a review found")
  func reviewed() throws {
    let workspace = try Workspace()
    // The earliest row stays if users are joined while events are replaced.
    let joined = workspace.path("joined")
    let replace = Self.state + ["--replace"]
    _ = try Self.ingest([Self.row("acc7", "05T09:07:54", "Screen", Self.off)], joined, replace)
    _ = try Self.ingest(
      [
        Self.row("aaa7", "05T09:08:31", "Screen", Self.off),
        Self.row("acc7", "05T09:08:32", "$identify", #""$anon_distinct_id":"aaa7""#),
      ], joined, replace)
    let export = try Tool.run(["export", "--log", joined]).text
    #expect(export.contains("09:07:54") && !export.contains("09:08:31"), "\(export)")
    // Shards that were read with other states do not add up.
    let question = workspace.path("q")
    #expect(try Tool.run(["report", "--as-of", "2026-03-01", "--save-question", question]).status == 0)
    var parts: [String] = []
    for (number, states) in [Self.state, []].enumerated() {
      parts += ["--from-sums", workspace.path("\(number).sums")]
      let made = try Tool.run(
        [
          "sums", "make", "-", "--format", "posthog", "--question", question, "--shard", "\(number + 1)/2", "--job",
          "j",
        ]
          + ["--output", workspace.path("\(number).sums"), "--quiet"] + states,
        input: Self.row("u\(number)", "05T09:00:00", Self.prompt, Self.off))
      #expect(made.status == 0, "\(made.errors)")
    }
    let summed = try Tool.run(["report"] + parts)
    #expect(summed.status == 2 && summed.errors.contains("read differently"), "\(summed.errors)")
    // A name is shown without signs that a terminal obeys.
    let hostile = Self.row("u1", "05T09:00:00", Self.prompt, #""$feature/\u001b[31mred\n":"a""#)
    let shown = try Tool.run(["ingest", "-", "--log", workspace.path("hostile")], input: hostile)
    #expect(shown.text.contains("--experiment") && !shown.text.contains("\u{1B}"), "\(shown.text)")
    // Two properties of one permission in one log.
    let mixed = workspace.path("mixed")
    _ = try Self.ingest([Self.row("u1", "05T09:00:00", Self.prompt, Self.on)], mixed, Self.state)
    let second = try Self.ingest(
      [Self.row("u2", "05T09:00:00", Self.prompt, #""push_opt_in":true"#)], mixed, ["--state", "push=push_opt_in"])
    #expect(second.contains("from several properties (push_enabled, push_opt_in)"), "\(second)")
    // Each property of a permission is counted, also one in an object of the user.
    let file = workspace.path("both.ndjson")
    let row =
      #"{"event":"x","distinct_id":"u1","timestamp":"2026-02-01T10:00:00Z","uuid":"a","properties":{"push_enabled":true,"$set":{"notification_permission":"denied"}}}"#
    try Data(row.utf8).write(to: URL(fileURLWithPath: file))
    let checked = try Tool.run(["mapping", "check", file]).text
    #expect(checked.contains("notifications=push_enabled\n      authorized 1 user\n"), "\(checked)")
    #expect(checked.contains("notifications=notification_permission\n      denied 1 user\n"), "\(checked)")
    let twice = try workspace.write(
      "map.yaml", "extends: posthog\nstates: {notifications: push_enabled, push: other}\n")
    let refused = try Tool.run(["mapping", "check", file, "--mapping", twice])
    #expect(refused.status != 0 && refused.errors.contains("one state"), "\(refused.errors)")
  }

  @Test("rows whose own event is not understood are no stored events for having a property")
  func carriers() throws {
    let workspace = try Workspace()
    let file = workspace.path("rows.ndjson")
    let rows = [
      Self.row("u1", "05T09:00:00", Self.prompt, Self.off),
      Self.row("u1", "05T09:01:00", "Notifications: “Don’t Allow”", Self.off),
    ]
    try rows.asLines.write(to: URL(fileURLWithPath: file))
    let words = "for a property alone: their own event is not stored"
    let checked = try Tool.run(["mapping", "check", file] + Self.state)
    #expect(checked.text.contains("2 events (1 \(words)), 0 not stored"), "\(checked.text)")
    let stored = try Tool.run(["ingest", file, "--log", workspace.path("log")] + Self.state)
    #expect(stored.text.contains("property   1 event \(words)"), "\(stored.text)")
    #expect(try !Tool.run(["mapping", "check", file]).text.contains(words))
  }

  @Test("copies are counted alike with one thread and several")
  func copiesByThreads() throws {
    let workspace = try Workspace()
    let rows = workspace.path("rows.ndjson")
    try Self.stateLines(0).asLines.write(to: URL(fileURLWithPath: rows))
    var found: [Int?] = []
    for threads in ["1", "2", "4"] {
      let result = try Tool.run(
        ["ingest", rows, "--summary", "json", "--threads", threads, "--log", workspace.path(threads)] + Self.state)
      let summary = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
      found.append(summary?["duplicates"] as? Int)
    }
    #expect(found[0] ?? 0 > 100 && found[1] == found[0] && found[2] == found[0], "\(found)")
  }
}
