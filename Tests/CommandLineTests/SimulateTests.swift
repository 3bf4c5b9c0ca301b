// `permlog simulate` as a user runs it: what it makes can be read by all other commands, and they find what is true.

import Foundation
import Testing

@Suite struct SimulateTests {
  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func number(_ object: [String: Any]?, _ key: String) -> Double? { (object?[key] as? NSNumber)?.doubleValue }

  @Test(arguments: ["ndjson", "csv"]) func ingestRejectsNothingAndCountsTheCopies(format: String) throws {
    let workspace = try Workspace()
    let export = workspace.path("export")
    let made = try Tool.run([
      "simulate", "--users", "1500", "--weeks", "4", "--seed", "9", "--format", format, "--output", export,
    ])
    #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
    let lines = try String(decoding: workspace.read("export"), as: UTF8.self).split(whereSeparator: \.isNewline)
      .dropFirst(format == "csv" ? 1 : 0)
    // Event ids are random UUIDs, so that they alone tell the events apart.
    let ids = lines.map { format == "csv" ? $0.prefix(36) : $0.dropFirst("{\"event_id\":\"".count).prefix(36) }
    let copies = ids.count - Set(ids).count
    let conflicts = Set(lines).count - Set(ids).count
    #expect(copies > 0 && conflicts > 0 && conflicts < copies)
    let ingested = try Tool.run(["ingest", export, "--log", workspace.path("log"), "--strict", "--summary", "json"])
    let summary = try object(ingested.output)
    #expect(number(summary, "rejected") == 0 && number(summary, "ignored_fields") == 0)
    #expect(number(summary, "new") == Double(Set(ids).count))
    #expect(number(summary, "duplicates") == Double(copies))
    #expect(number(summary, "conflicts") == Double(conflicts))
  }

  @Test func ndjsonAndCSVAreTheSameEvents() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    for (format, new) in [("ndjson", true), ("csv", false)] {
      let export = workspace.path(format)
      _ = try Tool.run(["simulate", "--users", "200", "--weeks", "5", "--format", format, "--output", export])
      let summary = try object(try Tool.run(["ingest", export, "--log", log, "--summary", "json"]).output)
      #expect((number(summary, "new") ?? 0 > 0) == new)
    }
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
  }

  /// One draw: the comparison's always-valid interval and the report's intervals hold the truth. Scripts/check-recovery
  /// counts it over many seeds.
  @Test func theKnownEffectAndTheKnownRatesAreFound() throws {
    let workspace = try Workspace()
    let (export, truthPath, log) = (workspace.path("e.ndjson"), workspace.path("truth.json"), workspace.path("log"))
    _ = try Tool.run([
      "simulate", "--users", "2500", "--weeks", "9", "--seed", "2", "--output", export, "--truth", truthPath,
    ])
    #expect(try Tool.run(["ingest", export, "--log", log]).status == 0)
    let truth = try object(try workspace.read("truth.json"))
    #expect(truth["schema"] as? String == "permlog.truth/1")
    let asOf = try #require(truth["as_of"] as? String)
    var found = 0
    for experiment in try #require(truth["experiments"] as? [[String: Any]]) {
      let metrics = try #require(experiment["metrics"] as? [[String: Any]])
      let grant = metrics.first { $0["metric"] as? String == "grant_rate" }
      let effect = try #require(number(grant, "difference"))
      let compared = try object(
        try Tool.run([
          "compare", "A", "B", "--log", log, "--as-of", asOf, "--format", "json", "--permission",
          try #require(experiment["permission"] as? String), "--experiment",
          try #require(experiment["experiment"] as? String),
        ]).output)
      guard let sequence = compared["always_valid"] as? [String: Any] else { continue }
      let (low, high) = (try #require(number(sequence, "low")), try #require(number(sequence, "high")))
      #expect(low <= effect && effect <= high)
      if effect > 0.1 { #expect(low > 0, "an effect of \(effect) is found") }
      found += 1
    }
    #expect(found >= 3)
    let report = try object(try Tool.run(["report", "--log", log, "--as-of", asOf, "--format", "json"]).output)
    let rows = try #require(report["rows"] as? [[String: Any]])
    let trueRows = try #require(truth["rows"] as? [[String: Any]])
    var (inside, all) = (0, 0)
    for row in rows {
      let same = trueRows.first {
        $0["permission"] as? String == row["permission"] as? String && $0["week"] as? String == row["week"] as? String
      }
      let other = try #require(same)
      for name in ["grant_rate", "deny_rate", "skip_rate", "drop_off_rate"] {
        let rate = row[name] as? [String: Any]
        guard let low = number(rate, "low"), let high = number(rate, "high"), let value = number(other, name) else {
          continue
        }
        all += 1
        inside += low - 1e-9 <= value && value <= high + 1e-9 ? 1 : 0
      }
    }
    // 280 intervals, of which 95 % should hold the truth: below 90 % is more than three standard errors off.
    #expect(all >= 250 && inside * 100 >= all * 90, "\(inside) of \(all)")
  }

  /// Users who had decided before are found to the last one, and the rates are those of the others; with every call taken for a prompt they are
  /// not.
  @Test func usersWhoHadDecidedBeforeAreFoundAndLeftOut() throws {
    let workspace = try Workspace()
    let (export, log) = (workspace.path("e.ndjson"), workspace.path("log"))
    _ = try Tool.run([
      "simulate", "--users", "2500", "--weeks", "6", "--seed", "4", "--decided-before", "30", "--output", export,
      "--truth",
      workspace.path("truth.json"),
    ])
    #expect(try Tool.run(["ingest", export, "--log", log]).status == 0)
    let truth = try object(try workspace.read("truth.json"))
    let moment = ["--log", log, "--as-of", try #require(truth["as_of"] as? String)]
    let text = try Tool.run(["report", "--full"] + moment).text.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let report = try object(try Tool.run(["report", "--format", "json"] + moment).output)
    let former = try object(try Tool.run(["report", "--format", "json", "--at-once", "0s"] + moment).output)
    func row(_ object: [String: Any], _ permission: String) -> [String: Any]? {
      (object["rows"] as? [[String: Any]])?.first { $0["permission"] as? String == permission && $0["week"] is NSNull }
    }
    let decided = try #require(truth["not_asked"] as? [[String: Any]])
    #expect(decided.map { $0["permission"] as? String } == ["notifications", "tracking"])
    let units = try #require(report["at_once"] as? [[String: Any]])
    #expect(units.count == 2 && units.allSatisfy { $0["applied"] as? Bool == true })
    for (decided, unit) in zip(decided, units) {
      let permission = try #require(decided["permission"] as? String)
      let users = try #require(decided["users"] as? Int)
      #expect(users == 750 && unit["permission"] as? String == permission)
      #expect((number(unit, "at_once") ?? 0) > 750, "several launches")
      #expect(text.contains("750 users had decided before, and are not counted."))
      let (found, before, known) = (row(report, permission), row(former, permission), row(truth, permission))
      #expect(number(before, "exposed") == number(found, "exposed").map { $0 + Double(users) }, "\(permission)")
      let rate = try #require(number(known, "grant_rate"))
      func holds(_ row: [String: Any]?) throws -> Bool {
        let interval = try #require(row?["grant_rate"] as? [String: Any])
        return try #require(number(interval, "low")) <= rate && rate <= (try #require(number(interval, "high")))
      }
      #expect(try holds(found) && !holds(before), "\(permission): \(rate)")
    }
    // The app reads the status before it asks for the camera.
    #expect(row(report, "camera")?["exposed"] as? Int == row(former, "camera")?["exposed"] as? Int)
    let compared = try object(
      try Tool.run(["compare", "A", "B", "--permission", "notifications", "--format", "json"] + moment).output)
    let arms = ["a", "b"].compactMap { (compared[$0] as? [String: Any])?["not_asked"] as? Int }
    #expect(arms.count == 2 && arms.reduce(0, +) == 750)
    let experiments = try #require(truth["experiments"] as? [[String: Any]])
    let expected = experiments.first { $0["permission"] as? String == "notifications" }?["not_asked"] as? [String: Any]
    // Messages are drawn half and half: within 4 standard errors.
    #expect(number(expected, "a") == 375 && abs(Double(arms[0]) - 375) < 55)
  }

  /// The onboarding is read as it is written, and its truth has what docs/simulation.md says.
  @Test func theOnboardingIsIngestedAndItsTruthWritten() throws {
    let workspace = try Workspace()
    let (export, log) = (workspace.path("onboarding.ndjson"), workspace.path("log"))
    let made = try Tool.run([
      "simulate", "--onboarding", "--users", "600", "--weeks", "8", "--output", export, "--truth",
      workspace.path("truth.json"),
    ])
    #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
    let summary = try object(
      try Tool.run(["ingest", export, "--log", log, "--strict", "--summary", "json"]).output)
    #expect(number(summary, "rejected") == 0 && number(summary, "ignored_fields") == 0)
    let truth = try object(try workspace.read("truth.json"))
    #expect(
      Set(truth.keys) == [
        "schema", "users", "seed", "weeks", "start", "as_of", "log_start", "time_zone", "response_window_ms", "timing",
        "flow",
        "release", "surfaces",
      ])
    #expect(truth["schema"] as? String == "permlog.onboarding-truth/1")
    // The report's own rates are near those of the truth: the share granted at each screen.
    let asOf = try #require(truth["as_of"] as? String)
    let report = try object(
      try Tool.run(["report", "--log", log, "--as-of", asOf, "--by", "surface", "--format", "json"]).output)
    let rows = try #require(report["rows"] as? [[String: Any]]).filter { $0["week"] is NSNull }
    var (inside, all) = (0, 0)
    for surfaces in try #require(truth["surfaces"] as? [[String: Any]]) {
      for value in try #require(surfaces["values"] as? [[String: Any]]) {
        let row = rows.first {
          $0["permission"] as? String == surfaces["permission"] as? String
            && ($0["by"] as? [String: Any])?["value"] as? String == value["value"] as? String
        }
        #expect(number(row, "pending") == 0)
        let rate = row?["grant_rate"] as? [String: Any]
        guard let truth = number(value, "rate"), let low = number(rate, "low"), let high = number(rate, "high") else {
          continue
        }
        all += 1
        inside += low <= truth && truth <= high ? 1 : 0
      }
    }
    // 10 intervals of a fixed draw: three misses would be less likely than one in fifty.
    #expect(all == 10 && inside >= 8, "\(inside) of \(all)")
  }

  @Test func whatCannotBeDoneIsSaid() throws {
    let workspace = try Workspace()
    let cases: [([String], Int32, String)] = [
      (["--users", "0"], 64, "--users"),
      (["--weeks", "521"], 64, "--weeks"),
      (["--decided-before", "81"], 64, "from 0 to 80"),
      (["--decided-before", "5", "--onboarding"], 64, "does not go with --onboarding"),
      (["--seed", "-1"], 64, "seed"),
      (["--format", "xml"], 64, "ndjson"),
      (["--start", "2026-02-30"], 64, "2026-02-30"),
      (["--start", "2099-12-01", "--weeks", "9"], 64, "2099"),
      (["--output", "x", "--truth", "x"], 64, "same file"),
      (["--output", workspace.path("none/x")], 1, "No such file"),
      (["--truth", workspace.path("none/x")], 1, "--truth"),
      (["--users", "3000", "--output", "/dev/full"], 1, "--output"),
    ]
    for (arguments, status, words) in cases {
      let result = try Tool.run(["simulate"] + arguments)
      #expect(result.status == status, "\(arguments): \(result.status) \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
      #expect(result.output.isEmpty, "\(arguments)")
    }
  }

  @Test func anExportThatEndsInTheFutureIsPointedOut() throws {
    let result = try Tool.run(["simulate", "--users", "2", "--weeks", "2", "--start", "2098-01-06"])
    #expect(result.status == 0 && result.errors.contains("--allow-future"))
  }

  @Test func aClosedPipeEndsQuietly() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "\"\(Tool.path)\" simulate --users 4000 | head -1 >/dev/null"]
    let errors = Pipe()
    shell.standardError = errors
    try shell.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(text.isEmpty, "\(text)")
  }
}
