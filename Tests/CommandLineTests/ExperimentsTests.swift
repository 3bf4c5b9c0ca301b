// `permlog experiments`: what is found, what it is called, in which order, and that its decision is that of `compare`.

import Foundation
import LogTestSupport
import Testing

@Suite struct ExperimentsTests {
  private static let start = 1_770_000_000_000 / 86_400_000 * 86_400_000
  private static let day = 86_400_000

  /// Screens and answers of one experiment.
  private struct Made {
    var name: String?
    var permission = "camera"
    /// Users a day and percent who grant, by variant; nil is a screen without one.
    var messages: [(variant: String?, perDay: Int, percent: Int)]
    var days: Range<Int>
  }

  private func lines(_ made: Made) throws -> [String] {
    var lines: [String] = []
    func line(_ user: String, _ kind: String, _ time: Int, _ variant: String?) throws {
      var object: [String: Any] = [
        "event_id": "\(user) \(kind)", "user_id": user, "timestamp": time, "event": kind, "permission": made.permission,
      ]
      object["variant"] = variant
      object["experiment"] = made.name
      lines.append(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }
    for day in made.days {
      for (number, message) in made.messages.enumerated() {
        for i in 0..<message.perDay {
          let user = "\(made.name ?? "none") \(made.permission) \(number) \(day) \(i)"
          let time = Self.start + day * Self.day + (2 * i + 1) * Self.day / (2 * message.perDay)
          let place = day * message.perDay + i
          let isGranted = place * message.percent / 100 != (place + 1) * message.percent / 100
          try line(user, "prompt_shown", time, message.variant)
          try line(user, isGranted ? "granted" : "denied", time + 3000, message.variant)
        }
      }
    }
    return lines
  }

  private func log(_ workspace: Workspace, _ all: [Made]) throws -> String {
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", try all.flatMap(lines).joined(separator: "\n"))
    let result = try Tool.run(["ingest", file, "--allow-custom-permissions", "--log", log])
    #expect(result.status == 0, "\(result.errors)")
    return log
  }

  private func list(_ log: String, _ options: [String] = []) throws -> [String: Any] {
    let result = try Tool.run(["experiments", "--log", log, "--format", "json"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private static let hostile = "<b>\"x\" & 'y'</b> \u{202E}ab\u{1B}[2J"

  private static let all = [
    Made(name: "copy", permission: "notifications", messages: [("B", 40, 60), ("A", 40, 40)], days: 0..<30),
    Made(name: "copy", permission: "camera", messages: [("off", 5, 50), ("Baseline", 5, 50)], days: 0..<12),
    Made(name: "alone", messages: [("only", 3, 50)], days: 2..<5),
    Made(name: hostile, messages: [("<i>", 4, 50), (hostile, 4, 50)], days: 10..<29),
    Made(name: "many", messages: (0..<17).map { ("m\($0)", 1, 50) }, days: 3..<6),
    Made(name: "unnamed", messages: [(nil, 2, 50)], days: 25..<28),
    Made(name: nil, messages: [("A", 2, 50), ("B", 2, 50)], days: 0..<30),
  ]

  @Test func listsEveryExperimentInItsOrder() throws {
    let workspace = try Workspace()
    let log = try log(workspace, Self.all)
    let list = try list(log)
    #expect(list["schema"] as? String == "permlog.experiments/1")
    let experiments = try #require(list["experiments"] as? [[String: Any]])
    func texts(_ key: String) -> [String?] { experiments.map { $0[key] as? String } }
    // Those of the last week by their newest exposure, then the others by name.
    #expect(texts("experiment") == ["copy", Self.hostile, "unnamed", "alone", "copy", "many"])
    #expect(texts("permission") == ["notifications", "camera", "camera", "camera", "camera", "camera"])
    #expect(experiments.map { $0["running"] as? Bool } == [true, true, true, false, false, false])
    #expect(texts("control") == ["A", Self.hostile, nil, "only", "Baseline", "m0"])
    #expect(texts("not_compared") == [nil, nil, "no_message", "one_message", nil, "too_many_messages"])
    #expect(experiments.map { $0["exposed"] as? Int } == [2400, 152, 0, 9, 120, 51])
    #expect(experiments.map { $0["without_message"] as? Int } == [0, 0, 6, 0, 0, 0])
    #expect(texts("first_exposure")[3] == "2026-02-04" && texts("last_exposure")[3] == "2026-02-06")
    // The control first, the others bytewise.
    let messages = experiments.map { ($0["messages"] as? [[String: Any]] ?? []).map { $0["variant"] as? String ?? "" } }
    #expect(messages[0] == ["A", "B"] && messages[4] == ["Baseline", "off"])
    #expect(messages[5].count == 17 && messages[5].prefix(3) == ["m0", "m1", "m10"])
    for experiment in experiments { #expect(experiment.count == 17, "\(experiment.keys.sorted())") }
  }

  @Test func decidesAsACompareDoes() throws {
    let workspace = try Workspace()
    let log = try log(workspace, Self.all)
    let experiments = try #require(try list(log)["experiments"] as? [[String: Any]])
    var decisions: Set<String> = []
    for (place, names) in [(0, ["A", "B"]), (1, [Self.hostile, "<i>"]), (4, ["Baseline", "off"])] {
      let listed = experiments[place]
      let permission = try #require(listed["permission"] as? String)
      let name = try #require(listed["experiment"] as? String)
      let result = try Tool.run(
        ["compare"] + names + ["--permission", permission, "--experiment", name, "--format", "json", "--log", log])
      let whole = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
      let pair = try #require(listed.at("comparisons", 0) as? [String: Any])
      for key in [
        "decision", "decided_on", "decided_day", "reasons", "cautions", "difference", "rule_interval", "a", "b",
      ] {
        let (found, expected) = (pair[key] as? NSObject, whole[key] as? NSObject)
        #expect(found != nil && found == expected, "\(name), \(key): \(pair[key] ?? "none")")
      }
      #expect(listed.at("sample_ratio", "observed") as? NSObject == whole.at("sample_ratio", "observed") as? NSObject)
      #expect(listed.at("contaminated", "users") as? NSObject == whole.at("contaminated", "users") as? NSObject)
      decisions.insert(try #require(pair["decision"] as? String))
    }
    #expect(decisions.contains("b_wins") && decisions.count > 1)
    #expect(experiments[0].at("comparisons", 0, "decided_day") as? Int != nil)
    #expect(experiments[3].at("comparisons", 0) == nil && experiments[3]["metric"] is NSNull)
  }

  /// Users in several experiments and permissions, screens of none, assignments and Settings prompts: the list counts all experiments in
  /// one walk, and each has the figures of a comparison of its own.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func oneWalkCountsAsOneForEach(seed: UInt64) throws {
    let workspace = try Workspace()
    var numbers = SeededGenerator(seed: seed)
    var lines: [String] = []
    func line(_ user: Int, _ kind: String, _ time: Int, _ more: [String: String]) throws {
      var object: [String: Any] = [
        "user_id": "u\(user)", "timestamp": time, "event": kind, "platform": user % 3 == 0 ? "ios" : "android",
      ]
      for (key, value) in more { object[key] = value }
      lines.append(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }
    for user in 0..<900 {
      var time = Self.start + Int.random(in: 0..<20 * Self.day, using: &numbers)
      if Bool.random(using: &numbers) {
        let message = ["variant": ["A", "B"].randomElement(using: &numbers) ?? "A", "experiment": "given"]
        try line(user, "assigned", time - 1000, message)
      }
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        time += Int.random(in: 60_000..<2 * Self.day, using: &numbers)
        let permission = ["camera", "microphone"].randomElement(using: &numbers) ?? "camera"
        var words = ["permission": permission]
        if let experiment = ["one", "two", "three", nil].randomElement(using: &numbers) ?? nil {
          words["experiment"] = experiment
          words["variant"] = ["A", "B", "C"].prefix(experiment == "three" ? 3 : 2).randomElement(using: &numbers)
        }
        try line(user, "prompt_shown", time, words)
        let answer = ["granted", "denied", nil].randomElement(using: &numbers) ?? nil
        if let answer {
          try line(user, answer, time + Int.random(in: 0..<9000, using: &numbers), ["permission": permission])
        }
        if answer == "denied" {
          let message = ["variant": ["A", "B"].randomElement(using: &numbers) ?? "A", "experiment": "settings"]
          try line(user, "settings_prompt_shown", time + 100_000, ["permission": permission].merging(message) { $1 })
          if Bool.random(using: &numbers) { try line(user, "re_enabled", time + 200_000, ["permission": permission]) }
        }
        if Bool.random(using: &numbers) { try line(user, "app_active", time + 7 * Self.day, [:]) }
      }
    }
    // Users assigned to an experiment see screens of none in a permission of their own.
    for user in 0..<300 {
      let time = Self.start + Int.random(in: 0..<20 * Self.day, using: &numbers)
      try line(user, "prompt_shown", time, ["permission": "contacts"])
      try line(user, Bool.random(using: &numbers) ? "granted" : "denied", time + 3000, ["permission": "contacts"])
    }
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    for threads in ["1", "3"] {
      let experiments = try #require(try list(log, ["--threads", threads])["experiments"] as? [[String: Any]])
      let compared = experiments.filter { $0["not_compared"] is NSNull }
      // Two permissions of each, and the assigned one in all three.
      #expect(compared.count == 11, "seed \(seed)")
      for listed in compared {
        let messages = (listed["messages"] as? [[String: Any]] ?? []).compactMap { $0["variant"] as? String }
        let name = listed["experiment"] as? String ?? ""
        let permission = listed["permission"] as? String ?? ""
        let screen = listed["screen"] as? String == "settings" ? ["--screen", "settings"] : []
        let result = try Tool.run(
          ["compare"] + messages + ["--experiment", name, "--permission", permission] + screen
            + ["--format", "json", "--log", log])
        let whole = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        let others = whole["others"] as? [[String: Any]] ?? []
        for (number, own) in ([whole] + others).enumerated() {
          for key in ["a", "b", "difference", "decision", "reasons", "cautions", "rule_interval"] {
            let found = listed.at("comparisons", number, key) as? NSObject
            #expect(
              found == own[key] as? NSObject,
              "seed \(seed), \(name) \(permission), \(key): \(String(describing: found))")
          }
        }
        for key in ["users", "share"] {
          #expect(listed.at("contaminated", key) as? NSObject == whole.at("contaminated", key) as? NSObject)
        }
        for key in ["observed", "expected", "p_value", "sequential"] {
          #expect(listed.at("sample_ratio", key) as? NSObject == whole.at("sample_ratio", key) as? NSObject)
        }
      }
    }
  }

  @Test func aSplitIsDeclaredByItsExperimentsName() throws {
    let workspace = try Workspace()
    let uneven = [
      Made(name: "copy", messages: [("A", 45, 50), ("B", 45, 50), ("C", 10, 50)], days: 0..<20),
      Made(name: "a=b", messages: [("A", 20, 50), ("B", 10, 50)], days: 0..<20),
      Made(name: "alone", messages: [("A", 20, 50)], days: 0..<20),
    ]
    let log = try log(workspace, uneven)
    func listed(_ options: [String], _ name: String) throws -> [String: Any] {
      let all = try #require(try list(log, options)["experiments"] as? [[String: Any]])
      return try #require(all.first { $0["experiment"] as? String == name })
    }
    func isDeclared(_ found: [String: Any]) -> Bool? { found.at("sample_ratio", "split_declared") as? Bool }
    func decisions(_ found: [String: Any]) -> [String?] {
      (found["comparisons"] as? [[String: Any]] ?? []).map { $0["decision"] as? String }
    }
    // Of three messages an assumed split is no ground for invalid, of two it is one.
    let assumed = try listed([], "copy")
    #expect(isDeclared(assumed) == false && !decisions(assumed).contains("invalid"), "\(decisions(assumed))")
    #expect(assumed.at("sample_ratio", "sequential", "alarm") as? Bool == true)
    #expect(decisions(try listed([], "a=b")) == ["invalid"])
    let text = try Tool.run(["experiments", "--log", log]).text
    #expect(text.contains("off the assumed even split") && !text.contains("planned"), "\(text)")

    let declared = ["--split", "copy=45:45:10", "--split", "a=b=2:1"]
    for name in ["copy", "a=b"] {
      let found = try listed(declared, name)
      #expect(isDeclared(found) == true && !decisions(found).contains("invalid"), "\(decisions(found))")
      #expect(found.at("sample_ratio", "sequential", "alarm") as? Bool == false)
    }
    #expect(decisions(try listed(["--split", "copy=1:1:1"], "copy")) == ["invalid", "invalid"])
    #expect(try Tool.run(["experiments", "--log", log] + declared).text.contains("and the declared split."))
    for (split, words) in [
      ("copy=1:1", "copy has 3 messages of camera, so its split needs 3 numbers: A, B, C"), ("none=1:1", "It has: "),
      ("copy", "push_copy=50:50"), ("=1:1", "push_copy=50:50"), ("copy=1:0:1", "push_copy=50:50"),
    ] {
      let result = try Tool.run(["experiments", "--log", log, "--split", split])
      #expect(
        result.status == 64 && result.errors.contains("--split: ") && result.errors.contains(words), "\(result.errors)")
    }
    let twice = try Tool.run(["experiments", "--log", log, "--split", "copy=1:1:1", "--split", "copy=1:1:2"])
    #expect(twice.status == 64 && twice.errors.contains("copy was given twice"), "\(twice.errors)")
    // It is not compared, so any split of it is right.
    #expect(try Tool.run(["experiments", "--log", log, "--split", "alone=1:1"]).status == 0)
  }

  @Test func winnersAreJudgedAmongAllComparisons() throws {
    let workspace = try Workspace()
    // A clear winner, two close ones, and many that are alike.
    let log = try log(
      workspace,
      [Made(name: "clear", messages: [("A", 40, 30), ("B", 40, 70)], days: 0..<14)]
        + (0..<2).map { Made(name: "close \($0)", messages: [("A", 40, 40), ("B", 40, 45)], days: 0..<50) }
        + (0..<30).map { Made(name: "alike \($0)", messages: [("A", 5, 50), ("B", 5, 50)], days: 0..<14) })
    let list = try list(log)
    #expect(list.at("winners", "comparisons") as? Int == 33)
    let pairs = (list["experiments"] as? [[String: Any]] ?? []).compactMap { $0.at("comparisons", 0) as? [String: Any] }
    let won = pairs.compactMap { $0["winner"] as? [String: Any] }
    #expect(won.count == pairs.count { $0["decision"] as? String == "b_wins" } && won.count == 3)
    // Benjamini and Hochberg anew: the others have a p-value of 1.
    let p = won.compactMap { $0["p_value"] as? Double }
    for (own, winner) in zip(p, won) {
      let expected = p.filter { $0 >= own }.map { value in value * 33 / Double(p.count { $0 <= value }) }.min() ?? 1
      let adjusted = try #require(winner["p_adjusted"] as? Double)
      #expect(abs(adjusted - min(1, expected)) < 1e-12)
      #expect(winner["kept"] as? Bool == (adjusted <= 0.05))
    }
    let kept = won.count { $0["kept"] as? Bool == true }
    #expect(list.at("winners", "winners") as? Int == 3 && list.at("winners", "kept") as? Int == kept)
    #expect(abs((list.at("winners", "expected_false") as? Double ?? -1) - 0.05 * Double(kept)) < 1e-12)
    let text = try Tool.run(["experiments", "--log", log]).text.split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    #expect((1..<3).contains(kept), "some hold and some do not: \(won)")
    #expect(text.contains("by Benjamini and Hochberg over 33 comparisons."), "\(text)")
    #expect(text.contains("hold among 33 comparisons: close 0 (camera)"), "\(text)")
    #expect(text.contains("33 comparisons have up to 1.65 winners by chance."), "\(text)")
  }

  @Test func looksFromAMomentAndAtAPermission() throws {
    let workspace = try Workspace()
    let log = try log(workspace, Self.all)
    func names(_ options: [String]) throws -> [String] {
      let experiments = try list(log, options)["experiments"] as? [[String: Any]] ?? []
      return experiments.map { "\($0["experiment"] ?? "") \($0["permission"] ?? "")" }
    }
    #expect(try names(["--permission", "notifications"]) == ["copy notifications"])
    // The evening of day 5: what begins later is not there, and all else is running.
    let early = ["--as-of", "2026-02-07T20:00:00Z"]
    #expect(try names(early) == ["copy camera", "copy notifications", "many camera", "alone camera"])
    let seen = try #require(try list(log, early)["experiments"] as? [[String: Any]])
    #expect(seen[1].at("messages", 0, "exposed") as? Int == 5 * 40 + 33)
    #expect(seen[1].at("comparisons", 0, "decision") as? String == "too_early")
    let wrong = try Tool.run(["experiments", "--log", log, "--permission", "contacts"])
    #expect(wrong.status == 64 && wrong.errors.contains("notifications"), "\(wrong.errors)")
    #expect(try Tool.run(["experiments", "--log", log, "--format", "markdown"]).status == 64)
  }

  @Test func theTextFits80ColumnsAndThePageIsHarmless() throws {
    let workspace = try Workspace()
    let log = try log(workspace, Self.all)
    for options in [[], ["--ascii"]] {
      let text = try Tool.run(["experiments", "--log", log] + options, environment: ["COLUMNS": "80"]).text
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
      #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("A (the control) 1200, B 1200"), "\(text)")
      #expect(words.contains("B WON on "), "\(text)")
      let arrow = options.isEmpty ? "→" : "->"
      #expect(words.contains("A 39.9 % \(arrow) B 60.0 %, +20.0 points (of "), "\(text)")
      #expect(words.contains("Of 1 winner expect at most 0.05 to be false:"), "\(text)")
      #expect(words.contains("Only one message,") && words.contains("Too many messages to compare: 17"), "\(text)")
      #expect(words.contains("No message: no screen of it names a message."), "\(text)")
    }
    let page = workspace.path("page.html")
    let result = try Tool.run(["experiments", "--log", log, "--format", "html", "--output", page])
    #expect(result.status == 0 && result.output.isEmpty)
    let html = String(decoding: try workspace.read("page.html"), as: UTF8.self)
    #expect(!html.contains("<b>") && !html.contains("<i>") && html.contains("&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;"))
    #expect(html.components(separatedBy: "<figure>").count - 1 == 3, "a chart for each that is compared")
  }

  @Test func aLogWithoutExperimentsSaysSo() throws {
    let workspace = try Workspace()
    let log = try log(workspace, [Self.all[6]])
    let text = try Tool.run(["experiments", "--log", log])
    #expect(text.status == 0 && text.text.contains("No screen, and no Settings prompt after a denial"), "\(text.text)")
    #expect((try list(log)["experiments"] as? [Any])?.isEmpty == true)
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", "-", "--log", empty], input: Data()).status == 0)
    let nothing = try Tool.run(["experiments", "--log", empty])
    #expect(nothing.status == 0 && nothing.text.contains("The log is empty"), "\(nothing.text)\(nothing.errors)")
    #expect(try list(empty)["as_of"] is NSNull)
    #expect(try Tool.run(["experiments", "--log", workspace.path("none")]).status == 1)
  }
}
