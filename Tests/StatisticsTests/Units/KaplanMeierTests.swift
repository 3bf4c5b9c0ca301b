// Whole-day Kaplan–Meier against the general curve, and its edges.

import Statistics
import Testing

@Suite struct KaplanMeierTests {
  @Test func byHand() throws {
    // 10 at risk; day 0: 2 events, 1 censored; day 1: none; day 2: 7 left, 1 event, 1 censored; 5 beyond.
    let steps = KaplanMeier.steps(events: [2, 0, 1], censored: [1, 0, 1], beyond: 5)
    #expect(steps.map(\.day) == [0, 1, 2])
    #expect(steps.map(\.atRisk) == [10, 7, 7])
    #expect(close(steps[0].eventProbability, 0.2, relative: 1e-15))
    #expect(steps[1].eventProbability == steps[0].eventProbability)
    #expect(close(steps[2].eventProbability, 1 - 0.8 * 6 / 7, relative: 1e-14))
    let greenwood = 2.0 / 80 + 1.0 / 42
    let survival = 0.8 * 6 / 7
    let theta = 1.959963984540054 * greenwood.squareRoot() / logarithm(survival)
    let low = exponential(logarithm(survival) * exponential(-theta))
    #expect(close(steps[2].interval?.high, 1 - low, relative: 1e-12))
  }

  @Test func edges() {
    #expect(KaplanMeier.steps(events: [], censored: [], beyond: 9).isEmpty)
    let quiet = KaplanMeier.steps(events: [0, 0], censored: [3, 0], beyond: 0)
    #expect(quiet[0].eventProbability == 0 && quiet[0].interval == nil)
    #expect(quiet[1].atRisk == 0 && quiet[1].eventProbability == nil && quiet[1].interval == nil)
    let all = KaplanMeier.steps(events: [1, 2, 0], censored: [0, 0, 0], beyond: 0)
    #expect(all[1].eventProbability == 1 && all[1].interval == nil)
    #expect(all[2].eventProbability == nil)
    let uneven = KaplanMeier.steps(events: [1], censored: [0, 4], beyond: 2)
    #expect(uneven.count == 2 && uneven[1].atRisk == 6)
    #expect(KaplanMeier.steps(events: [1], censored: [], beyond: 3, confidence: 2)[0].interval == nil)
  }

  @Test func withoutCensoringItIsTheShare() {
    let steps = KaplanMeier.steps(events: [3, 0, 5, 1], censored: [0, 0, 0, 0], beyond: 91)
    for (step, share) in zip(steps, [0.03, 0.03, 0.08, 0.09]) {
      #expect(close(step.eventProbability, share, relative: 1e-13))
    }
    let rare = KaplanMeier.steps(events: [1], censored: [0], beyond: 999_999_999)
    #expect(close(rare[0].eventProbability, 1e-9, relative: 1e-14))
    #expect((rare[0].interval?.low ?? 0) > 1e-10 && (rare[0].interval?.high ?? 1) < 1e-8)
  }

  @Test(arguments: [31, 32, 33] as [UInt64])
  func agreesWithTheGeneralCurve(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let days = 28
    var events = [Int](repeating: 0, count: days)
    var censored = events
    var times: [Double] = []
    var causes: [Int] = []
    for _ in 0..<120 {
      let day = Int.random(in: 0..<40, using: &generator)
      let event = Bool.random(using: &generator)
      times.append(Double(day))
      causes.append(event ? 1 : 0)
      if day < days { if event { events[day] += 1 } else { censored[day] += 1 } }
    }
    let beyond = times.filter { $0 >= Double(days) }.count
    let steps = KaplanMeier.steps(events: events, censored: censored, beyond: beyond)
    let curve = SurvivalCurve(try SurvivalTimes(times: times, causes: causes))
    for point in curve.points where point.time < Double(days) {
      let step = steps[Int(point.time)]
      #expect(step.atRisk == point.atRisk, "seed \(seed) day \(step.day)")
      #expect(close(step.eventProbability, 1 - point.survival, relative: 1e-12), "seed \(seed) day \(step.day)")
      let interval = try #require(point.logLogInterval)
      #expect(close(step.interval?.low, 1 - interval.high, relative: 1e-10), "seed \(seed) day \(step.day)")
      #expect(close(step.interval?.high, 1 - interval.low, relative: 1e-10), "seed \(seed) day \(step.day)")
    }
  }

  @Test func survivalRefusals() throws {
    #expect(throws: StatisticsError.lengthsDiffer(2, 1)) { try SurvivalTimes(times: [1, 2], causes: [0]) }
    #expect(throws: StatisticsError.notFinite(name: "time")) { try SurvivalTimes(times: [.nan], causes: [0]) }
    #expect(throws: StatisticsError.negativeCount(-1)) { try SurvivalTimes(times: [1], causes: [-1]) }
    let quiet = try SurvivalTimes(times: [1, 2], causes: [0, 0])
    #expect(LogRank.test(quiet, quiet) == nil)
    #expect(SurvivalCurve(quiet).points.isEmpty && SurvivalCurve(quiet).median == nil)
  }
}
