// The audit of the built tool against the brute-force reading of the contract, on seeded random histories.

import Foundation
import ReportOracle
import Testing

@Suite struct AuditOracleTests {
  static let seeds: [UInt64] = (1...8).map { UInt64($0) }

  @Test(arguments: seeds) func auditEqualsOracle(seed: UInt64) throws {
    let generator = AuditHistoryGenerator(seed: seed, hasCalls: seed % 4 < 2)
    let events = generator.history(users: 80)
    let workspace = try Workspace()
    let log = workspace.path("log")
    let pieces = Int(seed % 3) + 1
    for n in 0..<pieces {
      let piece = events[events.count * n / pieces..<events.count * (n + 1) / pieces]
      let file = try workspace.write("events-\(n).ndjson", piece.map { ndjsonLine($0) + "\n" }.joined())
      let ingested = try Tool.run([
        "ingest", file, "--log", log, "--allow-future", "--allow-custom-permissions",
      ])
      #expect(ingested.status == 0, "seed \(seed): \(ingested.errors)")
    }
    for zone in OracleTests.zones {
      var options = generator.options(for: events)
      options.timeZone = try #require(TimeZone(identifier: zone))
      // The order of ids within a log is the log's own; the folds' tests look at examples.
      options.examples = 0
      let arguments = ["audit", "--log", log, "--format", "json", "--all"] + Self.arguments(options, zone: zone)
      let result = try Tool.run(arguments)
      #expect(result.status == 0, "seed \(seed): \(result.errors)")
      let expected = oracleAudit(events, options)
      let found = differences(expected, try OracleJSON(parsing: result.output).counted(like: expected))
      #expect(found.isEmpty, "seed \(seed), \(arguments.joined(separator: " ")): \(found.prefix(12))")
    }
  }

  private static func arguments(_ options: OracleAuditOptions, zone: String) -> [String] {
    var arguments = ["--time-zone", zone]
    for (name, moment) in [("--as-of", options.asOf), ("--log-start", options.logStart)] {
      guard let moment else { continue }
      let text = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(moment / 1000)))
      arguments += [name, text.dropLast() + "." + String(format: "%03d", moment % 1000) + "Z"]
    }
    for (name, value) in [("--from", options.from), ("--to", options.to), ("--permission", options.permission)] {
      if let value { arguments += [name, value] }
    }
    for condition in options.conditions { arguments += ["--where", condition.text] }
    for (id, millionths) in options.thresholds.sorted(by: { $0.key < $1.key }) {
      arguments += ["--threshold", "\(id)=\(Double(millionths) / 10_000)"]
    }
    return arguments
  }
}

extension OracleJSON {
  /// The findings that are counted of journeys, with the keys that the oracle has.
  fileprivate func counted(like expected: OracleJSON) -> OracleJSON {
    func list(_ name: String) -> OracleJSON {
      guard case .array(let findings)? = self[name] else { return .null }
      let own = findings.filter { finding in
        if case .string(let id)? = finding["id"] { oracleAuditChecks.contains(id) } else { false }
      }
      let words: Set<String> = ["sentence", "advice", "reference", "locations"]
      return .array(
        own.map { finding in
          guard case .object(let members) = finding else { return finding }
          return .object(members.filter { !words.contains($0.key) })
        })
    }
    return ["findings": list("findings"), "others": list("others")]
  }
}
