// The folds and the figures in this process against the brute-force reading of the contract, on seeded random histories:
// the same oracle that the built tool is held to, on more and smaller histories, also under AddressSanitizer.
//
// For each history and question:
// 1. every figure is the oracle's;
// 2. one range of the users' hashes and several, one thread and two, give the same sums, integer by integer;
// 3. so do groups that lie flat and groups that are packed, and rows that are kept and rows that are made when they are written;
// 4. sums that went through their tables, as files of sums have them, are the same.

import Folding
import Foundation
import PermissionEvents
import ReportOracle
import ReportRendering
import Testing

@testable import PermissionAnalysis

@Suite struct FoldOracleTests {
  /// Histories a test case: a case prints its seed if it fails, and so does each history.
  static let histories = 8
  static let reportSeeds = TestSeeds.some(stride(from: UInt64(1000), to: 1240, by: histories).map { $0 })
  static let comparisonSeeds = TestSeeds.some(stride(from: UInt64(2000), to: 2120, by: histories).map { $0 })
  static let settingsSeeds = TestSeeds.some(stride(from: UInt64(2200), to: 2296, by: histories).map { $0 })
  static let zones = ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"]
  static let variants = [
    ["A", "B"], ["B", "A"], ["B", "A", "\u{E9}"], ["\u{E9}", "e\u{301}"], ["A", "e\u{301}", "B"],
  ]

  @Test(arguments: reportSeeds) func reportEqualsOracle(firstSeed: UInt64) throws {
    for seed in firstSeed..<firstSeed + UInt64(Self.histories) {
      let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
      let events = generator.history(users: 4 + Int(seed % 7) * 4)
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      var options = generator.options(for: events, variation: Int(seed))
      options.timeZone = try #require(TimeZone(identifier: Self.zones[Int(seed % 4)]))
      options.by = seed % 3 == 0 ? oracleProperties[Int(seed / 3) % oracleProperties.count] : nil
      let others = oracleProperties.filter { $0 != options.by }
      options.by2 = options.by == nil || seed % 4 == 0 ? nil : others[Int(seed / 12) % others.count]
      options.byLimit = options.by == nil || seed % 2 == 0 ? nil : 1 + Int(seed / 6) % 3
      options.asOf = options.asOf ?? Int(log.newest)
      var asked = ReportQuestion(options, log)
      // Groups that lie flat, groups that are packed again and again; rows that are kept, and rows that are made one by one.
      if seed % 4 > 1 { asked.room.groups = 1 + Int(seed / 4) % 5 }
      if seed % 5 > 2 { asked.room.rows = 0 }
      let question = asked
      var (sums, calls) = try log.read(question.windows, question.selection, seed) {
        ReportFold(question, contexts: $0)
      }
      sums.calls = calls
      let report = try Report(
        sums, question, threads: 1, isForCharts: seed % 2 == 0, reading: CallReading(calls))
      let found = differences(
        oracleReport(events, options), try OracleJSON(parsing: Data(ReportJSON.render(report, threads: 1))))
      #expect(found.isEmpty, "seed \(seed), \(options): \(found.prefix(12))")
    }
  }

  @Test(arguments: comparisonSeeds) func comparisonEqualsOracle(firstSeed: UInt64) throws {
    try compare(firstSeed, .permission)
  }

  @Test(arguments: settingsSeeds) func comparisonOfSettingsMessagesEqualsOracle(firstSeed: UInt64) throws {
    let found = try compare(firstSeed, .settings)
    #expect(found > 15, "seeds from \(firstSeed): only \(found) users saw a Settings message")
  }

  /// - Returns: the users of all arms of all histories.
  @discardableResult
  private func compare(_ firstSeed: UInt64, _ screen: MessageScreen) throws -> Int {
    var found = 0
    for seed in firstSeed..<firstSeed + UInt64(Self.histories) {
      let generator = HistoryGenerator(
        seed: seed, hasCalls: seed % 4 < 3, hasSettingsPrompts: screen == .settings)
      let events = generator.history(users: 10 + Int(seed % 5) * 8)
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      let number = Int(seed)
      let windows = generator.options(for: events, variation: number)
      var options = OracleComparisonOptions(
        permission: "notifications", variants: Self.variants[number % Self.variants.count])
      options.timeZone = windows.timeZone
      options.responseWindow = windows.responseWindow
      options.followUp = windows.followUp
      options.atOnce = windows.atOnce
      options.asOf = windows.asOf ?? Int(log.newest)
      options.screen = screen.rawValue
      // Longer than the settings window.
      if screen == .settings, number % 5 == 0 { options.responseWindow = 10 * 86_400_000 }
      options.metric = screen.metrics[number % screen.metrics.count].rawValue
      options.policy = number % 3 == 0 ? "exclude" : "first"
      options.experiment = number % 4 == 1 ? "exp-1" : nil
      // The variant itself cannot be the property.
      options.by = number % 2 == 0 ? oracleProperties.dropFirst()[1 + number / 2 % (oracleProperties.count - 1)] : nil
      options.conditions = windows.conditions
      let question = ComparisonQuestion(options, log)
      var (sums, calls) = try log.read(question.windows, question.selection, seed) {
        ComparisonFold(question, contexts: $0)
      }
      sums.calls = calls
      let counted = sums
      if isRefused(events, options) {
        #expect(throws: EvidenceError.self, "seed \(seed)") { try ComparisonSet(counted, question) }
        continue
      }
      let expected = oracleComparison(events, options)
      let set = try ComparisonSet(sums, question)
      found += set.arms.reduce(0) { $0 + $1.exposed }
      let actual = try OracleJSON(parsing: Data(ComparisonJSON.render(set)))
      let wrong = differences(expected, actual.withKeys(of: expected))
      #expect(wrong.isEmpty, "seed \(seed), \(options): \(wrong.prefix(12))")
    }
    return found
  }
}
