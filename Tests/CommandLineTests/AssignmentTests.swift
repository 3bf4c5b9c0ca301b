// Experiments as their tools log them: one made experiment of known truth, in the form of each vendor.

import Foundation
import Testing

@Suite struct AssignmentTests {
  private typealias Experiment = MadeExperiment

  @Test("one experiment in each vendor's form has one answer", arguments: MadeExperiment.forms.indices)
  func sameAnswer(number: Int) throws {
    let (name, form) = Experiment.forms[number]
    let hasTesters = name == "mixpanel"
    let found = try Experiment.answer(
      Experiment.lines(Experiment.sample, form, hasTesters: hasTesters), Experiment.compare)
    let expected = try Experiment.onPrompts(hasTesters: hasTesters)
    #expect(expected["decision"] as? String == "b_wins")
    #expect(try Experiment.figures(found) == Experiment.figures(expected), "\(name)")
    let assigned = try #require(found["assigned"] as? [String: Any], "\(name)")
    #expect(assigned["users"] as? [Int] == Experiment.sample.assigned, "\(name)")
    let exposed = Experiment.names.map { message in Experiment.sample.messages.values.count { $0 == message } }
    #expect(assigned["exposed"] as? [Int] == exposed, "\(name)")
    #expect((found["sample_ratio"] as? [String: Any])?["observed"] as? [Int] == Experiment.sample.assigned, "\(name)")
    let cautions = found["cautions"] as? [String] ?? []
    #expect(
      cautions.contains {
        $0.hasPrefix("\(Experiment.sample.askedBefore) users saw the prompt before they were assigned")
      },
      "\(cautions)")
    #expect(expected["assigned"] is NSNull)
  }

  @Test("a flag that is logged at every launch is stored once a day, and is no conflict")
  func copies() throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let canonical = try #require(Experiment.forms.first { $0.name == "canonical" }).form
    let data = try Experiment.lines(Experiment.sample, canonical, hasTesters: false)
    let first = try Tool.run(["ingest", "-", "--quiet", "--summary", "json", "--log", path], input: data)
    let summary = try #require(JSONSerialization.jsonObject(with: first.output) as? [String: Any])
    var known: Set<String> = []
    for event in Experiment.sample.events {
      guard case .assigned(let experiment, let variant, false) = event.kind else { continue }
      known.insert("\(event.user) \(experiment) \(variant) \((Experiment.start + event.time) / Experiment.day)")
    }
    let others = Experiment.sample.events.count { if case .assigned = $0.kind { false } else { true } }
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
      ["ingest", "-", "--quiet", "--log", third], input: shuffled.asLines)
    #expect(try Tool.run(["export", "--log", third]).output == export)
  }

  @Test("experiments lists what users were given, and compare names it")
  func listed() throws {
    let canonical = try #require(Experiment.forms.first { $0.name == "canonical" }).form
    let data = try Experiment.lines(Experiment.sample, canonical, hasTesters: false)
    let list = try Experiment.answer(data, ["experiments"])
    let all = try #require(list["experiments"] as? [[String: Any]])
    #expect(all.compactMap { $0["experiment"] as? String }.sorted() == ["checkout_colour", "push_copy"])
    #expect(all.allSatisfy { $0["by_assignment"] as? Bool == true })
    let copy = try #require(all.first { $0["experiment"] as? String == "push_copy" })
    #expect(copy["exposed"] as? Int == Experiment.sample.messages.count)
    #expect((copy["comparisons"] as? [[String: Any]])?.first?["decision"] as? String == "b_wins")

    let workspace = try Workspace()
    let path = workspace.path("log")
    _ = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: data)
    let refused = try Tool.run(["compare", "control", "short", "--log", path])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("push_copy") && refused.errors.contains("--experiment"), "\(refused.errors)")
    let text = try Tool.run(Experiment.compare + ["--log", path]).text
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
      #"{"event_id":"\#(event)-\#(time)","user_id":"u\#(user)","timestamp":\#(Experiment.start + time),"event":"\#(event)"\#(permission)\#(more)}"#
  }

  private static func message(_ variant: String) -> String { #","experiment":"push_copy","variant":"\#(variant)""# }

  private static func json(_ command: [String], _ path: String) throws -> [String: Any] {
    let result = try Tool.run(command + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  @Test("a condition on an experiment holds for users who were assigned to it by the exposure")
  func conditions() throws {
    let canonical = try #require(Experiment.forms.first { $0.name == "canonical" }).form
    let lines = try Experiment.lines(Experiment.sample, canonical, hasTesters: false)
    let (workspace, path) = try Self.log(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
    defer { withExtendedLifetime(workspace) {} }
    for (conditions, count) in [
      (["experiment=push_copy"], Experiment.sample.messages.count),
      (["experiment=push_copy", "variant=short"], Experiment.sample.messages.values.count { $0 == "short" }),
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
    let asked = Set(Experiment.sample.events.filter { if case .prompt = $0.kind { true } else { false } }.map(\.user))
      .count
    #expect(all.first { $0["week"] is NSNull }?["exposed"] as? Int == asked)
  }

  /// Half of the users are asked before they are assigned; a tenth of the others see another message.
  private static let mixed: [String] = (0..<400).flatMap { user -> [String] in
    let time = user * 5_000_000
    let arm = Experiment.names[user % 2]
    let isLate = user % 4 < 2
    let shown = !isLate && user % 20 == 7 ? Experiment.names[1 - user % 2] : arm
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
    let answer = try Self.json(Experiment.compare, path)
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
    let canonical = try #require(Experiment.forms.first { $0.name == "canonical" }).form
    let data = try Experiment.lines(Experiment.sample, canonical, hasTesters: false)
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    func shard(_ line: String) -> Int { Int(line.split(separator: #""user_id":"u"#)[1].prefix { $0.isNumber })! % 3 }
    var shards = (0..<3).map { number in lines.filter { shard($0) == number } }
    shards[2] += hasScreens ? (0..<90).map { Self.line(9002 + 3 * $0, $0, "prompt_shown", Self.message("short")) } : []
    let (workspace, path) = try Self.log(shards.flatMap { $0 })
    let question = workspace.path("q.json")
    for command in [
      Experiment.compare + ["--permission", "notifications"], ["audit"],
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
          Self.line(user, user * 1000 + 900, "granted", Self.message(Experiment.names[user % 2])),
        ]
      })
    defer { withExtendedLifetime(workspace) {} }
    for experiment in [[], ["--experiment", "push_copy"]] {
      let result = try Tool.run(["compare", "control", "short", "--log", path] + experiment)
      #expect(result.status == 64)
      #expect(result.errors.contains("only its answers do"), "\(result.errors)")
      #expect(result.errors.contains("--variant-from answer"), "\(result.errors)")
    }
  }

  @Test("those who answered are compared by the answer's message if nearly all answered")
  func messagesOfAnswers() throws {
    /// 1,200 users; every n-th leaves without an answer.
    func lines(leaving n: Int, onScreens: Bool = false) -> [String] {
      (0..<1200).flatMap { user in
        let time = user * 1_800_000
        let message = Self.message(Experiment.names[user % 2])
        let screen = Self.line(user, time, "prompt_shown", onScreens && user % n != 0 ? message : "")
        if user % n == 0 { return [screen] }
        let isGranted = user / 2 % 10 < (user % 2 == 0 ? 3 : 7)
        return [screen, Self.line(user, time + 3000, isGranted ? "granted" : "denied", onScreens ? "" : message)]
      }
    }
    let command = ["compare", "control", "short", "--permission", "notifications"]
    let (workspace, path) = try Self.log(lines(leaving: 25))
    let found = try Self.json(command + ["--variant-from", "answer"], path)
    #expect(found["decision"] as? String == "b_wins")
    let cautions = found["cautions"] as? [String] ?? []
    #expect(cautions.contains { $0.contains("48 users of 1200 have no answer with a message") }, "\(cautions)")
    // The same users with the message on the screens of those who answered.
    let (other, screens) = try Self.log(lines(leaving: 25, onScreens: true))
    let expected = try Self.json(command, screens)
    for key in ["difference", "ratio", "p_value", "decided_on", "rule_interval", "bayes", "series"] {
      #expect((found[key] as? NSObject) == (expected[key] as? NSObject), "\(key)")
    }
    for arm in ["a", "b"] {
      let (one, two) = (found[arm] as? [String: Any], expected[arm] as? [String: Any])
      for key in ["exposed", "granted", "denied", "pending"] {
        #expect(one?[key] as? Int == two?[key] as? Int, "\(key)")
      }
    }
    let unknown = (found["secondary"] as? [[String: Any]])?.first { $0["metric"] as? String == "drop_off_rate" }
    #expect(unknown?["a"] is NSNull, "\(unknown ?? [:])")
    // Sums of shards are those of the log.
    let asked = command + ["--variant-from", "answer", "--as-of", "2026-02-10"]
    let all = lines(leaving: 25)
    let half = all.firstIndex { $0.contains(#""u600""#) } ?? 0
    let shards = [all[..<half], all[half...]].map { $0.map { Data($0.utf8) } }
    let ofSums = try JSONSerialization.jsonObject(
      with: workspace.answer(asked, ofShards: shards, ["--format", "ndjson"]))
    #expect(((ofSums as? [String: Any])?["difference"] as? NSObject) == (found["difference"] as? NSObject))

    func refusal(_ path: String, _ more: [String]) throws -> String {
      let result = try Tool.run(command + ["--variant-from", "answer", "--log", path] + more)
      #expect(result.status == 64, "\(result.text)")
      return result.errors
    }
    // An answer without a message is as none.
    let silent = lines(leaving: 25).enumerated().map { number, line in
      number % 5 == 0 ? line.replacing(#/,"experiment":"push_copy","variant":"[a-z]*"/#, with: "") : line
    }
    let (quiet, silence) = try Self.log(silent)
    #expect(try refusal(silence, []).contains("have no answer with a message"))
    #expect(try refusal(path, ["--experiment", "other"]).contains("other"))
    withExtendedLifetime(quiet) {}
    let (many, leaving) = try Self.log(lines(leaving: 15))
    #expect(try refusal(leaving, []).contains("80 of 1200 users who saw a screen"))
    #expect(try refusal(screens, []).contains("screens of notifications carry messages"))
    #expect(try refusal(path, ["--metric", "drop_off_rate"]).contains("no message"))
    #expect(try refusal(path, ["--property", "platform"]).contains("not for platform"))
    withExtendedLifetime((workspace, other, many)) {}
  }

  @Test("users who were assigned and never asked are no missing messages")
  func neverAsked() throws {
    let (workspace, path) = try Self.log(
      (0..<40).map { Self.line($0, $0 * 1000, "assigned", Self.message(Experiment.names[$0 % 2])) })
    let result = try Tool.run(["compare", "control", "short", "--experiment", "push_copy", "--log", path])
    #expect(result.status == 64)
    #expect(result.errors.contains("users were assigned in push_copy, but none has been asked"), "\(result.errors)")
    withExtendedLifetime(workspace) {}
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
          Self.line(user, user, "app_active", Self.message(Experiment.names[user % 2])),
          Self.line(user, user + 5, "prompt_shown"), Self.line(user, user + 5000, "granted"),
        ]
      })
    let found = try Self.json(Experiment.compare + ["--permission", "notifications"], active.path)
    #expect(found["assigned"] is NSNull)
    // Screens with an experiment and without a message give none: what was assigned counts.
    let empty = try ingest(
      "empty",
      (0..<30).flatMap { user in
        [
          Self.line(user, user, "assigned", Self.message(Experiment.names[user % 2])),
          Self.line(user, user + 5, "prompt_shown", #","experiment":"push_copy""#),
          Self.line(user, user + 5000, "granted"),
        ]
      })
    #expect(
      (try Self.json(Experiment.compare, empty.path)["assigned"] as? [String: Any])?["exposed"] as? [Int] == [15, 15])
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
          Self.line(user, 50_000, "assigned", Self.message(Experiment.names[user % 2])),
        ]
      } + (30..<60).flatMap { [Self.line($0, 1000, "prompt_shown"), Self.line($0, 4000, "denied")] })
    let arm = try Self.json(Experiment.compare + ["--permission", "notifications"], calls.path)["a"] as? [String: Any]
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
      let arm = Experiment.names[user % 2]
      lines.append("Experiment Viewed,u\(user),m\(user),\(Experiment.stamp(user * 1000)),track,push_copy,\(arm)")
      lines.append("Push Permission Prompt Shown,u\(user),p\(user),\(Experiment.stamp(user * 1000 + 500)),track,,")
      lines.append("Push Permission Granted,u\(user),g\(user),\(Experiment.stamp(user * 1000 + 9000)),track,,")
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
      let answer = try Self.json(Experiment.compare, path)
      #expect((answer["assigned"] as? [String: Any])?["exposed"] as? [Int] == [20, 20], "\(options)")
    }
  }

  @Test("a plan takes its rate from assigned users")
  func plan() throws {
    let canonical = try #require(Experiment.forms.first { $0.name == "canonical" }).form
    let lines = try Experiment.lines(Experiment.sample, canonical, hasTesters: false)
    let (workspace, path) = try Self.log(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
    let file = workspace.path("plan.json")
    let plan = try Tool.run([
      "plan", "control", "short", "--experiment", "push_copy", "--permission", "notifications", "--effect", "5",
      "--save",
      file, "--as-of", "2026-02-10", "--log", path,
    ])
    #expect(plan.status == 0, "\(plan.errors)")
    let answer = try Self.json(["compare", "--plan", file], path)
    #expect((answer["assigned"] as? [String: Any])?["users"] as? [Int] == Experiment.sample.assigned)
    #expect(answer["decision"] as? String == "b_wins")
  }
}
