// Two texts of the alert that leads to Settings, in the log that an app would write: users denied before see one of them at a launch, some
// turn the permission on, and the app finds that at a later launch.

import Foundation
import Testing

@Suite struct SettingsMessageTests {
  /// An app with known truth.
  private struct App {
    var lines: [String] = []
    /// By text: users who saw it, who went to Settings, and who turned the permission on in time.
    var shown = ["plain": 0, "benefit": 0], opened = ["plain": 0, "benefit": 0], enabled = ["plain": 0, "benefit": 0]
    /// Users who saw an alert, and whose denial is older than the log.
    var deniedBefore = 0

    static let start = 1_767_225_600_000
    static let hour = 3_600_000
    static let day = 24 * hour
    static let days = 75

    /// - Parameters:
    ///   - isAssigned: the texts are chosen by a flag whose variant is an event of its own, and no alert says which it is.
    ///   - isOnScreens: the prompt before the denial carries the test, too.
    init(users: Int = 6000, seed: UInt64 = 5, isAssigned: Bool = false, isOnScreens: Bool = false) {
      var random = MadeExperiment.Random(seed: seed)
      func line(_ user: Int, _ time: Int, _ event: String, _ more: String = "") {
        let isOfPermission = event != "app_active" && event != "assigned"
        let permission = isOfPermission ? #","permission":"notifications","platform":"ios""# : ""
        lines.append(
          #"{"event_id":"e\#(lines.count)","user_id":"u\#(user)","timestamp":\#(Self.start + time),"event":"\#(event)"\#(permission)\#(more)}"#
        )
      }
      for user in 0..<users {
        // Everything ends before the log does, so that all is known of each user.
        let installed = random.below(40) * Self.day + 8 * Self.hour + random.below(12 * Self.hour)
        let text = ["plain", "benefit"][random.below(2)]
        let test = #","variant":"\#(text)","experiment":"settings-text""#
        line(user, installed, "app_active")
        if isAssigned { line(user, installed + 10, "assigned", test) }
        // One in twenty has decided before the log begins: the app sees only the status.
        let isOld = user % 20 == 0
        if !isOld { line(user, installed + 1000, "prompt_shown", isOnScreens ? test : "") }
        let answers = random.below(10)
        guard answers > 0 else { continue }
        let isDenied = isOld || answers < 6
        let answered = installed + 3000 + random.below(20_000)
        if isOld {
          line(user, answered, "status_checked", #","status":"denied""#)
        } else {
          line(user, answered, isDenied ? "denied" : "granted")
        }
        guard isDenied, random.below(10) < 8 else { continue }
        // The alert comes at a launch of a later day.
        let shown = installed + Self.day + random.below(5 * Self.day)
        line(user, shown - 900, "app_active")
        line(user, shown - 800, "status_checked", #","status":"denied""#)
        line(user, shown, "settings_prompt_shown", isAssigned ? "" : test)
        if isOld { deniedBefore += 1 } else { shownOnce(text) }
        if random.below(100) < (text == "plain" ? 20 : 30) {
          line(user, shown + 4000, "settings_opened")
          if !isOld { opened[text, default: 0] += 1 }
        }
        // Who turns it on is found at the next launch, in 1 to 9 days: beyond the seventh it is too late for the alert.
        let isOn = random.below(100) < (text == "plain" ? 12 : 22)
        let next = shown + Self.day + random.below(8 * Self.day)
        line(user, next, "app_active")
        line(user, next + 200, "status_checked", isOn ? #","status":"authorized""# : #","status":"denied""#)
        if isOn, !isOld, next + 200 <= shown + 7 * Self.day { enabled[text, default: 0] += 1 }
      }
      line(users, Self.days * Self.day, "app_active")
    }

    private mutating func shownOnce(_ text: String) { shown[text, default: 0] += 1 }
  }

  private static func log(_ lines: [String]) throws -> (workspace: Workspace, path: String) {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let result = try Tool.run(
      ["ingest", "-", "--quiet", "--log", path], input: Data((lines.joined(separator: "\n") + "\n").utf8))
    #expect(result.status == 0, "\(result.errors)")
    return (workspace, path)
  }

  private static let command = ["compare", "plain", "benefit", "--screen", "settings"]

  private static func json(_ command: [String], _ path: String) throws -> [String: Any] {
    let result = try Tool.run(command + ["--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private static func cautions(_ found: [String: Any]) -> [String] { found["cautions"] as? [String] ?? [] }

  @Test("the better text is found, with the counts that the app's log was made of")
  func truth() throws {
    let app = App()
    let (workspace, path) = try Self.log(app.lines)
    defer { withExtendedLifetime(workspace) {} }
    let found = try Self.json(Self.command, path)
    #expect(found["decision"] as? String == "b_wins" && found["screen"] as? String == "settings")
    #expect(found["metric"] as? String == "settings_enabled")
    let other = try #require((found["secondary"] as? [[String: Any]])?.first)
    #expect(other["metric"] as? String == "settings_opened")
    for (key, text) in [("a", "plain"), ("b", "benefit")] {
      let arm = try #require(found[key] as? [String: Any])
      #expect(arm["exposed"] as? Int == app.shown[text] && arm["trials"] as? Int == app.shown[text], "\(text)")
      #expect(arm["denied"] as? Int == app.shown[text] && arm["granted"] as? Int == 0 && arm["pending"] as? Int == 0)
      #expect(arm["successes"] as? Int == app.enabled[text], "\(text)")
      let share = Double(app.opened[text] ?? 0) / Double(app.shown[text] ?? 1)
      #expect(abs((other[key] as? Double ?? 0) - share) < 1e-12, "\(text)")
    }
    #expect(
      Self.cautions(found).contains { $0.contains("without a denial as first answer before it") },
      "\(Self.cautions(found))")
    // The report counts the same journeys.
    let rows = try Self.json(["report"], path)["rows"] as? [[String: Any]] ?? []
    let all = try #require(rows.first { $0["week"] is NSNull }?["settings_prompt"] as? [String: Any])
    #expect(all["shown"] as? Int == app.shown.values.reduce(0, +))
    #expect(all["enabled"] as? Int == app.enabled.values.reduce(0, +))
    #expect(all["opened"] as? Int == app.opened.values.reduce(0, +))
    // The other metrics of this screen are asked for by name.
    let opened = try Self.json(Self.command + ["--metric", "settings_opened"], path)
    #expect(opened.at("a", "successes") as? Int == app.opened["plain"])
    let text = try Tool.run(Self.command + ["--log", path]).text
    #expect(text.hasPrefix("notifications: benefit against plain, Settings messages, enabled within 7 days"), "\(text)")
    for form in ["html", "markdown", "csv"] {
      let page = try Tool.run(Self.command + ["--log", path, "--format", form])
      #expect(page.status == 0 && page.text.contains(form == "csv" ? ",settings\r\n" : "Settings messages"), "\(form)")
    }
  }

  @Test("what a day's end has decided is decided at each later moment")
  func looks() throws {
    let (workspace, path) = try Self.log(App().lines)
    defer { withExtendedLifetime(workspace) {} }
    let whole = try Self.json(Self.command, path)
    let looks = try #require(whole.at("monitoring", "looks") as? [[String: Any]])
    for day in ["2026-01-20", "2026-02-01", "2026-02-20"] {
      let earlier = try Self.json(Self.command + ["--as-of", day], path)
      let made = try #require(earlier.at("monitoring", "looks") as? [[String: Any]])
      #expect(!made.isEmpty && made as NSArray == Array(looks.prefix(made.count)) as NSArray, "\(day)")
    }
  }

  @Test("an experiment of Settings prompts is listed, and compared as by itself")
  func listed() throws {
    let (workspace, path) = try Self.log(App().lines)
    defer { withExtendedLifetime(workspace) {} }
    let list = try #require(try Self.json(["experiments"], path)["experiments"] as? [[String: Any]])
    #expect(list.count == 1 && list[0]["screen"] as? String == "settings")
    #expect(list[0]["metric"] as? String == "settings_enabled" && list[0]["control"] as? String == "benefit")
    let pair = try #require((list[0]["comparisons"] as? [[String: Any]])?.first)
    let alone = try Self.json(
      ["compare", "benefit", "plain", "--screen", "settings", "--experiment", "settings-text"], path)
    for key in ["decision", "decided_on", "a", "b", "difference", "cautions"] {
      #expect(pair[key] as? NSObject == alone[key] as? NSObject, "\(key)")
    }
    #expect(list[0]["exposed"] as? Int == App().shown.values.reduce(0, +))
    #expect(try Tool.run(["experiments", "--log", path]).text.contains("notifications, Settings prompts"))
    // A test that the prompt carries, too, is one of the prompt: it may decide who is denied.
    let (second, both) = try Self.log(App(users: 2000, isOnScreens: true).lines)
    defer { withExtendedLifetime(second) {} }
    let other = try #require(try Self.json(["experiments"], both)["experiments"] as? [[String: Any]])
    #expect(other.map { $0["screen"] as? String } == ["permission"])
    let cautioned = Self.cautions(try Self.json(Self.command, both))
    #expect(cautioned.contains { $0.contains("of this test on a screen before they denied") }, "\(cautioned)")
  }

  @Test("a flag that chooses the text counts by assignment")
  func assigned() throws {
    let app = App(isAssigned: true)
    let (workspace, path) = try Self.log(app.lines)
    defer { withExtendedLifetime(workspace) {} }
    let found = try Self.json(
      Self.command + ["--experiment", "settings-text", "--permission", "notifications"], path)
    #expect(found["decision"] as? String == "b_wins")
    let exposed = found.at("assigned", "exposed") as? [Int]
    #expect(exposed == ["plain", "benefit"].map { app.shown[$0] ?? 0 })
    #expect((found.at("assigned", "users") as? [Int])?.reduce(0, +) == 6000)
    #expect(found.at("b", "successes") as? Int == app.enabled["benefit"])
    let refused = try Tool.run(Self.command + ["--permission", "notifications", "--log", path])
    #expect(refused.status == 64 && refused.errors.contains("settings-text"), "\(refused.errors)")
  }

  @Test("sums give the same answer, and know the screen")
  func sums() throws {
    let app = App(users: 1500)
    let (workspace, path) = try Self.log(app.lines)
    let asked = Self.command + ["--permission", "notifications", "--as-of", "2026-03-10"]
    let whole = try Tool.run(asked + ["--format", "json", "--log", path])
    let users = Dictionary(grouping: app.lines) { $0.split(separator: #"""#)[7].hashValue & 1 }
    let shards = (0..<2).map { (users[$0] ?? []).map { Data($0.utf8) } }
    let answer = try workspace.answer(asked, ofShards: shards, ["--format", "ndjson"])
    #expect(answer == whole.output)
    let question = workspace.path("settings.question")
    #expect(try Tool.run(asked + ["--save-question", question]).status == 0)
    #expect(try String(contentsOfFile: question, encoding: .utf8).contains(#""screen":"settings""#))
    let made = workspace.path("x.sums")
    #expect(
      try Tool.run(["sums", "make", "--question", question, "--log", path, "--output", made, "--quiet"]).status == 0)
    let other = try Tool.run(["compare", "--from-sums", made, "--screen", "permission"])
    #expect(other.status == 64 && other.errors.contains("the screen settings, not with permission"), "\(other.errors)")
    let metric = try Tool.run(["compare", "--from-sums", made, "--metric", "grant_rate"])
    #expect(metric.status == 64 && metric.errors.contains("settings_enabled"), "\(metric.errors)")
  }

  @Test("a plan is of one screen")
  func plans() throws {
    let (workspace, path) = try Self.log(App(users: 2000).lines)
    let file = workspace.path("plan.json")
    let saved = try Tool.run(
      ["plan", "plain", "benefit", "--screen", "settings", "--effect", "5", "--save", file, "--log", path])
    #expect(saved.status == 0 && saved.text.contains("a plan for the share enabled within 7 days"), "\(saved.errors)")
    #expect(saved.text.contains("7 days after their exposure"), "\(saved.text)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""screen": "settings""#))
    let planned = try Self.json(["compare", "--plan", file], path)
    #expect(planned["screen"] as? String == "settings" && planned.at("plan", "screen") as? String == "settings")
    let refused = try Tool.run(["compare", "--plan", file, "--screen", "permission", "--log", path])
    #expect(refused.status == 64 && refused.errors.contains("the plan says Settings messages"), "\(refused.errors)")
    let ofScreens = workspace.path("screens.json")
    #expect(
      try Tool.run(
        [
          "plan", "plain", "benefit", "--permission", "notifications", "--effect", "5", "--save", ofScreens, "--log",
          path,
        ]
      ).status == 0)
    #expect(try !String(contentsOfFile: ofScreens, encoding: .utf8).contains("screen"))
    let other = try Tool.run(["compare", "--plan", ofScreens, "--screen", "settings", "--log", path])
    #expect(other.status == 64 && other.errors.contains("messages of screens, not Settings"), "\(other.errors)")
    let edited = try String(contentsOfFile: file, encoding: .utf8).replacing("settings_enabled", with: "grant_rate")
    try workspace.write("edited.json", edited)
    let wrong = try Tool.run(["compare", "--plan", workspace.path("edited.json"), "--log", path])
    #expect(wrong.status == 64 && wrong.errors.contains("metric: it is not one of retention_day_7"), "\(wrong.errors)")
  }

  @Test("what is not known of a Settings message is refused with what is")
  func refusals() throws {
    let app = App(users: 600)
    let (workspace, path) = try Self.log(app.lines)
    defer { withExtendedLifetime(workspace) {} }
    for (more, words) in [
      (["--screen", "settings", "--metric", "grant_rate"], "retention_day_7, settings_enabled, settings_opened"),
      (["--screen", "settings", "--guardrail", "drop_off_rate:1"], "settings_enabled"),
      (["--metric", "settings_enabled"], "--screen settings"),
      (["--guardrail", "settings_opened:1"], "--screen settings"),
      (["--screen", "settings", "--variant-from", "answer"], "own message"),
    ] {
      let result = try Tool.run(["compare", "plain", "benefit", "--log", path] + more)
      #expect(result.status == 64 && result.errors.contains(words), "\(more): \(result.errors)")
    }
    let guarded = try Self.json(Self.command + ["--guardrail", "retention_day_7:2"], path)
    #expect((guarded["guardrails"] as? [[String: Any]])?.count == 1)
    // Without the evidence of returns, and of Settings that were opened.
    let (second, silent) = try Self.log(app.lines.filter { !$0.contains("status_checked") })
    defer { withExtendedLifetime(second) {} }
    let unknown = try Tool.run(Self.command + ["--log", silent])
    #expect(unknown.status == 64 && unknown.errors.contains("no re_enabled or status_checked"), "\(unknown.errors)")
    let list = try #require(try Self.json(["experiments"], silent)["experiments"] as? [[String: Any]])
    #expect(list.first?["not_compared"] as? String == "no_returns")
    let (third, closed) = try Self.log(app.lines.filter { !$0.contains("settings_opened") })
    defer { withExtendedLifetime(third) {} }
    let other = try Self.json(Self.command, closed)["secondary"] as? [[String: Any]]
    #expect(other?.first?["a"] is NSNull && (other?.first?["reason"] as? String)?.contains("settings_opened") == true)
    // Messages on no Settings prompt.
    let (fourth, plain) = try Self.log(
      app.lines.map { line in
        let kind = line.contains("settings_prompt_shown") ? "status_checked" : "settings_prompt_shown"
        return line.replacing("\"settings_prompt_shown\"", with: "\"\(kind)\"")
      })
    defer { withExtendedLifetime(fourth) {} }
    let none = try Tool.run(Self.command + ["--permission", "notifications", "--log", plain])
    #expect(none.status == 64 && none.errors.contains("no Settings prompt of notifications"), "\(none.errors)")
  }
}
