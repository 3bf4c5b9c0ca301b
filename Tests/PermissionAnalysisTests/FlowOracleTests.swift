// Flows in this process against the brute-force reading of the contract, on seeded random histories: every figure, one range of
// the users' hashes and several, one thread and two, and sums that went through their tables.

import Folding
import Foundation
import PermissionEvents
import ReportOracle
import ReportRendering
import Testing

@testable import PermissionAnalysis

@Suite struct FlowOracleTests {
  /// Histories a test case: a case prints its seed if it fails, and so does each history.
  static let histories = 20
  /// `PERMLOG_FLOW_HISTORIES=2000` looks at more of them.
  static let seeds: [UInt64] = {
    let count = ProcessInfo.processInfo.environment["PERMLOG_FLOW_HISTORIES"].flatMap { UInt64($0) } ?? 240
    return TestSeeds.some(stride(from: 5000, to: 5000 + count, by: histories).map { $0 })
  }()

  @Test(arguments: seeds) func flowsEqualTheOracle(firstSeed: UInt64) throws {
    for seed in firstSeed..<firstSeed + UInt64(Self.histories) {
      let generator = FlowHistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
      let events = generator.history(users: 4 + Int(seed % 9) * 3)
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      var options = generator.options(for: events)
      options.timeZone = try #require(TimeZone(identifier: FoldOracleTests.zones[Int(seed % 4)]))
      options.asOf = options.asOf ?? Int(log.newest)
      let question = try FlowQuestion(options, log)
      let sums = try log.read(question.windows, question.selection, seed) { FlowFold(question, contexts: $0) }.sums
      let report = FlowJSON.render(try FlowReport(sums, question))
      let found = differences(oracleFlow(events, options), try OracleJSON(parsing: Data(report)))
      #expect(found.isEmpty, "seed \(seed), \(options): \(found.prefix(8))")
    }
  }

  /// A log has room or has none, however many threads count.
  @Test func theRoomOfListsDoesNotDependOnThreads() throws {
    let events = FlowHistoryGenerator(seed: 3).history(users: 300)
    let log = try OracleLog(events, parts: 2)
    var question = try FlowQuestion(OracleFlowOptions(), log)
    var outcomes: Set<Bool> = []
    for bytes in stride(from: 1000, through: 150_000, by: 3000) {
      question.room.bytes = bytes
      let asked = question
      let hasRoom = [1, 2, 3].map { threads in
        do {
          let sums = try log.fold(asked.selection, ranges: 1, threads: threads) { FlowFold(asked, contexts: $0) }
          return (try? FlowReport(sums, asked)) != nil
        } catch { return false }
      }
      #expect(Set(hasRoom).count == 1, "\(bytes) bytes: \(hasRoom)")
      outcomes.formUnion(hasRoom)
    }
    #expect(outcomes == [true, false])
  }
}

extension FlowQuestion {
  init(_ options: OracleFlowOptions, _ log: OracleLog) throws {
    var windows = AnalysisWindows(asOf: options.asOf, response: options.responseWindow, followUp: 0, log)
    windows.atOnce = Milliseconds(options.atOnce)
    var span = OracleOptions(timeZone: options.timeZone)
    (span.week, span.from, span.to) = (options.week, options.from, options.to)
    let base = ReportQuestion(span, log)
    self.init(windows: windows, zone: base.zone)
    (from, to) = (base.from, base.to)
    conditions = try options.conditions.map { try ExposureCondition(parsing: $0.text) }
    (steps, permission) = (options.steps, options.permission)
  }
}
