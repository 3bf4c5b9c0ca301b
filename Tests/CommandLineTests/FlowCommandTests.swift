// `permlog flow` of the built tool against the brute-force reading of the contract, in four time zones, and its options.

import Foundation
import ReportOracle
import Testing

@Suite struct FlowCommandTests {
  @Test(arguments: TestSeeds.some((1...16).map { UInt64($0) })) func flowsEqualTheOracle(seed: UInt64) throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let events = FlowHistoryGenerator(seed: seed, hasCalls: seed % 4 < 3).history(users: 60)
    for half in [events.prefix(events.count / 2), events.dropFirst(events.count / 2)] {
      let ingested = try Tool.run(
        ["ingest", "-", "--format", "ndjson", "--log", log, "--allow-future", "--allow-custom-permissions"],
        input: Data(half.map { ndjsonLine($0) + "\n" }.joined().utf8))
      #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    }
    for (number, zone) in OracleTests.zones.enumerated() {
      var options = FlowHistoryGenerator(seed: seed * 4 + UInt64(number)).options(for: events)
      options.timeZone = try #require(TimeZone(identifier: zone))
      options.beginWeeks(on: ["monday", "sunday", "monday", "saturday"][(number + Int(seed)) % 4])
      let arguments = ["flow", "--log", log, "--format", "json"] + Self.arguments(options, zone: zone)
      let result = try Tool.run(arguments)
      #expect(result.status == 0, "seed \(seed): \(result.errors)")
      let found = differences(oracleFlow(events, options), try OracleJSON(parsing: result.output))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(8))")
      if number == 1 { #expect(try Tool.run(arguments + ["--threads", "1"]).output == result.output, "seed \(seed)") }
    }
  }

  private static func arguments(_ options: OracleFlowOptions, zone: String) -> [String] {
    var other = OracleOptions(asOf: options.asOf)
    other.beginWeeks(on: options.weekStart)
    (other.week, other.from, other.to, other.permission) = (options.week, options.from, options.to, options.permission)
    other.responseWindow = options.responseWindow
    var arguments = OracleTests.arguments(other, zone: zone)
    if let place = arguments.firstIndex(of: "--follow-up") { arguments.removeSubrange(place...place + 1) }
    for condition in options.conditions { arguments += ["--where", condition.text] }
    return options.steps.isEmpty ? arguments : arguments + ["--steps", options.steps.joined(separator: ",")]
  }

  private func sample() throws -> (workspace: Workspace, log: String) {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let events = FlowHistoryGenerator(seed: 2).history(users: 200)
    let ingested = try Tool.run(
      ["ingest", "-", "--format", "ndjson", "--log", log, "--allow-future", "--allow-custom-permissions"],
      input: Data(events.map { ndjsonLine($0) + "\n" }.joined().utf8))
    #expect(ingested.status == 0)
    return (workspace, log)
  }

  @Test func textIsOneScreenAndAFileHasItsFormat() throws {
    let (workspace, log) = try sample()
    let screen = try Tool.run(["flow", "--log", log, "--steps", "notifications,camera"])
    #expect(screen.status == 0 && screen.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
    #expect(screen.text.contains("--full") && screen.text.contains("Completed notifications, then camera"))
    let full = try Tool.run(["flow", "--log", log, "--full"])
    #expect(full.status == 0 && full.text.utf8.count > screen.text.utf8.count)
    for (name, start) in [("x.html", "<!DOCTYPE"), ("x.json", "{"), ("x.csv", "table,week"), ("x.md", "## Flows")] {
      let result = try Tool.run(["flow", "--log", log, "--output", workspace.path(name)])
      #expect(result.status == 0 && result.output.isEmpty)
      #expect(String(decoding: try workspace.read(name), as: UTF8.self).hasPrefix(start))
    }
    #expect(try Tool.run(["flow", "--log", log, "--output", log + "/manifest"]).status == 64)
  }

  @Test func whatCannotBeAskedIsRefused() throws {
    let (workspace, log) = try sample()
    // The log goes with it.
    defer { withExtendedLifetime(workspace) {} }
    for (options, words) in [
      (["--steps", "notifications,homekit"], "--steps: the log has no permission homekit. It has: "),
      (["--steps", "camera,notifications,camera"], "--steps: camera occurs twice"),
      (["--steps", "camera,,tracking"], "--steps: it needs names"),
      (["--steps", "a,b,c,d,e,f,g,h,i"], "at most 8"),
      (["--permission", "homekit"], "the log has no permission homekit"),
      (["--where", "country"], "quotes"), (["--follow-up", "3d"], "follow-up"),
      (["--title", "x"], "--title is for"), (["--week", "2026-W10", "--from", "2026-03-01"], "--week"),
      (["--steps", "camera", "--steps", "tracking"], "twice"),
    ] {
      let result = try Tool.run(["flow", "--log", log] + options)
      #expect(result.status == 64 && result.errors.contains(words), "\(options): \(result.errors)")
    }
  }
}
