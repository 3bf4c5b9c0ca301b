// The rows of the table of edge cases in docs/statistics.md, one test each.

import Statistics
import Testing

@Suite struct EdgeRowTests {
  private func sequence() throws -> AsymptoticConfidenceSequence {
    try AsymptoticConfidenceSequence(plannedUsers: 5000)
  }

  @Test func anEmptyArmHasNoComparisonAndStillASampleRatio() throws {
    let (none, some) = (try sample(0, 0), try sample(300, 1000))
    #expect(none.rate == nil && Wilson.interval(none) == nil)
    #expect(MiettinenNurminen.differenceInterval(none, some) == nil && EqualityTest.primary(none, some) == nil)
    guard case .failure(.tooFewUsers(arm: 1, have: 0, need: 100)) = try sequence().evaluate(none, some) else {
      Issue.record("an empty arm has to be refused")
      return
    }
    #expect(try ChiSquare.sampleRatio(observed: [0, 1000], weights: [1, 1]).pValue < 1e-100)
  }

  @Test func allOrNoneInOneArmHasEverythingButTheSequence() throws {
    let (none, some) = (try sample(0, 1000), try sample(300, 1000))
    for (first, second) in [(none, some), (some, none), (none.complement, some), (some, none.complement)] {
      #expect(MiettinenNurminen.differenceInterval(first, second) != nil)
      #expect(FisherExact.test(first, second).map { $0.midP >= 0 && $0.midP < 1e-50 } == true)
      #expect((0...1).contains(BetaBinomial.probabilityGreater(first, than: second)))
      if case .success = try sequence().evaluate(first, second) { Issue.record("gated off") }
      if case .success = try sequence().oneSidedBounds(first, second) { Issue.record("gated off") }
      let exact = try BernoulliConfidenceSequence.differenceInterval(first, second, tuningTrials: 2500)
      #expect(exact.low >= -1 && exact.high <= 1 && exact.low < exact.high)
    }
    #expect(MiettinenNurminen.ratioInterval(some, none)?.high == .infinity)
    #expect(MiettinenNurminen.ratioInterval(none, some)?.low == 0)
  }

  @Test func allOrNoneInBothArmsSayNothing() throws {
    for (a, b) in [(try sample(0, 20), try sample(0, 20)), (try sample(20, 20), try sample(20, 20))] {
      let z = try #require(PooledZ.test(a, b))
      #expect(z.z == 0 && z.pValue == 1 && !z.hasInformation)
      #expect(MiettinenNurminen.differenceInterval(a, b)?.contains(0) == true)
    }
  }

  @Test func oneUserAnArm() throws {
    let (all, none) = (try sample(1, 1), try sample(0, 1))
    let interval = try #require(MiettinenNurminen.differenceInterval(all, none))
    #expect(close(interval.low, -0.5869013712455252) && interval.high == 1)
    #expect(throws: StatisticsError.self) { try Quantiles.estimate([3], 0.5).get() }
    #expect(throws: AsymptoticConfidenceSequence.Refusal.self) { try sequence().evaluate(all, none).get() }
  }

  @Test func identicalValuesAreNoCertainty() throws {
    let same = try Histogram([(value: 7, count: 50)])
    #expect(MannWhitney.test(same, same)?.pValue == 1)
    #expect(Quantiles.estimate(same, 0.5) == .failure(.noVariance))
  }

  @Test func aBillionUsersAndRatesOfABillionth() throws {
    let (a, b) = (try sample(1, 1_000_000_000), try sample(3, 2_000_000_000))
    let wilson = try #require(Wilson.interval(a))
    #expect(wilson.low > 0 && wilson.low < 1e-9 && wilson.high > 1e-9 && wilson.high < 1e-8)
    let interval = try #require(MiettinenNurminen.differenceInterval(a, b))
    #expect(interval.low < -0.5e-9 && interval.high > -0.5e-9 && interval.high < 1e-8)
    #expect((EqualityTest.primary(a, b)?.pValue ?? 0) > 0.5)
  }

  @Test func impossibleInputIsATypedError() {
    #expect(throws: StatisticsError.countsOutOfRange(successes: 3, trials: 2)) { try sample(3, 2) }
    #expect(throws: StatisticsError.countsOutOfRange(successes: -1, trials: 2)) { try sample(-1, 2) }
    #expect(throws: StatisticsError.noWeight) { try ChiSquare.sampleRatio(observed: [1, 2], weights: [0, 0]) }
    for alpha in [0, 1, -0.1, Double.nan] {
      #expect(throws: StatisticsError.self) { try AsymptoticConfidenceSequence(plannedUsers: 10, alpha: alpha) }
      #expect(throws: StatisticsError.self) {
        try GroupSequential(equalLooks: 3, alpha: alpha, spending: .obrienFleming)
      }
    }
  }

  @Test func moreThanTwoVariants() throws {
    #expect(MultipleTesting.holm([0.01, 0.04, 0.03]).compactMap { $0 } == [0.03, 0.06, 0.06])
    let ratio = try ChiSquare.sampleRatio(observed: [900, 910, 890], weights: [1, 1, 1])
    #expect(ratio.degreesOfFreedom == 2)
    let best = BetaBinomial.probabilityBest([try sample(40, 100), try sample(50, 100), try sample(60, 100)])
    #expect(abs(best.reduce(0, +) - 1) < 1e-9 && best[2] > best[1] && best[1] > best[0])
  }
}
