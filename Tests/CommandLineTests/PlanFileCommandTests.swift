// Plans that are saved, compared with, and have their looks recorded: as a user does it.

import Foundation
import Testing

@Suite struct PlanFileCommandTests {
  private typealias Group = Experiment.Group
  private let experiment: Experiment
  private let workspace: Workspace
  private let log: String
  private let path: String

  init() throws {
    // 100 users a day for 14 days; a difference that is found before the end.
    experiment = try Experiment([Group("A", 700, granted: 300), Group("B", 700, granted: 420)])
    workspace = experiment.workspace
    log = try experiment.log()
    path = workspace.path("plan.json")
  }

  private func time(_ days: Int, hours: Int = 1) -> String {
    ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double(Experiment.start + days * Experiment.day + hours * 3_600_000) / 1000))
  }

  /// Saves a plan, dated as if it was made before the first exposure.
  @discardableResult
  private func save(_ options: [String] = [], savedOn day: Int? = -2) throws -> ToolResult {
    let result = try Tool.run(
      ["plan", "A", "B", "--permission", "camera", "--effect", "10", "--log", log, "--as-of", time(14), "--save", path]
        + options)
    if result.status == 0, let day {
      let text = String(decoding: try workspace.read("plan.json"), as: UTF8.self)
      let dated = text.replacing(/"saved_at": "[^"]*"/, with: "\"saved_at\": \"\(time(day))\"")
      try workspace.write("plan.json", dated)
    }
    return result
  }

  private func compare(_ options: [String] = [], variants: [String] = ["A", "B"]) throws -> ToolResult {
    try Tool.run(["compare"] + variants + ["--plan", path, "--log", log] + options)
  }

  private func json(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func aPlanIsSavedOnceAndEndsWithTheWayOn() throws {
    let result = try save(savedOn: nil)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("permlog compare A B --plan \(path) --log \(log)"), "\(result.text)")
    let plan = try json(try workspace.read("plan.json"))
    #expect(plan["schema"] as? String == "permlog.plan-file/1" && plan["permission"] as? String == "camera")
    let options = ["--permission", "camera", "--effect", "10", "--log", log, "--as-of", time(14), "--format", "json"]
    let forward = try json(try Tool.run(["plan", "A", "B"] + options).output)
    let each = try #require(forward.at("designs", 0, "per_variant") as? Int)
    #expect(plan["planned_n"] as? Int == 2 * each && forward["planned_n"] as? Int == 2 * each)
    // It starts from the rate of the control: 300 of 700, and not 720 of 1400 as without names.
    #expect(plan["baseline"] as? Double == 300.0 / 700 && forward["baseline_variant"] as? String == "A")
    #expect(result.text.contains("baseline 42.9 % of A (300 of 700 in the 28 days to"), "\(result.text)")
    let ofAll = try json(try Tool.run(["plan"] + options).output)
    #expect(abs((ofAll["baseline"] as? Double ?? 0) - 720.0 / 1400) < 1e-12 && ofAll["baseline_variant"] is NSNull)
    // A message that nobody has seen yet has no rate of its own; the traffic is that of all.
    let toCome = try json(try Tool.run(["plan", "new", "B"] + options).output)
    #expect(abs((toCome["baseline"] as? Double ?? 0) - 720.0 / 1400) < 1e-12 && toCome["baseline_variant"] is NSNull)
    #expect(forward["exposures_per_day"] as? Double == ofAll["exposures_per_day"] as? Double)
    #expect(plan["exponent"] as? Double == 3 && plan["alpha"] as? Double == 0.05)
    #expect(plan["minimum_effect"] as? Double == 0.1 && plan["effect"] as? Double == 0.1)
    let before = try workspace.read("plan.json")
    let again = try save(savedOn: nil)
    #expect(again.status == 64 && again.errors.contains("--save \(path)") && again.output.isEmpty)
    #expect(try workspace.read("plan.json") == before)
  }

  @Test func whatThePlanSaysMayBeSaidAgainAndNothingElse() throws {
    try save(["--minimum-effect", "2", "--guardrail", "drop_off_rate:1", "--adjust", "platform"])
    for options in [
      [], ["--metric", "grant_rate"], ["--split", "50:50"], ["--time-zone", "UTC"], ["--permission", "camera"],
      ["--minimum-effect", "2"], ["--guardrail", "drop_off_rate:1"], ["--adjust", "platform"], ["--follow-up", "28d"],
      ["--response-window", "30m"], ["--contaminated", "first"], ["--as-of", time(12)], ["--by", "platform"],
      ["--rule", "daily"],
    ] {
      let result = try compare(options)
      #expect(result.status == 0, "\(options): \(result.errors)")
    }
    for (options, value) in [
      (["--metric", "deny_rate"], "grant_rate"), (["--split", "60:40"], "1:1"), (["--time-zone", "Asia/Tokyo"], "UTC"),
      (["--permission", "microphone"], "camera"), (["--experiment", "other"], "no experiment"),
      (["--minimum-effect", "1"], "2 points"), (["--guardrail", "drop_off_rate:2"], "drop_off_rate:1"),
      (["--adjust", "platform,country"], "platform"), (["--follow-up", "27d"], "28d"),
      (["--response-window", "10m"], "30m"), (["--contaminated", "exclude"], "first"),
      (["--planned-n", "5000"], "users"), (["--looks", "3"], "a look on every finished day"),
      (["--rule", "always-valid"], "a look on every finished day"),
      (["--where", "platform=ios"], "no conditions on the exposure"),
    ] {
      let result = try compare(options)
      #expect(result.status == 64, "\(options): \(result.errors)")
      #expect(result.errors.contains(options[0]) && result.errors.contains(value), "\(options): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    for variants in [["B", "A"], ["A", "B", "C"], ["A", "C"], ["A"]] {
      let result = try compare(variants: variants)
      #expect(result.status == 64 && result.errors.contains("A B"), "\(variants): \(result.errors)")
    }
  }

  @Test(arguments: [
    (["plan", "A", "B", "--baseline", "50", "--save", "x.json"], "permission"),
    (["plan", "--baseline", "50", "--save", "x.json"], "names of the messages"),
    (
      ["plan", "A", "B", "--baseline", "50", "--users", "300", "--save", "x.json"],
      "--users: a saved plan needs an effect"
    ),
    (["plan", "A", "--baseline", "50"], "2 to"), (["plan", "A", "A", "--baseline", "50"], "different"),
    (["plan", "A", "B", "--baseline", "50", "--variants", "3"], "--variants"),
    (["plan", "--baseline", "50", "--adjust", "platform"], "--adjust: it is only for a saved plan"),
    (["plan", "--baseline", "50", "--split", "1:1:1"], "--split"),
    (["plan", "A", "B", "--baseline", "50", "--split", "2:1", "--users", "30"], "--users: users of each message"),
    (["compare", "A", "B", "--record"], "--plan"),
    (["compare", "A", "B", "--rule", "daily", "--looks", "2"], "--looks"),
    (["compare", "A", "B", "--rule", "weekly"], "always-valid"),
    (["compare", "A", "B", "--adjust", "variant"], "--adjust"),
    (["compare", "A", "B", "--adjust", "experiment"], "--adjust"),
    (["compare", "A", "B", "--adjust", "platform,platform"], "--adjust"),
  ])
  func whatDoesNotGoTogetherIsRefused(arguments: [String], words: String) throws {
    let result = try Tool.run(arguments + ["--log", log])
    #expect(result.status == 64, "\(result.text)\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test func thePlanNamesTheMessages() throws {
    try save(["--split", "1:1"])
    let named = try compare(["--format", "json"])
    let unnamed = try compare(["--format", "json", "--split", "50:50"], variants: [])
    #expect(unnamed.status == 0 && unnamed.output == named.output, "\(unnamed.errors)")
    let none = try Tool.run(["compare", "--log", log])
    #expect(none.status == 64 && none.errors.contains("permlog compare A B"), "\(none.errors)")
  }

  @Test func aPlanOnItsWaySaysHowFarItIs() throws {
    try save()
    let early = try json(try compare(["--format", "json", "--as-of", time(4)]).output)
    let progress = try #require(early.at("needed", "progress") as? [String: Any])
    let plan = try json(try workspace.read("plan.json"))
    #expect(progress["planned"] as? Int == plan["planned_n"] as? Int)
    #expect(
      progress["users"] as? Int == (early.at("a", "trials") as? Int ?? 0) + (early.at("b", "trials") as? Int ?? 0))
    #expect(progress["until"] is String)
    // Decided, there is nothing to wait for.
    #expect(try json(try compare(["--format", "json"]).output).at("needed", "progress") is NSNull)
  }

  /// A pipe that nobody writes to would be waited for without end.
  @Test func pipesAreRefusedAndLinksLeadToOneRecord() throws {
    try save()
    let link = workspace.path("link.json")
    try FileManager.default.createDirectory(atPath: workspace.path("other"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let far = workspace.path("other/far.json")
    try FileManager.default.createSymbolicLink(atPath: far, withDestinationPath: "../plan.json")
    for name in [link, far] {
      let result = try Tool.run(["compare", "--plan", name, "--log", log, "--record"])
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: workspace.path("plan.looks.json")))
    for name in ["link.looks.json", "other/far.looks.json"] {
      #expect(!FileManager.default.fileExists(atPath: workspace.path(name)), "\(name)")
    }
    try FileManager.default.removeItem(atPath: workspace.path("plan.looks.json"))
    for name in ["plan.looks.json", "pipe.json"] {
      #expect(try Tool.run([workspace.path(name)], program: "/usr/bin/mkfifo").status == 0)
    }
    let record = try compare(["--record"])
    #expect(record.status == 64 && record.errors.contains("plan.looks.json: it is not a regular file"))
    let plan = try Tool.run(["compare", "--plan", workspace.path("pipe.json"), "--log", log])
    #expect(plan.status == 64 && plan.errors.contains("pipe.json: it is not a regular file"), "\(plan.errors)")
  }

  @Test func aPlanThatIsNoneIsRefused() throws {
    let missing = try compare()
    #expect(missing.status == 1 && missing.errors.contains(path))
    try workspace.write("plan.json", "{}")
    let empty = try compare()
    #expect(empty.status == 64 && empty.errors.contains("--plan \(path)"))
    try workspace.write("plan.json", #"{"schema": "permlog.plan-file/7"}"#)
    let newer = try compare()
    #expect(newer.status == 1 && newer.errors.contains("newer permlog"))
  }

  @Test func looksAreKeptAsTheyWere() throws {
    try save()
    #expect(try compare(["--record", "--as-of", time(9)]).status == 0)
    let first = try json(try workspace.read("plan.looks.json"))
    let kept = try #require(first.at("arms", 0, "days") as? [NSDictionary])
    #expect(kept.count >= 8 && kept.contains { $0["z"] is Double })
    // Fourteen users of the first days are erased.
    for user in 0..<14 { #expect(try Tool.run(["erase", "--user", "u0-\(user)", "--log", log]).status == 0) }
    #expect(try compare(["--record"]).status == 0)
    let second = try json(try workspace.read("plan.looks.json"))
    let rows = try #require(second.at("arms", 0, "days") as? [NSDictionary])
    #expect(Array(rows.prefix(kept.count)) == kept && rows.count > kept.count)
    #expect(rows.last?["a_users"] as? Int == 686 && rows.last?["b_users"] as? Int == 700)
    // With nothing new the file stays, byte for byte.
    let bytes = try workspace.read("plan.looks.json")
    #expect(try compare(["--record", "--format", "json"]).status == 0)
    #expect(try workspace.read("plan.looks.json") == bytes)
    let decided = try #require(second.at("arms", 0, "decisions", 0) as? [String: Any])
    let comparison = try json(try compare(["--format", "json"]).output)
    #expect(decided["decided_on"] as? String == comparison["decided_on"] as? String)
    #expect(decided["decision"] as? String == "b_wins")
    #expect(comparison.at("plan", "planned_n") is Int && comparison["rule"] as? String == "daily")
    // From an earlier moment, what came later is not known.
    let earlier = try json(try compare(["--format", "json", "--as-of", time(5)]).output)
    #expect(earlier["decided_on"] is NSNull)
    #expect(try workspace.read("plan.looks.json") == bytes)
  }

  @Test func aRecordThatCannotBeUsedStopsTheComparison() throws {
    try save()
    #expect(try compare(["--record"]).status == 0)
    let whole = try workspace.read("plan.looks.json")
    let text = String(decoding: whole, as: UTF8.self)
    try workspace.write("plan.looks.json", text.replacing("\"a_users\": ", with: "\"a_users\": 1", maxReplacements: 1))
    for options in [[], ["--record"]] {
      let damaged = try compare(options)
      #expect(damaged.status == 2 && damaged.errors.contains("plan.looks.json"), "\(damaged.errors)")
      #expect(damaged.output.isEmpty)
    }
    #expect(try workspace.read("plan.looks.json") != whole)
    // Another plan under the same name.
    try workspace.write("plan.looks.json", text)
    try FileManager.default.removeItem(atPath: path)
    try save(["--minimum-effect", "3"])
    let other = try compare(["--record"])
    #expect(other.status == 64 && other.errors.contains("another plan"), "\(other.errors)")
    #expect(try workspace.read("plan.looks.json") == whole)
  }

  @Test func whatCannotBeWrittenLeavesTheRecordAsItWas() throws {
    try save()
    #expect(try compare(["--record", "--as-of", time(9)]).status == 0)
    let before = try workspace.read("plan.looks.json")
    let files = try FileManager.default.contentsOfDirectory(atPath: workspace.url.path).sorted()
    // No file may grow beyond nothing, as on a full disk.
    let full = try Tool.run(
      ["-c", "ulimit -f 0; exec \"$0\" compare A B --plan \"$1\" --log \"$2\" --record", Tool.path, path, log],
      program: "/bin/sh")
    #expect(full.status == 1 && full.errors.contains("plan.looks.json") && full.output.isEmpty, "\(full.errors)")
    #expect(try workspace.read("plan.looks.json") == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.url.path).sorted() == files)
  }
}
