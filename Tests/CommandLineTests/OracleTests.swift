// The report of the built tool against the brute-force reading of the contract, on seeded random
// histories: ties within a millisecond, duplicates, every kind and status, gaps of exactly W, H and S and
// one millisecond either way, days of changing clocks, users without screens.

import Foundation
import ReportOracle
import Testing

@Suite struct OracleTests {
  static let zones = ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"]
  /// Logs of 60 users each, four reports of each log.
  static let seeds: [UInt64] = TestSeeds.some((1...28).map { UInt64($0) })

  @Test(arguments: seeds) func reportEqualsOracle(seed: UInt64) throws {
    let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
    // Of several ingests the first copy of an event stays, and the oracle knows one ingest.
    let events = leastFirst(generator.history(users: 60))
    let workspace = try Workspace()
    let log = workspace.path("log")
    // One to three ingests, one after the other: so many parts have to be merged.
    let pieces = Int(seed % 3) + 1
    for n in 0..<pieces {
      let piece = events[events.count * n / pieces..<events.count * (n + 1) / pieces]
      let file = try workspace.write("events-\(n).ndjson", piece.map { ndjsonLine($0) + "\n" }.joined())
      let ingested = try Tool.run(["ingest", file, "--log", log, "--allow-future"])
      #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    }
    for (number, zone) in Self.zones.enumerated() {
      var options = generator.options(for: events, variation: Int(seed) * 4 + number)
      options.timeZone = try #require(TimeZone(identifier: zone))
      options.beginWeeks(on: ["monday", "sunday", "monday", "saturday"][(number + Int(seed)) % 4])
      let expected = oracleReport(events, options)
      let arguments = ["report", "--log", log, "--format", "json"] + Self.arguments(options, zone: zone)
      let result = try Tool.run(arguments)
      #expect(result.status == 0, "seed \(seed): \(result.errors)")
      let found = differences(expected, try OracleJSON(parsing: result.output))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(12))")
      if number == 1 {
        let single = try Tool.run(arguments + ["--threads", "1"])
        #expect(single.output == result.output, "seed \(seed): one thread and two differ")
      }
    }
  }

  static func arguments(_ options: OracleOptions, zone: String) -> [String] {
    var arguments = ["--time-zone", zone]
    arguments += ["--response-window", "\(options.responseWindow)ms", "--follow-up", "\(options.followUp)ms"]
    for (name, moment) in [("--as-of", options.asOf), ("--log-start", options.logStart)] {
      guard let moment else { continue }
      let text = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(moment / 1000)))
      arguments += [name, text.dropLast() + "." + String(format: "%03d", moment % 1000) + "Z"]
    }
    for (name, value) in [
      ("--week-start", options.weekStart == "monday" ? nil : options.weekStart), ("--week", options.week),
      ("--from", options.from), ("--to", options.to), ("--permission", options.permission),
      ("--by", options.by), ("--by", options.by2), ("--by-limit", options.byLimit.map { String($0) }),
    ] {
      if let value { arguments += [name, value] }
    }
    if options.atOnce != 250 { arguments += ["--at-once", "\(options.atOnce)ms"] }
    for condition in options.conditions { arguments += ["--where", condition.text] }
    return arguments
  }
}
