// Tables at the edge: empty arms, no or only successes, single users.

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
    #expect(throws: StatisticsError.tooMany(name: "looks", have: Int.max, most: 200)) {
      try GroupSequential(equalLooks: Int.max, spending: .pocock)
    }
  }

  @Test func samplesAddUp() throws {
    #expect(try sample(3, 10) + sample(4, 6) == sample(7, 16))
    #expect(try sample(Int.max, Int.max) + sample(1, 2) == sample(Int.max, Int.max))
  }
}
