// Forms that take counts instead of single observations, against those that take the observations.

import Statistics
import Testing

@Suite struct CountedFormsTests {
  @Test func quantilesOfAHistogramAreThoseOfItsValues() throws {
    let seed: UInt64 = 31
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let values = (0..<Int.random(in: 1...200, using: &numbers)).map { _ in
        Double(Int.random(in: 0..<40, using: &numbers))
      }
      let sorted = values.sorted()
      let histogram = try Histogram(observations: values)
      for share in [0, 0.1, 0.25, 0.5, 0.9, 1] {
        #expect(Quantiles.type7(histogram, share) == Quantiles.type7(sorted, share), "seed \(seed)")
      }
      for share in [0.25, 0.5, 0.9] {
        #expect(Quantiles.estimate(histogram, share) == Quantiles.estimate(sorted, share), "seed \(seed)")
      }
    }
    let empty = try Histogram(observations: [])
    #expect(Quantiles.type7(empty, 0.5) == nil)
  }

  @Test func survivalCountsAreThoseOfTheirTimes() throws {
    let counted = SurvivalTimes(events: [3, 0, 2], censored: [1, 4], beyond: 5)
    let times = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3].map(Double.init)
    let single = try SurvivalTimes(times: times, causes: [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0])
    #expect(counted == single)
    #expect(SurvivalTimes(events: [], censored: [], beyond: 0).count == 0)
    #expect(SurvivalTimes(events: [-3], censored: [2], beyond: -1).count == 2)
    let other = SurvivalTimes(events: [0, 4, 2], censored: [0, 1], beyond: 9)
    let test = try #require(LogRank.test(counted, other))
    #expect(test.pValue > 0 && test.pValue < 1)
    #expect(LogRank.test(counted, SurvivalTimes(events: [], censored: [], beyond: 0)) == nil || test.observed == 5)
  }

  @Test func oneSidedBoundsAreTheReferencesAndNarrower() throws {
    let (a, b) = (try sample(400, 1000), try sample(440, 1100))
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 4000)
    let bounds = try sequence.oneSidedBounds(a, b).get()
    let both = try sequence.evaluate(a, b).get().interval
    #expect(bounds.low > both.low && bounds.high < both.high)
    let variance = 0.4 * 0.6 / 1000 + 0.4 * 0.6 / 1100
    let half = try OneSidedNormalMixture.bound(
      scaledVariance: 2100 * variance, users: 2100, plannedUsers: 4000, alpha: 0.05
    ).halfWidth
    #expect(close(bounds.high - bounds.low, 2 * half))
    #expect(throws: AsymptoticConfidenceSequence.Refusal.self) {
      try sequence.oneSidedBounds(sample(4, 1000), b).get()
    }
  }
}
