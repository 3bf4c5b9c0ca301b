// Experiments as their tools log them: one made experiment of known truth, in the form of each vendor.

import Foundation
import Testing

@Suite struct AssignmentTests {
  private typealias Random = LinkedIDTests.Random

  private enum Kind {
    case assigned(experiment: String, variant: String, isTester: Bool)
    case prompt, granted, denied
  }

  private struct Event {
    var user: Int
    /// Milliseconds since the first day.
    var time: Int
    var kind: Kind
  }

  /// What happens, and what the prompts would carry if the app wrote it on them.
  private struct Made {
    var events: [Event] = []
    /// By user the message; nil for users who are not exposed.
    var messages: [Int: String] = [:]
    var assigned = [0, 0]
    var askedBefore = 0
  }

  private static let start = 1_767_225_600_000
  private static let day = 86_400_000
  private static let names = ["control", "short"]

  /// - Parameter users: of them a tenth is never asked, a tenth was asked before the variant came.
  private static func made(users: Int, seed: UInt64) -> Made {
    var random = Random(seed: seed)
    var made = Made()
    for user in 0..<users {
      let time = random.below(28 * day)
      let arm = random.below(2)
      made.assigned[arm] += 1
      func assign(_ time: Int, _ experiment: String, _ variant: String, isTester: Bool = false) {
        made.events.append(
          Event(
            user: user, time: time, kind: .assigned(experiment: experiment, variant: variant, isTester: isTester)))
      }
      assign(time, "push_copy", names[arm])
      // The tool logs it again at each launch, and other flags beside it.
      for _ in 0..<random.below(3) { assign(time + random.below(6 * 3_600_000), "push_copy", names[arm]) }
      assign(time + 5, "checkout_colour", ["red", "blue", "true"][random.below(3)])
      if user % 50 == 0 { assign(max(0, time - 60_000), "push_copy", names[1 - arm], isTester: true) }
      let asks = random.below(10)
      guard asks != 0 else { continue }
      let isBefore = asks == 1 && time > 600_000
      let shown = isBefore ? time - 300_000 : time + 1000 + random.below(3_600_000)
      made.events.append(Event(user: user, time: shown, kind: .prompt))
      let isGranted = random.below(100) < (arm == 0 ? 40 : 60)
      let answer = shown + 1000 + random.below(20_000)
      made.events.append(Event(user: user, time: answer, kind: isGranted ? .granted : .denied))
      if isBefore { made.askedBefore += 1 } else { made.messages[user] = names[arm] }
    }
    return made
  }

  // MARK: The forms

  private typealias Form = @Sendable (_ event: Event, _ number: Int) -> [String: Any]

  private static func stamp(_ time: Int) -> String {
    // A Date would round the milliseconds.
    let seconds = Date(timeIntervalSince1970: Double((start + time) / 1000)).ISO8601Format().dropLast()
    return "\(seconds).\(String(1000 + (start + time) % 1000).dropFirst())Z"
  }

  private static func name(_ kind: Kind, assigned: String) -> String {
    switch kind {
    case .assigned: assigned
    case .prompt: "Push Permission Prompt Shown"
    case .granted: "Push Permission Granted"
    case .denied: "Push Permission Denied"
    }
  }

  /// - Parameters:
  ///   - tester: a property that is true for testers; without one their rows are left out.
  private static func properties(
    _ event: Event, _ experiment: String, _ variant: String, tester: String? = nil
  ) -> [String: Any] {
    guard case .assigned(let name, let value, let isTester) = event.kind else { return [:] }
    var properties: [String: Any] = [experiment: name, variant: value == "true" ? true : value]
    if let tester { properties[tester] = isTester }
    return properties
  }

  private static func amplitude(_ name: String, _ experiment: String, _ variant: String) -> Form {
    { event, number in
      [
        "event_type": Self.name(event.kind, assigned: name), "device_id": "u\(event.user)",
        "event_time": Self.stamp(event.time), "$insert_id": "i\(number)",
        "event_properties": properties(event, experiment, variant),
      ]
    }
  }

  private static func segment(_ name: String, _ experiment: String, _ variant: String) -> Form {
    { event, number in
      [
        "type": "track", "event": Self.name(event.kind, assigned: name), "anonymousId": "u\(event.user)",
        "messageId": "m\(number)", "timestamp": Self.stamp(event.time),
        "properties": properties(event, experiment, variant),
      ]
    }
  }

  private static let forms: [(name: String, form: Form)] = [
    ("segment", segment("Experiment Viewed", "experiment_name", "variation_name")),
    ("growthbook through segment", segment("experiment_viewed", "experimentId", "variationId")),
    ("amplitude, as sent", amplitude("$exposure", "flag_key", "variant")),
    ("amplitude, exported", amplitude("[Experiment] Exposure", "[Experiment] Flag Key", "[Experiment] Variant")),
    ("statsig in amplitude", amplitude("statsig::experiment_exposure", "statsig::config", "statsig::group")),
    (
      "amplitude, flattened",
      { event, number in
        var row: [String: Any] = [
          "event_type": name(event.kind, assigned: "$exposure"), "device_id": "u\(event.user)",
          "event_time": stamp(event.time), "$insert_id": "i\(number)",
        ]
        for (key, value) in properties(event, "flag_key", "variant") { row["event_properties." + key] = value }
        return row
      }
    ),
    (
      "amplitude, exported and flattened",
      { event, number in
        var row: [String: Any] = [
          "event_type": name(event.kind, assigned: "[Experiment] Exposure"), "device_id": "u\(event.user)",
          "event_time": stamp(event.time), "$insert_id": "i\(number)",
        ]
        for (key, value) in properties(event, "[Experiment] Flag Key", "[Experiment] Variant") {
          row["event_properties." + key] = value
        }
        return row
      }
    ),
    (
      "posthog",
      { event, number in
        [
          "event": name(event.kind, assigned: "$feature_flag_called"), "distinct_id": "u\(event.user)",
          "timestamp": stamp(event.time), "uuid": UUID().uuidString.lowercased(),
          "properties": properties(event, "$feature_flag", "$feature_flag_response"),
        ]
      }
    ),
    (
      "mixpanel",
      { event, number in
        var properties = properties(event, "Experiment name", "Variant name", tester: "$is_qa_tester")
        properties["time"] = (start + event.time) / 1000
        properties["distinct_id"] = "u\(event.user)"
        properties["$insert_id"] = "i\(number)"
        return ["event": name(event.kind, assigned: "$experiment_started"), "properties": properties]
      }
    ),
    (
      "ga4",
      { event, _ in
        var parameters: [[String: Any]] = []
        if case .assigned(let experiment, let variant, _) = event.kind {
          parameters = [["key": "exp_variant_string", "value": ["string_value": "\(experiment)-\(variant)"]]]
        }
        return [
          "event_name": name(event.kind, assigned: "experience_impression"), "user_pseudo_id": "u\(event.user)",
          "event_timestamp": (start + event.time) * 1000, "event_params": parameters,
        ]
      }
    ),
    (
      "canonical",
      { event, number in
        var row: [String: Any] = [
          "event_id": "e\(number)", "user_id": "u\(event.user)", "timestamp": start + event.time,
        ]
        switch event.kind {
        case .assigned(let experiment, let variant, _):
          (row["event"], row["experiment"], row["variant"]) = ("assigned", experiment, variant)
        case .prompt: row["event"] = "prompt_shown"
        case .granted: row["event"] = "granted"
        case .denied: row["event"] = "denied"
        }
        if row["event"] as? String != "assigned" { row["permission"] = "notifications" }
        return row
      }
    ),
  ]

  private static func lines(_ made: Made, _ form: Form, hasTesters: Bool) throws -> Data {
    var data = Data()
    for (number, event) in made.events.enumerated() {
      if case .assigned(_, _, true) = event.kind, !hasTesters { continue }
      var event = event
      // Mixpanel has whole seconds.
      if hasTesters { event.time = event.time / 1000 * 1000 }
      data.append(try JSONSerialization.data(withJSONObject: form(event, number)))
      data.append(0x0A)
    }
    return data
  }

  private static func answer(_ data: Data, _ command: [String]) throws -> [String: Any] {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let ingest = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: data)
    #expect(ingest.status == 0, "\(ingest.errors)")
    let result = try Tool.run(command + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private static let compare = ["compare", "control", "short", "--experiment", "push_copy"]

  /// The figures that do not depend on who wrote the variant.
  private static func figures(_ answer: [String: Any]) throws -> Data {
    let keys = [
      "a", "b", "difference", "ratio", "p_value", "decision", "decided_on", "rule_interval", "monitoring", "bayes",
      "secondary", "series", "permission",
    ]
    return try JSONSerialization.data(withJSONObject: answer.filter { keys.contains($0.key) }, options: .sortedKeys)
  }

  private static let sample = made(users: 1500, seed: 11)

  /// The same experiment with the message on each prompt.
  private static func onPrompts(hasTesters: Bool) throws -> [String: Any] {
    var events: [String] = []
    for (number, event) in sample.events.enumerated() {
      guard let message = sample.messages[event.user] else { continue }
      let time = start + (hasTesters ? event.time / 1000 * 1000 : event.time)
      let kind: String
      switch event.kind {
      case .assigned: continue
      case .prompt: kind = #"prompt_shown","experiment":"push_copy","variant":"\#(message)"#
      case .granted: kind = "granted"
      case .denied: kind = "denied"
      }
      events.append(
        #"{"event_id":"e\#(number)","user_id":"u\#(event.user)","timestamp":\#(time),"permission":"notifications","event":"\#(kind)"}"#
      )
    }
    return try answer(Data((events.joined(separator: "\n") + "\n").utf8), compare)
  }

  @Test("one experiment in each vendor's form has one answer", arguments: forms.indices)
  func sameAnswer(number: Int) throws {
    let (name, form) = Self.forms[number]
    let hasTesters = name == "mixpanel"
    let found = try Self.answer(Self.lines(Self.sample, form, hasTesters: hasTesters), Self.compare)
    let expected = try Self.onPrompts(hasTesters: hasTesters)
    #expect(expected["decision"] as? String == "b_wins")
    #expect(try Self.figures(found) == Self.figures(expected), "\(name)")
    let assigned = try #require(found["assigned"] as? [String: Any], "\(name)")
    #expect(assigned["users"] as? [Int] == Self.sample.assigned, "\(name)")
    let exposed = Self.names.map { message in Self.sample.messages.values.count { $0 == message } }
    #expect(assigned["exposed"] as? [Int] == exposed, "\(name)")
    #expect((found["sample_ratio"] as? [String: Any])?["observed"] as? [Int] == Self.sample.assigned, "\(name)")
    let cautions = found["cautions"] as? [String] ?? []
    #expect(
      cautions.contains { $0.hasPrefix("\(Self.sample.askedBefore) users saw the prompt before they were assigned") },
      "\(cautions)")
    #expect(expected["assigned"] is NSNull)
  }

  @Test("a flag that is logged at every launch is stored once a day, and is no conflict")
  func copies() throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let canonical = try #require(Self.forms.first { $0.name == "canonical" }).form
    let data = try Self.lines(Self.sample, canonical, hasTesters: false)
    let first = try Tool.run(["ingest", "-", "--quiet", "--summary", "json", "--log", path], input: data)
    let summary = try #require(JSONSerialization.jsonObject(with: first.output) as? [String: Any])
    var known: Set<String> = []
    for event in Self.sample.events {
      guard case .assigned(let experiment, let variant, false) = event.kind else { continue }
      known.insert("\(event.user) \(experiment) \(variant) \((Self.start + event.time) / Self.day)")
    }
    let others = Self.sample.events.count { if case .assigned = $0.kind { false } else { true } }
    #expect(summary["new"] as? Int == known.count + others)
    #expect(summary["conflicts"] as? Int == 0)
    // The first of the day stays, in whatever order the lines come, and an export of the log gives the log again.
    let export = try Tool.run(["export", "--log", path]).output
    let again = workspace.path("again")
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", again], input: export).status == 0)
    #expect(try Tool.run(["export", "--log", again]).output == export)
    let shuffled = data.split(separator: 0x0A).sorted { $0.hashValue < $1.hashValue }
    let third = workspace.path("third")
    _ = try Tool.run(
      ["ingest", "-", "--quiet", "--log", third], input: Data(shuffled.joined(separator: [0x0A]) + [0x0A]))
    #expect(try Tool.run(["export", "--log", third]).output == export)
  }

  @Test("experiments lists what users were given, and compare names it")
  func listed() throws {
    let canonical = try #require(Self.forms.first { $0.name == "canonical" }).form
    let data = try Self.lines(Self.sample, canonical, hasTesters: false)
    let list = try Self.answer(data, ["experiments"])
    let all = try #require(list["experiments"] as? [[String: Any]])
    #expect(all.compactMap { $0["experiment"] as? String }.sorted() == ["checkout_colour", "push_copy"])
    #expect(all.allSatisfy { $0["by_assignment"] as? Bool == true })
    let copy = try #require(all.first { $0["experiment"] as? String == "push_copy" })
    #expect(copy["exposed"] as? Int == Self.sample.messages.count)
    #expect((copy["comparisons"] as? [[String: Any]])?.first?["decision"] as? String == "b_wins")

    let workspace = try Workspace()
    let path = workspace.path("log")
    _ = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: data)
    let refused = try Tool.run(["compare", "control", "short", "--log", path])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("push_copy") && refused.errors.contains("--experiment"), "\(refused.errors)")
    let text = try Tool.run(Self.compare + ["--log", path]).text
    #expect(text.contains("by assignment"), "\(text)")
  }

  // MARK: Other questions

  private static func log(_ lines: [String]) throws -> (workspace: Workspace, path: String) {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let result = try Tool.run(
      ["ingest", "-", "--quiet", "--log", path], input: Data((lines.joined(separator: "\n") + "\n").utf8))
    #expect(result.status == 0, "\(result.errors)")
    return (workspace, path)
  }

  private static func line(_ user: Int, _ time: Int, _ event: String, _ more: String = "") -> String {
    let permission = event == "assigned" ? "" : #","permission":"notifications""#
    return
      #"{"event_id":"\#(event)-\#(time)","user_id":"u\#(user)","timestamp":\#(start + time),"event":"\#(event)"\#(permission)\#(more)}"#
  }

  private static func message(_ variant: String) -> String { #","experiment":"push_copy","variant":"\#(variant)""# }

  private static func json(_ command: [String], _ path: String) throws -> [String: Any] {
    let result = try Tool.run(command + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  @Test("a condition on an experiment holds for users who were assigned to it by the exposure")
  func conditions() throws {
    let canonical = try #require(Self.forms.first { $0.name == "canonical" }).form
    let lines = try Self.lines(Self.sample, canonical, hasTesters: false)
    let (workspace, path) = try Self.log(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
    defer { withExtendedLifetime(workspace) {} }
    for (conditions, count) in [
      (["experiment=push_copy"], Self.sample.messages.count),
      (["experiment=push_copy", "variant=short"], Self.sample.messages.values.count { $0 == "short" }),
      (["experiment=push_copy", "variant=red"], 0),
    ] {
      let where_ = conditions.flatMap { ["--where", $0] }
      let report = try Self.json(["report"] + where_, path)
      let rows = report["rows"] as? [[String: Any]] ?? []
      let exposed = rows.first { $0["week"] is NSNull }?["exposed"] as? Int ?? 0
      #expect(exposed == count, "\(conditions)")
      let flow = try Self.json(["flow"] + where_, path)["flow"] as? [[String: Any]] ?? []
      #expect(
        flow.filter { $0["week"] is NSNull && $0["which"] as? String == "all" }.reduce(0) {
          $0 + ($1["flows"] as? Int ?? 0)
        } == count, "\(conditions)")
    }
    // The checkout's flag says nothing about messages.
    let all = try Self.json(["report", "--where", "experiment="], path)["rows"] as? [[String: Any]] ?? []
    let asked = Set(Self.sample.events.filter { if case .prompt = $0.kind { true } else { false } }.map(\.user)).count
    #expect(all.first { $0["week"] is NSNull }?["exposed"] as? Int == asked)
  }

  /// Half of the users are asked before they are assigned; a tenth of the others see another message.
  private static let mixed: [String] = (0..<400).flatMap { user -> [String] in
    let time = user * 5_000_000
    let arm = names[user % 2]
    let isLate = user % 4 < 2
    let shown = !isLate && user % 20 == 7 ? names[1 - user % 2] : arm
    return [
      line(user, time, "assigned", message(arm)),
      line(user, isLate ? time - 60_000 : time + 60_000, "prompt_shown", message(shown)),
      line(user, time + 90_000, user % 3 == 0 ? "denied" : "granted"),
    ]
  }

  @Test("where screens carry the experiment they count, and what was assigned is compared with them")
  func mixed() throws {
    let (workspace, path) = try Self.log(Self.mixed)
    defer { withExtendedLifetime(workspace) {} }
    let answer = try Self.json(Self.compare, path)
    #expect(answer["assigned"] is NSNull)
    #expect((answer["a"] as? [String: Any])?["exposed"] as? Int == 220)
    let cautions = answer["cautions"] as? [String] ?? []
    #expect(cautions.contains { $0.hasPrefix("20 users saw another message") }, "\(cautions)")
    let list = try Self.json(["experiments"], path)["experiments"] as? [[String: Any]] ?? []
    #expect(list.map { $0["by_assignment"] as? Bool } == [false])
    let findings = try Self.json(["audit"], path)["findings"] as? [[String: Any]] ?? []
    func counts(_ id: String) -> [Int?] {
      let finding = findings.first { $0["id"] as? String == id }
      return [finding?["users"] as? Int, finding?["of"] as? Int]
    }
    #expect(counts("assigned_late") == [200, 400])
    #expect(counts("variant_mismatch") == [20, 400])
  }

  @Test("sums of shards answer by assignments as the log does", arguments: [false, true])
  func sums(hasScreens: Bool) throws {
    // Screens with the experiment in one shard alone decide for all.
    let canonical = try #require(Self.forms.first { $0.name == "canonical" }).form
    let data = try Self.lines(Self.sample, canonical, hasTesters: false)
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    func shard(_ line: String) -> Int { Int(line.split(separator: #""user_id":"u"#)[1].prefix { $0.isNumber })! % 3 }
    var shards = (0..<3).map { number in lines.filter { shard($0) == number } }
    shards[2] += hasScreens ? (0..<90).map { Self.line(9002 + 3 * $0, $0, "prompt_shown", Self.message("short")) } : []
    let (workspace, path) = try Self.log(shards.flatMap { $0 })
    let question = workspace.path("q.json")
    for command in [
      Self.compare + ["--permission", "notifications"], ["audit"],
      ["report", "--where", "experiment=push_copy", "--permission", "notifications"],
    ] {
      let asked = command + ["--as-of", "2026-02-10"]
      #expect(try Tool.run(asked + ["--save-question", question]).status == 0)
      var from: [String] = []
      for (number, lines) in shards.enumerated() {
        let sums = workspace.path("\(number).sums")
        let made = try Tool.run(
          [
            "sums", "make", "-", "--format", "ndjson", "--question", question, "--shard", "\(number + 1)/3", "--job",
            "j",
            "--output", sums, "--quiet",
          ], input: Data((lines.joined(separator: "\n") + "\n").utf8))
        #expect(made.status == 0, "\(made.errors)")
        from += ["--from-sums", sums]
      }
      let expected = try Tool.run(asked + ["--format", "json", "--log", path]).output
      let found = try Tool.run([command[0]] + from + ["--format", "json"])
      guard command[0] != "compare" else {
        #expect(found.output == expected, "\(found.errors)")
        try FileManager.default.removeItem(atPath: question)
        continue
      }
      // Sums do not know the oldest event of a log, nor its ingests.
      func part(_ output: Data) throws -> [NSObject] {
        let all = try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
        if command[0] == "report" { return try #require(all["rows"] as? [NSObject]) }
        let findings = try #require(all["findings"] as? [[String: Any]])
        return findings.filter { ["assigned_late", "variant_mismatch"].contains($0["id"] as? String ?? "") }
          .map { $0 as NSDictionary }
      }
      let parts = (try part(found.output), try part(expected))
      #expect(parts.0 == parts.1 && !parts.1.isEmpty, "\(command)")
      try FileManager.default.removeItem(atPath: question)
    }
  }

  @Test("messages that only answers carry are refused: who left has none")
  func onlyAnswers() throws {
    let (workspace, path) = try Self.log(
      (0..<60).flatMap { user in
        [
          Self.line(user, user * 1000, "prompt_shown"),
          Self.line(user, user * 1000 + 900, "granted", Self.message(Self.names[user % 2])),
        ]
      })
    defer { withExtendedLifetime(workspace) {} }
    for experiment in [[], ["--experiment", "push_copy"]] {
      let result = try Tool.run(["compare", "control", "short", "--log", path] + experiment)
      #expect(result.status == 64)
      #expect(result.errors.contains("only its answers do"), "\(result.errors)")
    }
  }

  @Test("faults that a review found")
  func reviewed() throws {
    let workspace = try Workspace()
    func ingest(_ name: String, _ lines: [String], _ options: [String] = []) throws -> (path: String, errors: String) {
      let path = workspace.path(name)
      let result = try Tool.run(
        ["ingest", "-", "--quiet", "--log", path] + options, input: Data((lines.joined(separator: "\n") + "\n").utf8))
      #expect(result.status == 0, "\(name): \(result.errors)")
      return (path, result.errors)
    }
    func export(_ path: String) throws -> [String] {
      try Tool.run(["export", "--log", path]).text.split(separator: "\n").map(String.init)
    }
    // Other kinds may carry an experiment, and assign nobody.
    let active = try ingest(
      "active",
      (0..<30).flatMap { user in
        [
          Self.line(user, user, "app_active", Self.message(Self.names[user % 2])),
          Self.line(user, user + 5, "prompt_shown"), Self.line(user, user + 5000, "granted"),
        ]
      })
    let found = try Self.json(Self.compare + ["--permission", "notifications"], active.path)
    #expect(found["assigned"] is NSNull)
    // Screens with an experiment and without a message give none: what was assigned counts.
    let empty = try ingest(
      "empty",
      (0..<30).flatMap { user in
        [
          Self.line(user, user, "assigned", Self.message(Self.names[user % 2])),
          Self.line(user, user + 5, "prompt_shown", #","experiment":"push_copy""#),
          Self.line(user, user + 5000, "granted"),
        ]
      })
    #expect((try Self.json(Self.compare, empty.path)["assigned"] as? [String: Any])?["exposed"] as? [Int] == [15, 15])
    // A row that becomes an assignment takes its former event along, and the earlier time of a day stays.
    let replaced = try ingest("replaced", [Self.line(1, 5000, "prompt_shown")])
    let row = Self.line(1, 5000, "assigned", Self.message("short")).replacing(
      "assigned-5000", with: "prompt_shown-5000")
    _ = try ingest("replaced", [row], ["--replace"])
    _ = try ingest("replaced", [Self.line(1, 9000, "assigned", Self.message("short"))], ["--replace"])
    let kept = try export(replaced.path)
    #expect(kept.count == 1 && kept[0].contains("assigned") && kept[0].contains("00:00:05"), "\(kept)")
    // A permission on an assignment is ignored, whatever it is.
    let named = try ingest(
      "named", [Self.line(1, 5, "assigned", Self.message("short") + #","permission":"foo","status":"bar""#)])
    #expect(try export(named.path).count == 1)
    // A call before the assignment is not the message's.
    let calls = try ingest(
      "calls",
      (0..<30).flatMap { user in
        [
          Self.line(user, 1000, "prompt_shown"), Self.line(user, 1010, "denied"),
          Self.line(user, 50_000, "assigned", Self.message(Self.names[user % 2])),
        ]
      } + (30..<60).flatMap { [Self.line($0, 1000, "prompt_shown"), Self.line($0, 4000, "denied")] })
    let arm = try Self.json(Self.compare + ["--permission", "notifications"], calls.path)["a"] as? [String: Any]
    #expect(arm?["not_asked"] as? Int == 0)
    // Rows that also give a variant, in sums.
    let question = workspace.path("q.json")
    let asked = ["report", "--as-of", "2026-02-10", "--save-question", question]
    #expect(try Tool.run(asked).status == 0)
    let flagged = (0..<30).map { user in
      #"{"event":"Push Permission Prompt Shown","uuid":"i\#(user)","distinct_id":"u\#(user)","timestamp":"2026-01-05T10:00:00Z","properties":{"$feature/x":"on"}}"#
    }
    let sums = workspace.path("flags.sums")
    let made = try Tool.run(
      [
        "sums", "make", "-", "--format", "posthog", "--experiment", "x", "--question", question, "--shard", "1/1",
        "--job",
        "j", "--output", sums, "--quiet",
      ], input: Data((flagged.joined(separator: "\n") + "\n").utf8))
    #expect(made.status == 0, "\(made.errors)")
    #expect(try Tool.run(["report", "--from-sums", sums, "--format", "json"]).status == 0)
    // Flags are of vendors' rows.
    #expect(
      try ingest("canonical", [Self.line(1, 5, "prompt_shown")], ["--experiment", "x"]).errors.contains(
        "no row carries"))
    // The day of an assignment is UTC's, wherever the project is.
    let local =
      #"{"event":"$experiment_started","properties":{"time":1767297600,"distinct_id":"u1","$insert_id":"i","Experiment name":"E","Variant name":"A"}}"#
    let first = try ingest("local", [local], ["--project-time-zone", "America/Los_Angeles"])
    let lines = try export(first.path)
    _ = try ingest("local", lines)
    #expect(try export(first.path) == lines && lines.count == 1)
    // Testers as warehouses write them.
    for (property, value) in [("$is_qa_tester", "1"), ("$is_experiment_active", "0")] {
      let tester = local.replacing(#""$insert_id""#, with: #""\#(property)":\#(value),"$insert_id""#)
      let log = try ingest(
        property, [tester, #"{"event":"$app_open","properties":{"time":1767297600,"distinct_id":"u1"}}"#])
      #expect(try !export(log.path).contains { $0.contains("assigned") }, "\(property)")
    }
  }

  @Test("columns that a mapping names are read for assignments, too")
  func draftedTables() throws {
    var lines = ["event,anonymousId,messageId,timestamp,type,properties.experiment_name,properties.variation_name"]
    for user in 0..<40 {
      let arm = Self.names[user % 2]
      lines.append("Experiment Viewed,u\(user),m\(user),\(Self.stamp(user * 1000)),track,push_copy,\(arm)")
      lines.append("Push Permission Prompt Shown,u\(user),p\(user),\(Self.stamp(user * 1000 + 500)),track,,")
      lines.append("Push Permission Granted,u\(user),g\(user),\(Self.stamp(user * 1000 + 9000)),track,,")
    }
    let workspace = try Workspace()
    let table = try workspace.write("table.csv", lines.joined(separator: "\n") + "\n")
    let draft = try Tool.run(["mapping", "draft", table])
    #expect(draft.status == 0, "\(draft.errors)")
    let map = try workspace.write("map.yaml", draft.text)
    for options in [["--mapping", map]] {
      let path = workspace.path("log" + options[0])
      let result = try Tool.run(["ingest", table, "--quiet", "--log", path] + options)
      #expect(result.status == 0, "\(result.errors)")
      let answer = try Self.json(Self.compare, path)
      #expect((answer["assigned"] as? [String: Any])?["exposed"] as? [Int] == [20, 20], "\(options)")
    }
  }

  @Test("a plan takes its rate from assigned users")
  func plan() throws {
    let canonical = try #require(Self.forms.first { $0.name == "canonical" }).form
    let lines = try Self.lines(Self.sample, canonical, hasTesters: false)
    let (workspace, path) = try Self.log(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
    let file = workspace.path("plan.json")
    let plan = try Tool.run([
      "plan", "control", "short", "--experiment", "push_copy", "--permission", "notifications", "--effect", "5",
      "--save",
      file, "--as-of", "2026-02-10", "--log", path,
    ])
    #expect(plan.status == 0, "\(plan.errors)")
    let answer = try Self.json(["compare", "--plan", file], path)
    #expect((answer["assigned"] as? [String: Any])?["users"] as? [Int] == Self.sample.assigned)
    #expect(answer["decision"] as? String == "b_wins")
  }

  // MARK: Flags that every row carries

  /// A row of a user, with the flags that the user has by then.
  private typealias StickyForm = @Sendable (_ event: Event, _ number: Int, _ flags: [String: Any]) -> [String: Any]

  private static func stickyName(_ kind: Kind) -> String { name(kind, assigned: "Something Else") }

  private static let stickyForms: [(name: String, form: StickyForm)] = [
    (
      "posthog",
      { event, number, flags in
        [
          "event": stickyName(event.kind), "distinct_id": "u\(event.user)", "timestamp": stamp(event.time),
          "uuid": UUID().uuidString.lowercased(),
          "properties": Dictionary(uniqueKeysWithValues: flags.map { ("$feature/" + $0.key, $0.value) }),
        ]
      }
    ),
    (
      "amplitude's user properties",
      { event, number, flags in
        [
          "event_type": stickyName(event.kind), "device_id": "u\(event.user)", "event_time": stamp(event.time),
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
          "event_timestamp": (start + event.time) * 1000, "event_params": [[String: Any]](),
          "user_properties": flags.map { ["key": $0.key, "value": ["string_value": $0.value]] },
        ]
      }
    ),
    (
      "segment's traits",
      { event, number, flags in
        [
          "type": "track", "event": stickyName(event.kind), "anonymousId": "u\(event.user)", "messageId": "m\(number)",
          "timestamp": stamp(event.time), "properties": [String: Any](), "context": ["traits": flags],
        ]
      }
    ),
  ]

  @Test("a flag on every row gives the variant from the first row on", arguments: stickyForms.indices)
  func sticky(number: Int) throws {
    let (name, form) = Self.stickyForms[number]
    var data = Data()
    let given = Dictionary(grouping: Self.sample.events, by: \.user).mapValues { events in
      events.compactMap { event -> (time: Int, variant: String)? in
        guard case .assigned("push_copy", let variant, false) = event.kind else { return nil }
        return (event.time, variant)
      }.min { $0.time < $1.time }
    }
    for (place, event) in Self.sample.events.enumerated() {
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
    let result = try Tool.run(Self.compare + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(name): \(result.errors)")
    let found = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(try Self.figures(found) == Self.figures(Self.onPrompts(hasTesters: false)), "\(name)")
    let assigned = try #require(found["assigned"] as? [String: Any])
    #expect(assigned["users"] as? [Int] == Self.sample.assigned, "\(name)")
    // Nothing is stored of a flag that was not named.
    let export = try Tool.run(["export", "--log", path]).text
    #expect(!export.contains("checkout_colour"))

    let plain = workspace.path("plain")
    let unread = try Tool.run(["ingest", "-", "--log", plain], input: data)
    // Objects of a user are not looked into without a name.
    if name == "posthog" {
      #expect(unread.text.contains("in the rows, not read: checkout_colour, push_copy"), "\(unread.text)")
      #expect(unread.errors.isEmpty, "\(unread.errors)")
      #expect(!ingest.text.contains("push_copy"))
    }
    #expect(try !Tool.run(["export", "--log", plain]).text.contains("push_copy"))
    // The same in a mapping.
    let base = ["posthog", "amplitude", "ga4", "segment"][number]
    let map = try workspace.write("map.yaml", "extends: \(base)\nexperiments: [push_copy]\n")
    let mapped = workspace.path("mapped")
    _ = try Tool.run(["ingest", "-", "--quiet", "--mapping", map, "--log", mapped], input: data)
    #expect(try Tool.run(["export", "--log", mapped]).text == export, "\(name)")
  }
}
