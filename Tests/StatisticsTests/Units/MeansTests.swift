// Moments, Welch, rate ratios, quantiles, correlations.

import Testing

@testable import Statistics

@Suite struct MeansTests {
  @Test func momentsDoNotCancel() throws {
    let values = [1_000_000_000, 1_000_000_001, 1_000_000_002]
    let moments = IntegerMoments(values)
    #expect(moments.mean == 1_000_000_001)
    #expect(moments.sampleVariance == 1)
    let constant = IntegerMoments([Int](repeating: 3_000_000_007 / 7, count: 50))
    #expect(constant.sampleVariance == 0)
    #expect(IntegerMoments([5]).sampleVariance == nil && IntegerMoments([]).mean == nil)
    #expect(moments + IntegerMoments([]) == moments)
    #expect((IntegerMoments([1, 2]) + IntegerMoments([3])) == IntegerMoments([1, 2, 3]))
    #expect(IntegerMoments([Int.max, Int.max]).sum == Int.max)
  }

  @Test func mergedMomentsAreThoseOfTheWhole() throws {
    var generator = SeededGenerator(seed: 21)
    let values = (0..<400).map { _ in Double.random(in: 1e6...(1e6 + 3), using: &generator) }
    let whole = SampleMoments(values)
    let parts = SampleMoments(Array(values[..<90])) + SampleMoments(Array(values[90...]))
    #expect(close(parts.mean, try #require(whole.mean), relative: 1e-14))
    #expect(close(parts.sampleVariance, try #require(whole.sampleVariance), relative: 1e-8))
  }

  /// Five and four day counts; difference and error by hand.
  @Test func welchFromIntegers() throws {
    let (a, b) = (IntegerMoments([2, 4, 4, 7, 9]), IntegerMoments([1, 3, 2, 2]))
    let got = try #require(Welch.differenceInterval(a, b))
    let direct = try Welch.test(SampleMoments([2, 4, 4, 7, 9]), SampleMoments([1, 3, 2, 2])).get()
    #expect(close(direct.difference, 3.2, relative: 1e-14))
    #expect(close(direct.standardError, (7.7 / 5 + 2.0 / 3 / 4).squareRoot(), relative: 1e-14))
    #expect(close(got.low, direct.interval.low, relative: 1e-13))
    #expect(close(got.high + got.low, 6.4, relative: 1e-13))
    #expect(try #require(Welch.differenceInterval(b, a)).low == -got.high)
  }

  @Test func welchRefusals() {
    let (one, flat, some) = (IntegerMoments([4]), IntegerMoments([4, 4, 4]), IntegerMoments([1, 2, 5]))
    #expect(Welch.differenceInterval(one, some) == nil)
    #expect(Welch.differenceInterval(some, one) == nil)
    #expect(Welch.differenceInterval(flat, flat) == nil)
    #expect(Welch.differenceInterval(flat, some) != nil)
    #expect(Welch.differenceInterval(some, some, confidence: 1) == nil)
    let refusal = Welch.test(SampleMoments(one), SampleMoments(some))
    #expect(throws: StatisticsError.tooFew(name: "observations in a group", have: 1, need: 2)) { try refusal.get() }
  }

  @Test func pointBiserialRefusals() throws {
    let none = IntegerMoments([])
    #expect(PointBiserial.correlation(none, IntegerMoments([1, 2])) == nil)
    #expect(PointBiserial.correlation(IntegerMoments([1, 2]), none) == nil)
    #expect(PointBiserial.correlation(IntegerMoments([3, 3]), IntegerMoments([3])) == nil)
    let pair = try #require(PointBiserial.correlation(IntegerMoments([3]), IntegerMoments([1])))
    #expect(pair.value == 1 && pair.interval == nil)
    let apart = try #require(PointBiserial.correlation(IntegerMoments([1, 1, 1]), IntegerMoments([7, 7, 7])))
    #expect(apart.value == -1 && apart.interval == nil)
    let three = try #require(PointBiserial.correlation(IntegerMoments([3, 5]), IntegerMoments([1])))
    #expect(three.value > 0 && three.interval == nil)
    let four = try #require(PointBiserial.correlation(IntegerMoments([3, 5]), IntegerMoments([1, 4])))
    #expect(try #require(four.interval).contains(four.value))
  }

  /// At 0/1 observations it is the phi coefficient.
  @Test func pointBiserialIsPhiOnZeroAndOne() throws {
    let one = IntegerMoments(count: 40, sum: 30, sumOfSquares: 30)
    let two = IntegerMoments(count: 60, sum: 15, sumOfSquares: 15)
    let phi = try #require(PhiCoefficient.table(30, 10, 15, 45))
    let got = try #require(PointBiserial.correlation(one, two))
    #expect(close(got.value, phi.value, relative: 1e-14))
    #expect(close(got.interval?.low, try #require(phi.interval).low, relative: 1e-12))
    #expect(PhiCoefficient.table(0, 0, 3, 4) == nil)
    #expect(PhiCoefficient.table(5, 0, 0, 5)?.interval == nil)
  }

  @Test func riskRatioOverStrata() throws {
    typealias Stratum = RiskRatio.Stratum
    let one = Stratum(first: (12, 100), second: (30, 500))
    let got = try #require(RiskRatio.mantelHaenszel([one]))
    #expect(close(got.ratio, 2, relative: 1e-14), "of one stratum it is the ratio of the risks")
    let interval = try #require(got.interval)
    // ln 2 ± 1.959964 √(1/12 + 1/30)
    #expect(close(interval.low * interval.high, 4, relative: 1e-12))
    #expect(
      close(interval.high, exponential(logarithm(2) + 1.959963984540054 * (7.0 / 60).squareRoot()), relative: 1e-12))
    // P = 12·500/600 + 2·40/50 = 11.6, Q = 30·100/600 + 8·10/50 = 6.6; strata with one group alone say nothing.
    let strata = [one, Stratum(first: (2, 10), second: (8, 40)), Stratum(first: (5, 9), second: (0, 0))]
    let two = try #require(RiskRatio.mantelHaenszel(strata, dispersion: 2))
    #expect(close(two.ratio, 11.6 / 6.6, relative: 1e-14))
    let p = 12 * (500.0 / 600) * (500.0 / 600) + 2 * 0.8 * 0.8
    let q = 30 * (100.0 / 600) * (100.0 / 600) + 8 * 0.2 * 0.2
    let half = 1.959963984540054 * (p / (11.6 * 11.6) + 2 * q / (6.6 * 6.6)).squareRoot()
    #expect(close(try #require(two.interval).low, 11.6 / 6.6 * exponential(-half), relative: 1e-12))
    let none = try #require(RiskRatio.mantelHaenszel([Stratum(first: (0, 10), second: (3, 10))]))
    #expect(none.ratio == 0 && none.interval == nil)
    #expect(RiskRatio.mantelHaenszel([Stratum(first: (3, 10), second: (0, 10))]) == nil)
    #expect(RiskRatio.mantelHaenszel([Stratum(first: (0, 0), second: (2, 10))]) == nil)
    #expect(RiskRatio.mantelHaenszel([]) == nil)
  }

  @Test func quantileRefusals() throws {
    #expect(Quantiles.type7([], 0.5) == nil && Quantiles.type7([3], 0.9) == 3)
    let few = Quantiles.estimate([1, 2, 3], 0.9)
    #expect(throws: StatisticsError.quantileOutsideSample(have: 3, need: 35)) { try few.get() }
    let ties = Quantiles.estimate([Double](repeating: 4, count: 100), 0.5)
    #expect(throws: StatisticsError.noVariance) { try ties.get() }
    let enough = (0..<35).map(Double.init)
    #expect(try Quantiles.estimate(enough, 0.9).get().value == Quantiles.type7(enough, 0.9))
    #expect(Quantiles.rankInterval(count: 0, quantile: 0.5) == nil)
  }
}
