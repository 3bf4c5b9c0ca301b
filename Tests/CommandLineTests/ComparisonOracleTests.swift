// The comparison of the built tool against the brute-force reading of the contract, on the seeded histories that the
// report is held to: every variant, metric, policy and property, one part and several, one thread and two.

import Foundation
import ReportOracle
import Testing

@Suite struct ComparisonOracleTests {
  static let metrics = [
    "grant_rate", "granted_by_day_28", "deny_rate", "skip_rate", "drop_off_rate", "prompt_grant_rate",
    "retention_day_7",
  ]
  static let variants = [
    ["A", "B"], ["B", "A"], ["B", "A", "\u{E9}"], ["\u{E9}", "e\u{301}"], ["A", "e\u{301}", "B"],
  ]
  static let properties = ["surface", "feature", "app_version", "platform", "locale", "experiment", "country"]
  static let seeds: [UInt64] = (101...108).map { UInt64($0) }

  @Test(arguments: seeds) func comparisonEqualsOracle(seed: UInt64) throws {
    let generator = HistoryGenerator(seed: seed)
    let events = generator.history(users: 90)
    let workspace = try Workspace()
    let log = workspace.path("log")
    // Two parts: a user's events lie in both.
    let half = events.count / 2
    for (name, part) in [("a", events.prefix(half)), ("b", events.dropFirst(half))] where seed % 2 == 0 || name == "a" {
      let lines = (seed % 2 == 0 ? Array(part) : events).map { ndjsonLine($0) + "\n" }.joined()
      let file = try workspace.write("\(name).ndjson", lines)
      let ingested = try Tool.run(["ingest", file, "--log", log, "--allow-future"])
      #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    }
    for variation in 0..<4 {
      let number = Int(seed) * 4 + variation
      var options = OracleComparisonOptions(
        permission: "notifications", variants: Self.variants[number % Self.variants.count])
      let windows = generator.options(for: events, variation: number)
      options.timeZone = windows.timeZone
      options.responseWindow = windows.responseWindow
      options.followUp = windows.followUp
      options.asOf = windows.asOf
      options.metric = Self.metrics[number % Self.metrics.count]
      options.policy = number % 3 == 0 ? "exclude" : "first"
      options.experiment = number % 4 == 1 ? "exp-1" : nil
      options.by = variation > 0 ? Self.properties[number % Self.properties.count] : nil
      options.conditions = windows.conditions
      let expected = oracleComparison(events, options)
      let arguments = ["compare"] + options.variants + ["--log", log, "--format", "json"] + Self.arguments(options)
      let result = try Tool.run(arguments)
      if isRefused(events, options) {
        #expect(result.status == 64 && result.errors.contains("no activity events"), "seed \(seed)")
        continue
      }
      #expect(result.status == 0, "seed \(seed): \(result.errors)")
      let actual = try OracleJSON(parsing: result.output)
      let found = differences(expected, actual.withKeys(of: expected))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(12))")
      if variation == 1 {
        let single = try Tool.run(arguments + ["--threads", "1"])
        #expect(single.output == result.output, "seed \(seed): one thread and two differ")
      }
    }
  }

  static func arguments(_ options: OracleComparisonOptions) -> [String] {
    var report = OracleOptions(timeZone: options.timeZone, asOf: options.asOf)
    report.responseWindow = options.responseWindow
    report.followUp = options.followUp
    report.conditions = options.conditions
    let zone = options.timeZone.identifier == "GMT" ? "UTC" : options.timeZone.identifier
    var arguments = OracleTests.arguments(report, zone: zone)
    arguments += [
      "--permission", options.permission, "--metric", options.metric, "--contaminated", options.policy,
    ]
    if let experiment = options.experiment { arguments += ["--experiment", experiment] }
    if let by = options.by { arguments += ["--by", by] }
    return arguments
  }
}
