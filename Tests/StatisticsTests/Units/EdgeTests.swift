// Tables and rows at the edges: no users, none or all with the outcome, one user, billions.

import Statistics
import Testing

@Suite struct EdgeTableTests {
  @Test func impossibleCountsAreRefused() throws {
    for (x, n) in [(3, 2), (-1, 5), (0, -1), (1, 0)] {
      #expect(throws: StatisticsError.countsOutOfRange(successes: x, trials: n)) {
        try BinomialSample(successes: x, trials: n)
      }
    }
    #expect(try BinomialSample(successes: 0, trials: 0).rate == nil)
  }

  @Test func emptyArmHasNoComparison() throws {
    let (none, some) = (try sample(0, 0), try sample(3, 10))
    #expect(Wilson.interval(none) == nil)
    #expect(ClopperPearson.interval(none) == nil)
    for (a, b) in [(none, some), (some, none), (none, none)] {
      #expect(MiettinenNurminen.differenceInterval(a, b) == nil)
      #expect(MiettinenNurminen.ratioInterval(a, b) == nil)
      #expect(Newcombe.differenceInterval(a, b) == nil)
      #expect(AgrestiCaffo.differenceInterval(a, b) == nil)
      #expect(EqualityTest.primary(a, b) == nil)
      #expect(FisherExact.test(a, b) == nil)
      #expect(NonInferiority.test(a, b, margin: -0.05) == nil)
    }
  }

  @Test func noneOrAllInBothArms() throws {
    for (a, b) in [(try sample(0, 20), try sample(0, 20)), (try sample(20, 20), try sample(20, 20))] {
      let test = try #require(EqualityTest.primary(a, b))
      #expect(test.pValue == 1 && test.log10PValue == 0 && !test.hasInformation && test.method == .z)
      let interval = try #require(MiettinenNurminen.differenceInterval(a, b))
      #expect(close(interval.high, 0.16457663808434955) && close(interval.low, -0.16457663808434955))
    }
    let ratio = MiettinenNurminen.ratioInterval(try sample(0, 20), try sample(0, 20))
    #expect(ratio == Interval(low: 0, high: .infinity))
  }

  @Test func noneOrAllInOneArm() throws {
    let (none, all) = (try sample(0, 15), try sample(15, 15))
    #expect(MiettinenNurminen.differenceInterval(all, none)?.high == 1)
    #expect(MiettinenNurminen.differenceInterval(none, all)?.low == -1)
    #expect(MiettinenNurminen.ratioInterval(all, none)?.high == .infinity)
    #expect(MiettinenNurminen.ratioInterval(none, all)?.low == 0)
    #expect(Katz.ratioInterval(all, none) == nil)
    #expect(BetaBinomial.probabilityGreater(all, than: none) > 0.999999)
    let test = try #require(EqualityTest.primary(try sample(0, 8), try sample(3, 8)))
    #expect(test.method == .fisherMidP && test.hasInformation && test.pValue > 0 && test.pValue < 1)
  }

  @Test func oneUserAnArm() throws {
    let interval = try #require(MiettinenNurminen.differenceInterval(try sample(1, 1), try sample(0, 1)))
    #expect(close(interval.low, -0.5869013712455252) && interval.high == 1)
    #expect(close(EqualityTest.primary(try sample(1, 1), try sample(0, 1))?.pValue, 0.5, relative: 1e-13))
    #expect(try #require(Wilson.interval(sample(0, 1))).low == 0)
    #expect(try #require(Wilson.interval(sample(1, 1))).high == 1)
  }

  @Test(arguments: [0, 1, -0.5, 1.5, Double.nan])
  func impossibleConfidenceGivesNoInterval(_ confidence: Double) throws {
    let (a, b) = (try sample(3, 10), try sample(5, 11))
    #expect(Wilson.interval(a, confidence: confidence) == nil)
    #expect(ClopperPearson.interval(a, confidence: confidence) == nil)
    #expect(MiettinenNurminen.differenceInterval(a, b, confidence: confidence) == nil)
    #expect(MiettinenNurminen.ratioInterval(a, b, confidence: confidence) == nil)
    #expect(BetaBinomial.differenceInterval(a, b, confidence: confidence) == Interval(low: -1, high: 1))
  }

  /// Nothing traps at the end of the range of integers.
  @Test func largestCounts() throws {
    let all = try sample(Int.max, Int.max)
    let few = try sample(3, Int.max)
    let tiny = try sample(1, 2)
    #expect(EqualityTest.primary(all, few) != nil && EqualityTest.primary(few, tiny) != nil)
    #expect(MiettinenNurminen.differenceInterval(few, few) != nil)
    #expect(Wilson.interval(all)?.high == 1)
    let lopsided = try ChiSquare.sampleRatio(observed: [Int.max - 2, 1], weights: [1, 1e-19])
    #expect(lopsided.method == .exactBinomial)
    let far = Quantiles.estimate([1, 2, 3], 1e-300)
    #expect(throws: StatisticsError.self) { try far.get() }
    #expect(throws: StatisticsError.tooMany(name: "causes", have: Int.max, most: 1000)) {
      try SurvivalTimes(times: [1], causes: [Int.max])
    }
    #expect(throws: StatisticsError.tooMany(name: "looks", have: Int.max, most: 10_000)) {
      try GroupSequential(equalLooks: Int.max, spending: .pocock)
    }
  }

  @Test func samplesAddUp() throws {
    #expect(try sample(3, 10) + sample(4, 6) == sample(7, 16))
    #expect(try sample(Int.max, Int.max) + sample(1, 2) == sample(Int.max, Int.max))
  }
}

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
