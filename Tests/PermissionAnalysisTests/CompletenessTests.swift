// What arrived of numbered events, against logs with a known truth.

import LogTestSupport
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct CompletenessTests {
  private static let sources = ["1.0", "1.1", "1.2", ""].map {
    NumberSource(version: Array($0.utf8), platform: Array("ios".utf8))
  }
  /// 5 January 2026, a Monday, in quarters of an hour.
  private static let monday: UInt32 = 1_767_571_200 / 900
  private static let week: UInt32 = 7 * 96

  private static func completeness(_ counters: [[NumberRun]], upTo asOf: Milliseconds = .max / 2) -> Completeness {
    var sum = Completeness(sources, upTo: asOf, zone: .utc)
    for runs in counters { sum.add(runs.sorted(by: NumberRun.isBefore)) }
    return sum
  }

  private static func run(_ numbers: ClosedRange<UInt64>, at quarter: UInt32, source: UInt32 = 0, user: UInt64 = 1)
    -> NumberRun
  {
    NumberRun(
      counter: 1, first: numbers.lowerBound, user: user, count: UInt32(numbers.count), quarter: quarter, source: source)
  }

  @Test func numbersBetweenTheFirstAndTheLastCount() {
    let at = Self.monday
    let sum = Self.completeness([[Self.run(1...2, at: at), Self.run(4...4, at: at), Self.run(7...7, at: at)]])
    #expect(sum.all == NumberedEvents(numbered: 5, arrived: 2))
    #expect(sum.all.share == 0.4 && sum.counters == 1 && sum.leftOut == 0)
    #expect(sum.byWeek.map(\.week.text) == ["2026-W02"] && sum.byVersion.map(\.version) == ["1.0"])
    // One or two numbers say nothing.
    for numbers in [1...1, 3...4] as [ClosedRange<UInt64>] {
      let sum = Self.completeness([[Self.run(numbers, at: at)]])
      #expect(sum.all.numbered == 0 && sum.all.share == nil && sum.counters == 1 && sum.byWeek.isEmpty)
    }
  }

  @Test func aGapBetweenTwoWeeksOrVersionsIsInNeither() {
    let sum = Self.completeness([
      [Self.run(1...10, at: Self.monday), Self.run(15...20, at: Self.monday + Self.week, source: 1)]
    ])
    #expect(sum.all == NumberedEvents(numbered: 18, arrived: 14))
    #expect(sum.byWeek.map(\.events) == [.init(numbered: 8, arrived: 8), .init(numbered: 4, arrived: 4)])
    #expect(sum.byVersion.map(\.events.missing) == [0, 0] && sum.byPlatform.map(\.events.missing) == [4])
  }

  @Test func whatIsLaterThanTheAnswerIsNotSeen() {
    let runs = [Self.run(1...10, at: Self.monday), Self.run(15...20, at: Self.monday + 96)]
    let sum = Self.completeness([runs], upTo: Milliseconds(Self.monday + 95) * NumberRun.millisecondsPerQuarter)
    #expect(sum.all == NumberedEvents(numbered: 8, arrived: 8))
    #expect(Self.completeness([runs], upTo: 0).counters == 0)
  }

  /// An app with sixty events on six days, and its extension with three.
  private static func extended(_ at: UInt32) -> [NumberRun] {
    var runs: [NumberRun] = []
    for day in 0..<6 as Range<UInt64> {
      runs.append(run(10 * day + 1...10 * day + 10, at: at + UInt32(day) * 100))
      if day < 3 { runs.append(run(day + 1...day + 1, at: at + UInt32(day) * 100 + 450)) }
    }
    return runs
  }

  /// A phone that two users share, one that is installed anew, a clock that is set back, a first start in another year, copies that came at
  /// another hour: nothing is missing.
  @Test func noneOfTheseIsALoss() {
    let at = Self.monday
    let lives: [String: [NumberRun]] = [
      "shared": [Self.run(1...9, at: at), Self.run(10...20, at: at + 40, user: 2), Self.run(21...30, at: at + 90)],
      "anew": [Self.run(500...520, at: at), Self.run(1...12, at: at + 300), Self.run(13...30, at: at + 500)],
      "anew from the start": [
        Self.run(1...90, at: at), Self.run(1...20, at: at + 300), Self.run(21...40, at: at + 700),
      ],
      "anew, and something left open": [
        Self.run(1...90, at: at), Self.run(1...5, at: at + 300), Self.run(91...95, at: at + 301),
        Self.run(6...9, at: at + 400),
      ],
      "set back": [
        Self.run(1...10, at: at), Self.run(21...30, at: at + 100), Self.run(11...20, at: at + 190),
        Self.run(31...40, at: at + 290),
      ],
      "first start in another year": [Self.run(4...30, at: at), Self.run(1...3, at: at + 100_000)],
      "a clock that was years late": [
        Self.run(101...110, at: at - 20_000), Self.run(1...100, at: at), Self.run(111...200, at: at + 300),
      ],
      "an extension that counts under the same id": Self.extended(at),
      "one number of chance": [
        Self.run(1...30, at: at), Self.run(623_447_621...623_447_621, at: at + 5), Self.run(31...60, at: at + 9),
      ],
      "copies": [Self.run(1...10, at: at), Self.run(3...14, at: at + 4), Self.run(15...20, at: at + 9)],
    ]
    for (name, runs) in lives {
      let sum = Self.completeness([runs])
      #expect(sum.all.missing == 0 && sum.all.numbered > 0 && sum.leftOut == 0, "\(name)")
    }
  }

  @Test func numbersOfChanceAreLeftOut() {
    let again = (0..<40).map { Self.run(1...9, at: Self.monday + 200 * $0) }
    let marked = NumberRun(counter: 1, first: 0, user: 0, count: 0, quarter: Self.monday, source: 0)
    for runs in [again, [marked]] {
      let sum = Self.completeness([runs])
      #expect(sum.counters == 1 && sum.leftOut == 1 && sum.all.numbered == 0)
    }
  }

  /// Whatever is in a log, sums do not overflow.
  @Test func theLargestNumbersDoNotOverflow() {
    let ends = [
      Self.run(0...0, at: Self.monday), Self.run(EventNumber.limit - 1...EventNumber.limit - 1, at: Self.monday),
    ]
    let long = (0..<4).map {
      let first = UInt64($0) * (UInt64(UInt32.max) + 90_000)
      return NumberRun(
        counter: 1, first: first, user: 1, count: .max, quarter: Self.monday + UInt32($0), source: UInt32($0 % 3))
    }
    var sum = Self.completeness([ends, long])
    for _ in 0..<28 { sum += sum }
    #expect(sum.all.numbered > 1 << 60 && sum.all.missing > 0)
    #expect(Self.findings(sum).isEmpty)
  }

  // MARK: Simulated

  /// Installs that use the app now and then, each event lost with a probability.
  private static func installs(
    _ count: Int, seed: UInt64, isMessy: Bool = false, lost: (_ week: Int, _ version: Int) -> Double
  ) -> [[NumberRun]] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      var number = UInt64.random(in: 0..<400, using: &random)
      var quarter = UInt32.random(in: 0..<6 * week, using: &random)
      var runs: [NumberRun] = []
      while quarter < 8 * week {
        let (weekNumber, version) = (Int(quarter / week), Int(min(2, quarter / (3 * week))))
        for _ in 0..<Int.random(in: 2...12, using: &random) {
          number += 1
          if Double.random(in: 0..<1, using: &random) < lost(weekNumber, version) { continue }
          let run = Self.run(number...number, at: monday + quarter, source: UInt32(version))
          if runs.isEmpty || !runs[runs.count - 1].join(run) { runs.append(run) }
        }
        if isMessy, random.oneIn(60) { number = 0 }
        if isMessy, random.oneIn(60), let copy = runs.randomElement(using: &random) { runs.append(copy) }
        quarter += UInt32.random(in: 10..<400, using: &random)
        if isMessy, random.oneIn(80), quarter > 90 { quarter -= 90 }
      }
      return runs
    }
  }

  @Test(arguments: [0, 0.001, 0.01, 0.05])
  func theLostShareIsFound(lost: Double) throws {
    for (seed, isMessy) in [(11, false), (12, true)] as [(UInt64, Bool)] {
      let sum = Self.completeness(Self.installs(8000, seed: seed, isMessy: isMessy) { _, _ in lost })
      let missing = 1 - (try #require(sum.all.share))
      #expect(abs(missing - lost) < 0.001, "lost \(lost), missing \(missing), seed \(seed)")
      #expect(sum.all.numbered > 500_000)
      for (_, events) in sum.byVersion where events.numbered > 100_000 {
        #expect(abs(Double(events.missing) / Double(events.numbered) - lost) < 0.002)
      }
    }
  }

  private static func findings(_ counters: [[NumberRun]]) -> [AuditFinding] { findings(completeness(counters)) }

  private static func findings(_ sum: Completeness) -> [AuditFinding] {
    let question = AuditQuestion(asOf: Milliseconds(monday + 9 * week) * NumberRun.millisecondsPerQuarter, zone: .utc)
    return Completeness.candidates(sum, question).filter { $0.leftOut == nil }
  }

  @Test func theVersionOrWeekThatLosesIsNamed() {
    let version = Self.findings(Self.installs(1500, seed: 21) { $1 == 1 ? 0.05 : 0.002 })
    #expect(version.map(\.detail) == [.missing(.version("1.1"))])
    let week = Self.findings(Self.installs(1500, seed: 22) { week, _ in week == 4 ? 0.08 : 0.002 })
    #expect(week.map(\.detail) == [.missing(.week(CalendarWeek(day: 20_458 + 28)))])
    #expect(week.allSatisfy { $0.severity == .warning })
    // All of it alike is no version's fault.
    let all = Self.findings(Self.installs(1500, seed: 23) { _, _ in 0.2 })
    #expect(all.map(\.detail) == [.none] && all.map(\.severity) == [.note])
    #expect(Completeness.candidates(nil, AuditQuestion(asOf: 0, zone: .utc)).map(\.leftOut) == [.nothingToSee])
  }

  /// Whatever phones do, a log that lost nothing, or a little everywhere, has no finding.
  @Test func cleanLogsHaveNoFinding() {
    var alarms = 0
    for seed in 0..<300 as Range<UInt64> {
      let lost = seed % 3 == 0 ? 0.005 : 0
      if !Self.findings(Self.installs(250, seed: seed, isMessy: seed % 2 == 1) { _, _ in lost }).isEmpty { alarms += 1 }
    }
    print("completeness: \(alarms) alarms in 300 clean logs, seeds 0 to 299")
    #expect(alarms == 0)
  }
}
