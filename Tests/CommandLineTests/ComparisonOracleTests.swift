// The comparison of the built tool against the brute-force reading of the contract, on the seeded histories that the
// report is held to: every variant, metric, policy and property, one part and several, one thread and two.

import Foundation
import ReportOracle
import Testing

@Suite struct ComparisonOracleTests {
  static let metrics = [
    "grant_rate", "granted_by_day_28", "deny_rate", "skip_rate", "drop_off_rate", "prompt_grant_rate",
    "retention_day_7", "kept_by_day_28",
  ]

  /// The numbers of the other choices have no factor in common with 11.
  private static func metric(_ number: Int) -> String { metrics[number % 11 % metrics.count] }

  static let variants = [
    ["A", "B"], ["B", "A"], ["B", "A", "\u{E9}"], ["\u{E9}", "e\u{301}"], ["A", "e\u{301}", "B"],
  ]
  static let properties = ["surface", "feature", "app_version", "platform", "locale", "experiment", "country"]
  static let seeds: [UInt64] = TestSeeds.some((101...108).map { UInt64($0) })

  @Test(arguments: seeds) func comparisonEqualsOracle(seed: UInt64) throws {
    let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
    // Of two ingests the first copy of an event stays, and the oracle knows one ingest.
    let events = leastFirst(generator.history(users: 90))
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
      options.metric = Self.metric(number)
      options.policy = number % 3 == 0 ? "exclude" : "first"
      options.experiment = number % 4 == 1 ? "exp-1" : nil
      options.by = variation > 0 ? Self.properties[number % Self.properties.count] : nil
      // None on what is compared: it would leave out one side of it.
      options.conditions = windows.conditions.filter { $0.property != "variant" }
      if number % 2 == 1 { (options.from, options.to) = Self.dates(of: events, number) }
      let expected = oracleComparison(events, options)
      let arguments = ["compare"] + options.variants + ["--log", log, "--format", "json"] + Self.arguments(options)
      let result = try Tool.run(arguments)
      if isRefused(events, options) {
        #expect(result.status == 64 && result.errors.contains("this log has no "), "seed \(seed)")
        continue
      }
      if areOfSettingsPromptsAlone(events, options) {
        #expect(result.status == 64 && result.errors.contains("only Settings prompts do"), "seed \(seed): \(arguments)")
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

  // MARK: Settings messages

  @Test(arguments: TestSeeds.some((301...308).map { UInt64($0) })) func comparisonOfSettingsMessagesEqualsOracle(
    seed: UInt64
  ) throws {
    let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3, hasSettingsPrompts: true)
    let events = generator.history(users: 60)
    let workspace = try Workspace()
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    let ingested = try Tool.run(["ingest", file, "--log", log, "--allow-future"])
    #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    let metrics = ["settings_enabled", "settings_opened", "retention_day_7"]
    for variation in 0..<6 {
      let number = Int(seed) * 6 + variation
      var options = OracleComparisonOptions(
        permission: "notifications", variants: Self.variants[number % Self.variants.count])
      options.screen = "settings"
      let windows = generator.options(for: events, variation: number)
      options.timeZone = windows.timeZone
      options.responseWindow = windows.responseWindow
      options.asOf = windows.asOf
      options.metric = metrics[number % 3]
      options.policy = number % 4 == 0 ? "exclude" : "first"
      options.experiment = number % 4 == 1 ? "exp-1" : nil
      options.by = variation > 2 ? Self.properties[number % Self.properties.count] : nil
      options.conditions = windows.conditions.filter { $0.property != "variant" }
      if number % 3 == 1 { (options.from, options.to) = Self.dates(of: events, number) }
      if variation == 5 { (options.property, options.variants) = ("locale", ["de_DE", "en-US"]) }
      if options.by == options.property { options.by = nil }
      if variation == 5 { (options.policy, options.conditions) = ("first", []) }
      let expected = oracleComparison(events, options)
      var arguments = ["compare"] + options.variants + ["--screen", "settings", "--log", log, "--format", "json"]
      arguments += Self.arguments(options).filter { variation < 5 || !["--contaminated", "first"].contains($0) }
      if variation == 5 { arguments += ["--property", "locale"] }
      let result = try Tool.run(arguments)
      if isRefused(events, options) {
        #expect(result.status == 64 && result.errors.contains("this log has no "), "seed \(seed)")
        continue
      }
      #expect(result.status == 0, "seed \(seed), \(arguments.joined(separator: " ")): \(result.errors)")
      let actual = try OracleJSON(parsing: result.output)
      let found = differences(expected, actual.withKeys(of: expected))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(12))")
    }
  }

  // MARK: Values of any property

  /// Two or three values of each that the histories have, some of them made here: the generator knows one of theirs alone.
  static let compared: [(property: String, values: [String])] = [
    ("app_version", ["1.9", "1.10", "2.0"]), ("os_version", ["26.1", "18.0"]), ("platform", ["android", "ios"]),
    ("locale", ["de_DE", "en-US"]), ("country", ["DE", "de", "US"]), ("surface", ["settings", "onboarding"]),
    ("feature", ["map", "list"]), ("experiment", ["exp-1", "exp-2"]), ("variant", ["B", "A"]),
  ]

  /// Copies of an event stay copies.
  private static func withMoreValues(_ event: OracleEvent) -> OracleEvent {
    var event = event
    guard (event.timestamp / 1000 + event.userID.utf8.count) % 3 == 0 else { return event }
    if event.feature != nil { event.feature = "list" }
    if event.osVersion != nil { event.osVersion = "18.0" }
    if event.platform != nil { event.platform = "android" }
    if event.experiment != nil { event.experiment = "exp-2" }
    return event
  }

  @Test(arguments: TestSeeds.some((201...208).map { UInt64($0) })) func comparisonOfAnyPropertyEqualsOracle(
    seed: UInt64
  ) throws {
    let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
    let events = generator.history(users: 90).map(Self.withMoreValues)
    let workspace = try Workspace()
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", events.map { ndjsonLine($0) + "\n" }.joined())
    let ingested = try Tool.run(["ingest", file, "--log", log, "--allow-future"])
    #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    for (place, compared) in Self.compared.enumerated() {
      let number = Int(seed) * 9 + place
      let count = 2 + number % 2
      var options = OracleComparisonOptions(
        permission: "notifications", variants: Array(compared.values.prefix(count)))
      options.property = compared.property
      let windows = generator.options(for: events, variation: number)
      options.timeZone = windows.timeZone
      options.responseWindow = windows.responseWindow
      options.followUp = windows.followUp
      options.asOf = windows.asOf
      options.metric = Self.metric(number)
      options.experiment = number % 4 == 1 && compared.property != "experiment" ? "exp-1" : nil
      let by = Self.properties[number % Self.properties.count]
      options.by = number % 3 == 0 && by != compared.property ? by : nil
      let expected = oracleComparison(events, options)
      var arguments = ["compare"] + options.variants + ["--property", options.property, "--log", log]
      arguments += ["--format", "json"] + Self.arguments(options).filter { !["--contaminated", "first"].contains($0) }
      let result = try Tool.run(arguments)
      if isRefused(events, options) {
        #expect(result.status == 64 && result.errors.contains("this log has no "), "seed \(seed)")
        continue
      }
      #expect(result.status == 0, "seed \(seed), \(arguments.joined(separator: " ")): \(result.errors)")
      let actual = try OracleJSON(parsing: result.output)
      let found = differences(expected, actual.withKeys(of: expected))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(12))")
    }
  }

  /// A third of the log's time, from its second third on, or a side of it.
  static func dates(of events: [OracleEvent], _ number: Int) -> (from: String?, to: String?) {
    guard let first = events.map(\.timestamp).min(), let last = events.map(\.timestamp).max() else { return (nil, nil) }
    func day(_ third: Int) -> String {
      let formatter = DateFormatter()
      formatter.timeZone = .gmt
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd"
      let moment = first + (last - first) * third / 3 + third * 86_400_000
      return formatter.string(from: Date(timeIntervalSince1970: Double(moment) / 1000))
    }
    return (number % 5 == 0 ? nil : day(1), number % 7 < 4 ? day(2) : nil)
  }

  static func arguments(_ options: OracleComparisonOptions) -> [String] {
    var report = OracleOptions(timeZone: options.timeZone, asOf: options.asOf)
    report.responseWindow = options.responseWindow
    report.followUp = options.followUp
    report.atOnce = options.atOnce
    report.conditions = options.conditions
    let zone = options.timeZone.identifier == "GMT" ? "UTC" : options.timeZone.identifier
    var arguments = OracleTests.arguments(report, zone: zone)
    arguments += [
      "--permission", options.permission, "--metric", options.metric, "--contaminated", options.policy,
    ]
    if let experiment = options.experiment { arguments += ["--experiment", experiment] }
    if let by = options.by { arguments += ["--by", by] }
    if let from = options.from { arguments += ["--from", from] }
    if let to = options.to { arguments += ["--to", to] }
    return arguments
  }
}
