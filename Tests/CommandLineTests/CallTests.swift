// Calls that return at once, answers that a status tells, and answers alone: logs as apps write them, with truths that are known.

import Foundation
import Testing

@Suite struct CallTests {
  private typealias Random = LinkedIDTests.Random

  /// A log under way. Users answer in 600 ms to 9 s if they see a dialog.
  private struct Log {
    var lines: [String] = []
    var random: Random
    private(set) var granted = 0
    private var number = 0

    init(seed: UInt64) { random = Random(seed: seed) }

    mutating func add(_ user: Int, _ time: Int, _ event: String, status: String? = nil, variant: String? = nil) {
      number += 1
      let stamp = 1_775_037_600_000 + time
      let more = (status.map { #","status":"\#($0)""# } ?? "") + (variant.map { #","variant":"\#($0)""# } ?? "")
      lines.append(
        #"{"event_id":"e\#(number)","user_id":"u\#(user)","timestamp":\#(stamp),"event":"\#(event)","permission":"notifications"\#(more)}"#
      )
    }

    mutating func time() -> Int { random.below(20 * 86_400_000) + 1 }

    /// A dialog, and a person's answer.
    mutating func ask(_ user: Int, _ time: Int, percent: Int, after: Int? = nil) -> String {
      let isGranted = random.below(100) < percent
      granted += isGranted ? 1 : 0
      add(user, time, "prompt_shown")
      add(user, time + (after ?? 600 + random.below(8400)), isGranted ? "granted" : "denied")
      return isGranted ? "granted" : "denied"
    }

    /// A call that shows no dialog.
    mutating func call(_ user: Int, _ time: Int, _ answer: String, status: String? = nil) {
      add(user, time, "prompt_shown")
      add(user, time + 5 + random.below(45), answer, status: status)
    }
  }

  private struct Found {
    var row: [String: Any]
    var report: [String: Any]
    var findings: Set<String>

    func count(_ name: String) -> Int? { row[name] as? Int }
    var missing: [String] { row["no_evidence"] as? [String] ?? [] }
    var hasTimes: Bool { row["time_to_answer_ms"] is [String: Any] }
  }

  private static let day = 86_400_000

  private func found(_ log: Log, _ options: [String] = []) throws -> Found {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = log.lines.joined(separator: "\n") + "\n"
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    func json(_ command: String) throws -> [String: Any] {
      let output = try Tool.run([command, "--as-of", "2026-07-01", "--format", "json", "--log", path] + options).output
      return try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
    }
    let report = try json("report")
    let rows = report["rows"] as? [[String: Any]] ?? []
    let findings = try json("audit")["findings"] as? [[String: Any]] ?? []
    return Found(
      row: try #require(rows.first { $0["week"] is NSNull }), report: report,
      findings: Set(findings.compactMap { $0["id"] as? String }))
  }

  private func make(_ seed: UInt64, users: Int = 300, _ body: (inout Log, Int, Int) -> Void) -> Log {
    var log = Log(seed: seed)
    for user in 0..<users {
      let time = log.time()
      body(&log, user, time)
    }
    return log
  }

  // MARK: No dialog

  @Test func whoHadDecidedBeforeWasNotAsked() throws {
    let log = make(1) { log, user, time in
      if user % 2 == 0 {
        log.call(user, time, user % 10 < 8 ? "granted" : "denied")
      } else {
        _ = log.ask(user, time, percent: 40)
      }
    }
    let found = try found(log)
    #expect(found.count("exposed") == 150 && found.count("granted") == log.granted)
    #expect(found.findings.contains("asked_without_dialog"))
    let units = try #require(found.report["at_once"] as? [[String: Any]])
    #expect(units.count == 1 && units[0]["answered"] as? Int == 300 && units[0]["at_once"] as? Int == 150)
    #expect(units[0]["applied"] as? Bool == true && units[0]["platform"] is NSNull)
    // Without the rule everybody was asked.
    let former = try self.found(log, ["--at-once", "0"])
    #expect(former.count("exposed") == 300 && former.report["at_once_ms"] as? Int == 0)
  }

  @Test func callsAtEachLaunchAreNoAsks() throws {
    let log = make(2) { log, user, time in
      let answer = log.ask(user, time, percent: 42)
      for launch in 1..<9 { log.call(user, time + launch * Self.day / 2, answer) }
    }
    let found = try found(log)
    #expect(found.count("exposed") == 300 && found.count("granted") == log.granted)
    #expect(found.findings.isDisjoint(with: ["asked_after_denial", "pestering"]))
    #expect(found.findings.contains("asked_without_dialog"))
  }

  @Test func aCallWhileTheAppIsNotActiveIsNoAnswer() throws {
    for (answer, status) in [("denied", nil), ("skipped", "not_determined")] {
      let log = make(3) { log, user, time in
        log.call(user, time, answer, status: status)
        _ = log.ask(user, time + Self.day, percent: 44)
      }
      let found = try found(log)
      #expect(found.count("exposed") == 300 && found.count("granted") == log.granted, "\(answer)")
    }
  }

  @Test func anExplanationBeforeSuchACallLeavesTheUserWithoutASay() throws {
    let log = make(4) { log, user, time in
      log.add(user, time - 3000, "explanation_shown")
      if user % 3 == 0 { log.call(user, time, "denied") } else { _ = log.ask(user, time, percent: 50) }
    }
    let found = try found(log)
    #expect(found.count("exposed") == 300 && found.count("restricted") == 100 && found.count("granted") == log.granted)
  }

  @Test func peopleWhoAnswerIn260MillisecondsAreNeverLeftOut() throws {
    let log = make(5) { log, user, time in _ = log.ask(user, time, percent: 50, after: 250 + user % 11) }
    let found = try found(log)
    #expect(found.count("exposed") == 300 && found.count("granted") == log.granted && found.hasTimes)
    #expect((found.report["at_once"] as? [Any])?.isEmpty == true)
  }

  // MARK: Logged together

  @Test func promptsThatAreLoggedWithTheirAnswersKeepThemAndHaveNoTimes() throws {
    // In the completion handler, and by two queues.
    for low in [0, -3] {
      let log = make(6) { log, user, time in _ = log.ask(user, time, percent: 45, after: low + log.random.below(5)) }
      let found = try found(log)
      #expect(found.count("exposed") == 300 && found.count("granted") == log.granted && found.count("dropped_off") == 0)
      #expect(!found.hasTimes && found.missing.contains("prompt_times"))
      #expect(found.findings.contains("logged_together") && !found.findings.contains("asked_after_denial"))
    }
  }

  /// Times are printed as finely as the log has them: what is 0 in whole minutes may be 59 seconds.
  @Test(arguments: [(1000, 1, "<1 s"), (1000, 4000, "4 s"), (60_000, 1, "<1 min"), (60_000, 120_000, "2 min")])
  func timesAreAsFineAsTheLog(step: Int, after: Int, median: String) throws {
    let log = make(14) { log, user, time in
      let whole = time / step * step
      log.add(user, whole, "prompt_shown", variant: user % 2 == 0 ? "A" : "B")
      // One in ten takes a second or a minute more.
      log.add(user, (whole + after) / step * step + (user % 10 == 0 ? step : 0), user % 3 == 0 ? "granted" : "denied")
    }
    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = log.lines.joined(separator: "\n") + "\n"
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    let questions = [
      ["report", "--section", "time"], ["compare", "A", "B", "--full"], ["flow", "--steps", "notifications"],
    ]
    for question in questions {
      for format in ["text", "html"] {
        let output = try Tool.run(question + ["--as-of", "2026-07-01", "--log", path, "--format", format]).output
        let page = String(decoding: output, as: UTF8.self).replacing("\u{A0}", with: " ").replacing("&lt;", with: "<")
        #expect(page.contains(median), "\(question) as \(format) has no \(median)")
        #expect(!page.contains("<1 ms") && !page.contains(/[0-9]\.[0-9] s\b/), "\(question) as \(format)")
      }
    }
  }

  @Test func denialsThatTheStatusContradictsAreSaid() throws {
    let log = make(7) { log, user, time in
      log.call(user, time, "denied")
      if user % 2 == 0 { log.add(user, time + 4000, "status_checked", status: "authorized") }
    }
    #expect(try found(log).findings.isSuperset(of: ["contradicted_answers", "logged_together"]))
  }

  // MARK: By status, and alone

  @Test func aStatusAfterThePromptIsTheAnswer() throws {
    var granted = 0
    let log = make(8) { log, user, time in
      let isGranted = log.random.below(100) < 45
      granted += isGranted ? 1 : 0
      log.add(user, time, "prompt_shown")
      // What the app finds at the call is of before.
      log.add(user, time + 20, "status_checked", status: "denied")
      log.add(user, time + 3000 + log.random.below(9000), "status_checked", status: isGranted ? "authorized" : "denied")
    }
    let found = try found(log)
    #expect(found.count("granted") == granted && found.count("dropped_off") == 0)
    #expect(found.count("answered_by_status") == 300)
    #expect((found.row["time_to_answer_ms"] as? [String: Any])?["count"] as? Int == 0)
  }

  @Test func answersWithoutAnyScreenHaveARate() throws {
    var granted = 0
    let log = make(9) { log, user, time in
      let isGranted = log.random.below(100) < 45
      granted += isGranted ? 1 : 0
      log.add(user, time, isGranted ? "granted" : "denied", variant: user % 2 == 0 ? "A" : "B")
    }
    let found = try found(log)
    #expect(found.count("exposed") == 300 && found.count("granted") == granted)
    #expect(found.row["dropped_off"] is NSNull && found.row["steps"] is NSNull && !found.hasTimes)
    #expect(found.missing.contains("screens"))
    #expect((found.row["granted_by_follow_up"] as? [String: Any])?["granted"] as? Int == granted)

    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = log.lines.joined(separator: "\n") + "\n"
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    let compared = try Tool.run(["compare", "A", "B", "--as-of", "2026-07-01", "--format", "json", "--log", path])
      .output
    let comparison = try #require(JSONSerialization.jsonObject(with: compared) as? [String: Any])
    #expect((comparison["a"] as? [String: Any])?["exposed"] as? Int == 150)
    let page = try Tool.run(["report", "--as-of", "2026-07-01", "--log", path]).text
    #expect(page.contains("No screens are logged for notifications"), "\(page)")
    let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("exposed: saw a first screen, or answered if no screens are logged;"), "\(page)")
  }

  @Test func aNotNowWithoutItsScreenIsASkip() throws {
    let log = make(10) { log, user, time in
      if user % 5 < 2 { log.add(user, time, "skipped") } else { _ = log.ask(user, time, percent: 60) }
    }
    let found = try found(log)
    #expect(found.count("exposed") == 300 && found.count("skipped") == 120 && found.count("granted") == log.granted)
  }

  @Test func withoutAnyAnswerNothingIsKnown() throws {
    let log = make(11) { log, user, time in log.add(user, time, "prompt_shown", variant: user % 2 == 0 ? "A" : "B") }
    let found = try found(log)
    #expect(found.missing.contains("answers") && found.row["grant_rate"] is NSNull && found.row["granted"] is NSNull)
    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = log.lines.joined(separator: "\n") + "\n"
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    let refused = try Tool.run(["compare", "A", "B", "--log", path])
    #expect(refused.status == 64 && refused.errors.contains("no granted or denied events"), "\(refused.errors)")
    #expect(try Tool.run(["report", "--log", path]).text.contains("Does the app log"))
  }

  // MARK: By hand

  /// Taking the calls out of a log by hand, and putting looks at the status in, changes no figure.
  @Test(arguments: UInt64(1)...6)
  func callsAreReadAsLooksAtTheStatus(seed: UInt64) throws {
    var (written, byHand) = (Log(seed: seed), Log(seed: seed))
    var random = Random(seed: seed &+ 99)
    for user in 0..<150 {
      var time = random.below(20 * Self.day) + 1000
      let variant = user % 2 == 0 ? "A" : "B"
      for _ in 0..<1 + random.below(4) {
        time += random.below(2 * Self.day)
        if random.below(3) == 0 {
          for part in [0, 1] {
            if part == 0 {
              written.add(user, time, "explanation_shown", variant: variant)
            } else {
              byHand.add(user, time, "explanation_shown", variant: variant)
            }
          }
          time += 2000
        }
        let answer = ["granted", "denied"][random.below(2)]
        if random.below(2) == 0 {
          let after = random.below(249)
          written.add(user, time, "prompt_shown", variant: variant)
          written.add(user, time + after, answer, variant: variant)
          byHand.add(
            user, time + after, "status_checked", status: answer == "granted" ? "authorized" : "denied",
            variant: variant)
        } else {
          let after = 250 + random.below(20_000)
          for isByHand in [false, true] {
            if isByHand {
              byHand.add(user, time, "prompt_shown", variant: variant)
              byHand.add(user, time + after, answer, variant: variant)
            } else {
              written.add(user, time, "prompt_shown", variant: variant)
              written.add(user, time + after, answer, variant: variant)
            }
          }
        }
        time += 40_000
      }
    }
    let workspace = try Workspace()
    func answers(_ log: Log, _ name: String) throws -> [String: Any] {
      let path = workspace.path(name)
      let text = log.lines.joined(separator: "\n") + "\n"
      #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
      var answers: [String: Any] = [:]
      let questions = [["report"], ["flow"], ["audit"], ["compare", "A", "B", "--permission", "notifications"]]
      for question in questions {
        let output = try Tool.run(question + ["--as-of", "2026-07-01", "--format", "json", "--log", path]).output
        answers[question[0]] = try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
      }
      return answers
    }
    func part(_ answers: [String: Any], _ command: String, _ key: String) -> NSObject? {
      (answers[command] as? [String: Any])?[key] as? NSObject
    }
    let (a, b) = (try answers(written, "written"), try answers(byHand, "by-hand"))
    let rows = try #require(part(a, "report", "rows") as? [[String: Any]])
    let others = try #require(part(b, "report", "rows") as? [[String: Any]])
    #expect(rows.count == others.count)
    // An explanation before a call leaves its user without a say; by hand nobody knows of the call.
    let hasExplained = written.lines.contains { $0.contains("explanation_shown") }
    #expect(hasExplained)
    for (row, other) in zip(rows, others) {
      for key in ["exposed", "pending", "granted", "denied", "skipped", "partial"] {
        #expect(row[key] as? Int == other[key] as? Int, "seed \(seed), \(key)")
      }
      #expect(
        (row["restricted"] as? Int ?? 0) + (row["dropped_off"] as? Int ?? 0)
          == (other["restricted"] as? Int ?? 0) + (other["dropped_off"] as? Int ?? 0), "seed \(seed)")
      #expect(row["time_to_answer_ms"] as? NSObject == other["time_to_answer_ms"] as? NSObject, "seed \(seed)")
    }
    // Those without a say are no part of one base and of the other: rates, and so decisions, may differ.
    for arm in ["a", "b"] {
      for key in ["exposed", "granted", "denied", "skipped"] {
        let counts = [a, b].map { (part($0, "compare", arm) as? [String: Any])?[key] as? Int }
        #expect(counts[0] != nil && counts[0] == counts[1], "seed \(seed), \(arm), \(key)")
      }
    }
    let practice: (NSObject?) -> [String] = { list in
      (list as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }.filter {
        ["asked_after_denial", "pestering", "asked_after_not_now", "no_way_back", "contradicted_answers"].contains($0)
      }
    }
    #expect(practice(part(a, "audit", "findings")) == practice(part(b, "audit", "findings")), "seed \(seed)")
  }

  // MARK: Experiments and plans

  private func lines(_ users: Range<Int>, _ events: [String]) -> String {
    users.map { user in
      events.enumerated().map { place, event in
        let message = user % 2 == 0 ? "A" : "B"
        return
          #"{"user_id":"u\#(user)","timestamp":\#(1_775_037_600_000 + user * 600_000 + place * 4000),"event":"\#(event)","#
          + #""permission":"notifications","experiment":"copy","variant":"\#(message)"}"# + "\n"
      }.joined()
    }.joined()
  }

  /// Whoever is exposed in a comparison is so in the list.
  @Test(arguments: [["granted"], ["skipped", "denied"], ["explanation_shown", "skipped"]])
  func answersAndSkipsExposeInExperiments(_ events: [String]) throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    // A screen of somebody else, unless answers are to stand alone.
    let other =
      events == ["granted"]
      ? ""
      : #"{"user_id":"x","timestamp":1775037600000,"event":"prompt_shown","permission":"notifications"}"# + "\n"
        + #"{"user_id":"x","timestamp":1775037605000,"event":"granted","permission":"notifications"}"# + "\n"
    let text = lines(0..<60, events) + other
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    let output = try Tool.run(["experiments", "--as-of", "2026-07-01", "--format", "json", "--log", path]).output
    let list = try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
    let experiments = try #require(list["experiments"] as? [[String: Any]])
    #expect(experiments.map { $0["exposed"] as? Int } == [60])
    let arms = try Tool.run([
      "compare", "A", "B", "--experiment", "copy", "--as-of", "2026-07-01", "--format", "json", "--log", path,
    ]).output
    let compared = try #require(JSONSerialization.jsonObject(with: arms) as? [String: Any])
    let counts = ["a", "b"].map { (compared[$0] as? [String: Any])?["exposed"] as? Int }
    #expect(counts == [30, 30])
  }

  @Test func aPlanWithoutAnswersIsRefused() throws {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = lines(0..<60, ["prompt_shown"])
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8)).status == 0)
    let plan = ["plan", "--permission", "notifications", "--effect", "5", "--as-of", "2026-07-01", "--log", path]
    let refused = try Tool.run(plan)
    #expect(refused.status != 0)
    #expect(refused.errors.contains("no granted or denied events"), "\(refused.errors)")
    // With a rate of one's own the log gives the traffic.
    #expect(try Tool.run(plan + ["--baseline", "40"]).status == 0)
  }

  /// JSON has no place for it, and --quiet hides no warning that figures are wrong.
  @Test func sumsThatDoNotFitWarnUnderQuiet() throws {
    let workspace = try Workspace()
    let names = [
      "notifications", "camera", "contacts", "microphone", "calendars", "reminders", "motion", "speech", "siri",
    ]
    func line(_ user: String, _ event: String, _ permission: String, _ second: Int) -> String {
      #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:0\#(second)Z","event":"\#(event)","permission":"\#(permission)"}"#
        + "\n"
    }
    // More permissions answered alone than are kept in every combination, and a screen of one of them in the other shard.
    let alone = names.map { line("u", "granted", $0, 0) }.joined()
    let asked = line("v", "prompt_shown", "camera", 0) + line("v", "granted", "camera", 5)
    let question = workspace.path("question")
    let saved = try Tool.run([
      "report", "--as-of", "2026-03-09", "--log-start", "2026-03-01", "--save-question", question,
    ])
    #expect(saved.status == 0, "\(saved.errors)")
    var sums: [String] = []
    for (number, lines) in [alone, asked].enumerated() {
      sums.append(workspace.path("\(number).sums"))
      let made = try Tool.run(
        ["sums", "make", "-", "--question", question, "--format", "ndjson", "--shard", "\(number + 1)/2", "--job", "x"]
          + ["--output", sums[number]], input: Data(lines.utf8))
      #expect(made.status == 0, "\(made.errors)")
    }
    let options = sums.flatMap { ["--from-sums", $0] }
    let found = try Tool.run(["report", "--format", "json", "--quiet"] + options)
    #expect(found.status == 0 && found.errors.contains("WARNING: Not all shards could be read"), "\(found.errors)")
  }
}
