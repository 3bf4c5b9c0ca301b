// Audits in this process against the brute-force reading of the contract, on seeded random histories: every count, share and cost,
// one range of the users' hashes and several, one thread and two, and sums that went through their tables.

import Folding
import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

@Suite struct AuditOracleTests {
  /// Histories a test case: a case prints its seed if it fails, and so does each history.
  static let histories = 20
  /// `PERMLOG_AUDIT_HISTORIES=4000` looks at more of them.
  static let seeds: [UInt64] = {
    let count = ProcessInfo.processInfo.environment["PERMLOG_AUDIT_HISTORIES"].flatMap { UInt64($0) } ?? 200
    return stride(from: 7000, to: 7000 + count, by: histories).map { $0 }
  }()

  @Test(arguments: seeds) func findingsEqualTheOracle(firstSeed: UInt64) throws {
    for seed in firstSeed..<firstSeed + UInt64(Self.histories) {
      let generator = AuditHistoryGenerator(seed: seed, hasCalls: seed % 4 < 2)
      let events = generator.history(users: [3, 12, 40, 90][Int(seed % 4)])
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      var options = generator.options(for: events)
      options.timeZone = try #require(TimeZone(identifier: FoldOracleTests.zones[Int(seed / 4 % 4)]))
      options.hash = { id in Array(id.utf8).withUnsafeBytes { UserHash.of($0) } }
      options.asOf = options.asOf ?? Int(log.newest)
      let question = try AuditQuestion(options, log)
      let sums = try log.read(question.windows, question.selection, seed) { AuditFold(question, contexts: $0) }.sums
      let report = try AuditReport(sums, question)
      let found = differences(oracleAudit(events, options), report.countedFindings)
      #expect(found.isEmpty, "seed \(seed), \(options): \(found.prefix(8))")
    }
  }

  /// The histories must have journeys that each finding holds for, and others that it does not.
  @Test func historiesReachEveryCheck() throws {
    var reached: [String: (with: Int, without: Int)] = [:]
    for seed in 7000..<7080 as Range<UInt64> {
      let events = AuditHistoryGenerator(seed: seed).history(users: 40)
      guard case .object(let lists) = oracleAudit(events, OracleAuditOptions()) else { continue }
      for list in lists {
        guard case .array(let findings) = list.value else { continue }
        for finding in findings {
          guard case .string(let id)? = finding["id"], case .int(let users)? = finding["users"] else { continue }
          reached[id, default: (0, 0)].with += users
          if case .int(let of)? = finding["of"] { reached[id, default: (0, 0)].without += of - users }
        }
      }
    }
    for check in oracleAuditChecks {
      let (with, without) = reached[check] ?? (0, 0)
      #expect(with > 50 && (without > 50 || check == "one_sided_answers"), "\(check): \(with), \(without)")
    }
  }

  /// A log has room or has none, however many threads count.
  @Test func theRoomOfPermissionsDoesNotDependOnThreads() throws {
    let events = AuditHistoryGenerator(seed: 3).history(users: 120)
    let log = try OracleLog(events, parts: 2)
    var options = OracleAuditOptions()
    options.examples = 5
    var question = try AuditQuestion(options, log)
    var outcomes: Set<Bool> = []
    for bytes in stride(from: 500, through: 200_000, by: 8000) {
      question.room.bytes = bytes
      let asked = question
      let hasRoom = [1, 2, 3].map { threads in
        do {
          let sums = try log.fold(asked.selection, ranges: 1, threads: threads) { AuditFold(asked, contexts: $0) }
          return (try? AuditReport(sums, asked)) != nil
        } catch { return false }
      }
      #expect(Set(hasRoom).count == 1, "\(bytes) bytes: \(hasRoom)")
      outcomes.formUnion(hasRoom)
    }
    #expect(outcomes == [true, false])
  }
}

extension AuditQuestion {
  init(_ options: OracleAuditOptions, _ log: OracleLog) throws {
    var span = OracleOptions(timeZone: options.timeZone)
    (span.from, span.to) = (options.from, options.to)
    let base = ReportQuestion(span, log)
    self.init(
      asOf: options.asOf.map { Milliseconds($0) } ?? log.newest, zone: base.zone,
      logStart: options.logStart.map { Milliseconds($0) } ?? log.oldest)
    (from, to) = (base.from, base.to)
    conditions = try options.conditions.map { try ExposureCondition(parsing: $0.text) }
    examples = options.examples
    permission = options.permission
    for (id, millionths) in options.thresholds {
      thresholds[AuditCheck(rawValue: id) ?? .coldAsk] = AuditThreshold(perMillion: Int64(millionths))
    }
  }
}

extension AuditReport {
  /// The findings that are counted of journeys, as the oracle has them.
  var countedFindings: OracleJSON {
    let ids = Set(oracleAuditChecks)
    return [
      "findings": .array(findings.filter { ids.contains($0.check.rawValue) }.map(Self.json)),
      "others": .array(others.filter { ids.contains($0.check.rawValue) }.map(Self.json)),
    ]
  }

  private static func json(_ finding: AuditFinding) -> OracleJSON {
    func rate(_ estimate: Estimate?) -> OracleJSON {
      guard let estimate else { return .null }
      func number(_ value: Double?) -> OracleJSON { value.map { .double($0) } ?? .null }
      return ["value": .double(estimate.value), "low": number(estimate.low), "high": number(estimate.high)]
    }
    func whole(_ value: Int64?) -> OracleJSON { value.map { .int(Int($0)) } ?? .null }
    let shown: OracleJSON = [
      "id": .string(finding.check.rawValue), "severity": .string(finding.severity.name),
      "permission": finding.permission.map { .string($0) } ?? .null, "users": whole(finding.users),
      "of": whole(finding.of), "share": rate(finding.share), "cost": rate(finding.cost),
      "examples": .array(finding.examples.map { .string($0) }),
    ]
    guard case .object(let members) = shown, let why = finding.leftOut else { return shown }
    return .object(members + [OracleMember(key: "left_out", value: .string(why.rawValue))])
  }
}
