// The days at whose ends a comparison is looked at: which day a moment belongs to, and that nothing which happens later
// changes what a day said.

import Folding
import Foundation
import PermissionEvents
import ReportOracle
import Statistics
import Testing

@testable import PermissionAnalysis

extension Comparison.Tally {
  init(_ sample: BinomialSample) { self.init(trials: sample.trials, successes: sample.successes) }
}

@Suite struct LookTests {
  static let seeds: [UInt64] = Array(3100..<3112)
  static let pair = Comparison.Pair(control: 0, treatment: 1)

  /// A zone whose clocks are set back over midnight, now and then forward over it, and that once leaves out a day.
  static func restlessZone(_ times: ClosedRange<Milliseconds>, _ random: inout SplitMix64) -> ZoneTable {
    let hour: Milliseconds = 3_600_000
    var offset = Milliseconds(Int.random(in: -8...8, using: &random)) * hour
    let initial = offset
    var transitions: [ZoneTable.Transition] = []
    var day = times.lowerBound / millisecondsPerDay + 3
    while day * millisecondsPerDay < times.upperBound {
      let change = Bool.random(using: &random) ? -hour : [2 * hour, 24 * hour][transitions.count == 5 ? 1 : 0]
      // Half an hour after midnight by the clock, or at midnight itself.
      let clock = day * millisecondsPerDay + ([0, hour / 2, 1].randomElement(using: &random) ?? 0)
      transitions.append(.init(at: clock - offset, offset: offset + change))
      offset += change
      day += DayNumber(Int.random(in: 2...6, using: &random))
      if abs(offset) > 13 * hour { break }
    }
    return ZoneTable(name: "Restless", initialOffset: initial, transitions: transitions)
  }

  @Test(arguments: seeds) func aMomentBelongsToTheFirstDayWhoseEndIsNotBeforeIt(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let start = Timestamp.earliest + Milliseconds(Int.random(in: 0...5_000, using: &random)) * millisecondsPerDay
    let times = start...start + 60 * millisecondsPerDay
    let zone = Self.restlessZone(times, &random)
    let looks = LookDays(times, in: zone)
    func expectDay(_ moment: Milliseconds) {
      var day = zone.day(of: times.lowerBound) - 12
      while zone.firstMoment(of: day + 1) < moment { day += 1 }
      #expect(looks.day(knowing: moment, in: zone) == day, "seed \(seed), \(moment)")
      #expect(looks.end(of: day, in: zone) == zone.firstMoment(of: day + 1), "seed \(seed), \(moment)")
    }
    for _ in 0..<200 {
      // Also beside what the table was laid out for.
      expectDay(
        Milliseconds.random(
          in: times.lowerBound - 9 * millisecondsPerDay...times.upperBound + 9 * millisecondsPerDay, using: &random))
    }
    for day in zone.day(of: times.lowerBound) - 4...zone.day(of: times.upperBound) + 4 {
      for beside in -1...1 { expectDay(zone.firstMoment(of: day) + Milliseconds(beside)) }
    }
  }

  /// The same log, looked at from the end of each day, tells in its plain counters what the settled days tell afterwards.
  @Test(arguments: seeds) func aLookOfAnEarlierDayStays(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let events = HistoryGenerator(seed: seed).history(users: 40)
    let log = try OracleLog(events, parts: 2)
    let times = Milliseconds(events.map(\.timestamp).min() ?? 0)...log.newest
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: log.newest), zone: Self.restlessZone(times, &random), permission: "notifications",
      variants: FoldOracleTests.variants[Int(seed) % FoldOracleTests.variants.count], experiment: nil)
    question.windows.followUp = [28, 7, 1][Int(seed % 3)] * millisecondsPerDay
    question.adjust = seed % 2 == 0 ? [.platform] : []
    let last = try tallies(log, question)
    var found = 0
    for day in question.zone.day(of: times.lowerBound)...question.zone.day(of: times.upperBound) {
      var earlier = question
      earlier.windows.asOf = question.zone.firstMoment(of: day + 1)
      guard earlier.windows.asOf <= question.windows.asOf else { continue }
      let then = try tallies(log, earlier)
      for place in last.indices {
        let before = last[place].settledDays(Self.pair).filter { $0.day <= day }
        #expect(then[place].settledDays(Self.pair) == before, "seed \(seed), day \(day)")
        #expect(
          then[place].settledStrata(Self.pair)[...] == last[place].settledStrata(Self.pair).prefix(before.count),
          "seed \(seed), day \(day)")
        let metric = last[place].question.metric
        let arms = [0, 1].map { arm in
          var tally = then[place].counted[arm].tally(metric)
          tally.exposed = 0
          return tally
        }
        #expect([before.last?.a ?? .init(), before.last?.b ?? .init()] == arms, "seed \(seed), day \(day), \(metric)")
        found += before.count
      }
    }
    #expect(found > 100, "seed \(seed): only \(found) looks")
  }

  /// By metric, then by policy.
  private func tallies(_ log: OracleLog, _ question: ComparisonQuestion) throws -> [ComparisonTallies] {
    let sums = try log.fold(question.selection, ranges: 1, threads: 1) { ComparisonFold(question, contexts: $0) }
    return ComparisonMetric.allCases.flatMap { metric in
      ContaminationPolicy.allCases.map { policy in
        var question = question
        (question.metric, question.policy) = (metric, policy)
        return ComparisonTallies(sums, question)
      }
    }
  }

  // MARK: By hand

  private static let midnight = 20_500 * 86_400_000
  private static let minute = 60_000

  private func screen(_ user: String, _ time: Int, _ variant: String) -> OracleEvent {
    OracleEvent(
      userID: user, eventID: "\(variant) \(time)", timestamp: time, event: "prompt_shown", permission: "camera",
      variant: variant)
  }

  private func settled(
    _ events: [OracleEvent], _ variants: [String], _ policy: ContaminationPolicy, _ pair: Comparison.Pair = pair,
    asOf: Int = midnight + 3 * 86_400_000
  ) throws -> [SettledDay] {
    let log = try OracleLog(events, parts: 1)
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: Milliseconds(asOf)), zone: .utc, permission: "camera", variants: variants,
      experiment: nil)
    question.policy = policy
    question.metric = .dropOffRate
    let asked = question
    return ComparisonTallies(
      try log.fold(question.selection, ranges: 1, threads: 1) { ComparisonFold(asked, contexts: $0) }, question
    ).settledDays(pair)
  }

  private func day(_ number: DayNumber, _ a: Int, _ b: Int) -> SettledDay {
    SettledDay(day: number, a: .init(trials: a, successes: a), b: .init(trials: b, successes: b))
  }

  @Test func aWindowThatEndsAtMidnightIsSettledByTheEndOfTheDay() throws {
    let before = Self.midnight - 30 * Self.minute
    let events = [screen("1", before, "A"), screen("2", before + 1, "A"), screen("3", before - 1, "B")]
    #expect(try settled(events, ["A", "B"], .first) == [day(20_499, 1, 1), day(20_500, 2, 1)])
    // The second of the days is not over.
    #expect(
      try settled(events, ["A", "B"], .first, asOf: Self.midnight + 86_399_999) == [day(20_499, 1, 1)])
  }

  /// Clocks set back over midnight bring a day back after its end: what happens then is known a day later.
  @Test func activityInAnHourThatComesTwiceCountsOnceItIsKnown() throws {
    let (day, exposed) = (DayNumber(20_500), Self.midnight + 720 * Self.minute)
    let end = Milliseconds(Self.midnight) + 8 * millisecondsPerDay
    let zone = ZoneTable(
      name: "Restless", initialOffset: 0, transitions: [.init(at: end + 1_800_000, offset: -3_600_000)])
    let active = OracleEvent(
      userID: "1", eventID: "active", timestamp: Int(end) + 45 * Self.minute, event: "app_active")
    let log = try OracleLog([screen("1", exposed, "A"), active], parts: 1)
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: end + 3 * millisecondsPerDay), zone: zone, permission: "camera",
      variants: ["A", "B"], experiment: nil)
    question.metric = .retentionDay7
    let asked = question
    let sums = try log.sums(question.selection, 1) { ComparisonFold(asked, contexts: $0) }
    #expect(
      ComparisonTallies(sums, question).settledDays(Self.pair) == [
        SettledDay(day: day + 7, a: .init(trials: 1), b: .init()),
        SettledDay(day: day + 8, a: .init(trials: 1, successes: 1), b: .init()),
      ])
  }

  @Test func whoSeesASecondMessageLeavesOnThatDay() throws {
    let noon = Self.midnight - 720 * Self.minute
    let events = [
      screen("1", noon, "A"), screen("2", noon, "A"), screen("3", noon, "B"), screen("4", noon, "B"),
      // At the very end of the first day, one day later, and before the outcome was known.
      screen("1", Self.midnight, "B"), screen("2", Self.midnight + 1, "B"), screen("4", noon + Self.minute, "A"),
    ]
    #expect(try settled(events, ["A", "B"], .first) == [day(20_499, 2, 2)])
    #expect(try settled(events, ["A", "B"], .exclude) == [day(20_499, 1, 1), day(20_500, 0, 1)])
  }

  @Test func aThirdMessageCountsAsWell() throws {
    let noon = Self.midnight - 720 * Self.minute
    let events = [
      screen("1", noon, "A"), screen("2", noon, "A"), screen("3", noon, "B"), screen("1", Self.midnight + 1, "C"),
      // Not one of the comparison.
      screen("2", Self.midnight + 1, "D"),
    ]
    #expect(try settled(events, ["A", "B", "C"], .exclude) == [day(20_499, 2, 1), day(20_500, 1, 1)])
    #expect(
      try settled(events, ["A", "B", "C"], .exclude, .init(control: 0, treatment: 2))
        == [day(20_499, 2, 0), day(20_500, 1, 0)])
    #expect(try settled(events, ["A", "B"], .exclude) == [day(20_499, 2, 1)])
  }
}
