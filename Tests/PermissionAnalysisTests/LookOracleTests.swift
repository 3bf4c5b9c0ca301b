// The days at whose ends a comparison is looked at, against each of them evaluated from scratch: what the sums tell of an
// earlier day is what a log would have told at its end.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

@Suite struct LookOracleTests {
  /// Histories a test case: each prints its seed if it fails.
  static let histories = 6
  static let seeds = stride(from: UInt64(3000), to: 3048, by: histories).map { $0 }
  /// In Cairo and Beirut clocks are set forward at midnight.
  static let settingsSeeds = stride(from: UInt64(3100), to: 3124, by: histories).map { $0 }
  static let zones = ["America/New_York", "Pacific/Chatham", "UTC", "Africa/Cairo", "Asia/Beirut"]
  static let adjusted: [[String]] = [
    [], ["platform"], ["locale"], ["country", "app_version"], ["os_version", "locale"],
  ]

  @Test(arguments: seeds) func everyLookEqualsOracle(firstSeed: UInt64) throws {
    let found = try compareLooks(firstSeed, .permission)
    #expect(found > 50, "seeds from \(firstSeed): only \(found) days had anything to compare")
  }

  @Test(arguments: settingsSeeds) func everyLookAtSettingsMessagesEqualsOracle(firstSeed: UInt64) throws {
    let found = try compareLooks(firstSeed, .settings)
    #expect(found > 20, "seeds from \(firstSeed): only \(found) days had anything to compare")
  }

  private func compareLooks(_ firstSeed: UInt64, _ screen: MessageScreen) throws -> Int {
    var found = 0
    for seed in firstSeed..<firstSeed + UInt64(Self.histories) {
      let generator = HistoryGenerator(
        seed: seed, hasCalls: seed % 3 > 0, hasSettingsPrompts: screen == .settings)
      let number = Int(seed)
      let events = generator.history(users: 12 + number % 4 * 6)
      let log = try OracleLog(events, parts: 1 + number % 3)
      let windows = generator.options(for: events, variation: number)
      var options = OracleComparisonOptions(
        permission: "notifications", variants: FoldOracleTests.variants[number % FoldOracleTests.variants.count])
      options.timeZone = try #require(TimeZone(identifier: Self.zones[number / 2 % Self.zones.count]))
      options.responseWindow = windows.responseWindow
      options.followUp = windows.followUp
      options.atOnce = windows.atOnce
      options.asOf = number % 3 == 0 ? windows.asOf ?? Int(log.newest) : Int(log.newest)
      options.experiment = number % 4 == 1 ? "exp-1" : nil
      options.screen = screen.rawValue
      if screen == .settings, number % 5 == 0 { options.responseWindow = 10 * 86_400_000 }
      let properties = Self.adjusted[number % Self.adjusted.count]
      var question = ComparisonQuestion(options, log)
      question.adjust = properties.map { StringField(oracleName: $0) }
      let asked = question
      var (sums, calls) = try log.read(question.windows, question.selection, seed) {
        ComparisonFold(asked, contexts: $0)
      }
      sums.calls = calls
      let looks = oracleLooks(events, options)
      for metric in screen.metrics {
        for policy in ContaminationPolicy.allCases {
          (question.metric, question.policy) = (metric, policy)
          let tallies = ComparisonTallies(sums, question)
          for treatment in 1..<question.arms {
            let pair = Comparison.Pair(control: 0, treatment: treatment)
            found += compare(looks, tallies, pair, properties, "seed \(seed), \(options), \(properties), \(policy)")
          }
        }
      }
    }
    return found
  }

  /// Compares all looks of a pair; returns how many there are with somebody in both arms.
  private func compare(
    _ looks: [OracleLook], _ tallies: ComparisonTallies, _ pair: Comparison.Pair, _ properties: [String], _ what: String
  ) -> Int {
    let (metric, policy) = (tallies.question.metric.rawValue, tallies.question.policy.rawValue)
    func tally(_ arm: Int, _ look: OracleLook, _ values: [String?]? = nil) -> Comparison.Tally {
      let counts = look.counts(
        metric, arm: arm, policy: policy, of: values.map { _ in properties } ?? [], in: values ?? [])
      return Comparison.Tally(trials: counts.trials, successes: counts.successes)
    }
    let strata = tallies.settledStrata(pair)
    var days = Array(zip(tallies.settledDays(pair), strata))[...]
    var known = SettledDay(day: .min, a: .init(), b: .init())
    var found = 0
    for look in looks {
      let (a, b) = (tally(pair.control, look), tally(pair.treatment, look))
      let isListed = days.first?.0.day == DayNumber(look.day)
      #expect(isListed == (a != known.a || b != known.b), "day \(look.day), \(metric), \(what)")
      if isListed, let (day, strata) = days.popFirst() {
        known = day
        let expected = look.strata(properties).map { [tally(pair.control, look, $0), tally(pair.treatment, look, $0)] }
        let actual = strata.map { [Comparison.Tally($0.second), Comparison.Tally($0.first)] }
        #expect(
          sorted(actual) == sorted(expected.filter { $0[0].trials + $0[1].trials > 0 }),
          "day \(look.day), \(metric), \(what)")
      }
      #expect(known.a == a && known.b == b, "day \(look.day), \(metric), \(what)")
      if a.trials > 0, b.trials > 0 { found += 1 }
    }
    #expect(days.isEmpty, "\(metric), \(what): days that are not over")
    return found
  }

  private func sorted(_ strata: [[Comparison.Tally]]) -> [[Int]] {
    strata.map { $0.flatMap { [$0.trials, $0.successes] } }.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
