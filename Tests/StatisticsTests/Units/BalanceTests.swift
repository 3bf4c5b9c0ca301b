// Sample ratio, strata, novelty.

import Statistics
import Testing

@Suite struct BalanceTests {
  @Test func exactWhereExpectedIsSmall() throws {
    let even = try ChiSquare.sampleRatio(observed: [0, 8], weights: [1, 1])
    #expect(even.method == .exactBinomial && close(even.pValue, 0.0078125, relative: 1e-12))
    #expect(even.expected == [4, 4] && even.degreesOfFreedom == 1 && even.statistic == 8)
    let one = try ChiSquare.sampleRatio(observed: [1, 19], weights: [0.1, 0.9])
    #expect(close(one.pValue, 0.7148201929357019, relative: 1e-10))
    let six = try ChiSquare.sampleRatio(observed: [6, 14], weights: [0.1, 0.9])
    #expect(close(six.pValue, 0.011253134164509005, relative: 1e-10))
    let large = try ChiSquare.sampleRatio(observed: [50, 50], weights: [1, 1])
    #expect(large.method == .chiSquare && large.pValue == 1)
  }

  /// Six users over three equal arms: multinomial coefficients over 729.
  @Test func exactMultinomial() throws {
    let got = try ChiSquare.sampleRatio(observed: [5, 1, 0], weights: [1, 1, 1])
    #expect(got.method == .exactMultinomial)
    // Coefficient 6 for (5, 1, 0), six of them; 1 for (6, 0, 0), three. All others are likelier.
    #expect(close(got.pValue, 39.0 / 729, relative: 1e-12))
    let many = try ChiSquare.sampleRatio(observed: [3, 50_000, 50_000], weights: [0.00001, 1, 1])
    #expect(many.method == .chiSquare)
  }

  @Test func refusals() throws {
    func refused(_ observed: [Int], _ weights: [Double], _ error: StatisticsError) {
      #expect(throws: error) { try ChiSquare.sampleRatio(observed: observed, weights: weights) }
      #expect(error.sentence.hasSuffix("."))
    }
    refused([1], [1, 1], .lengthsDiffer(1, 2))
    refused([1, 2], [0, 0], .noWeight)
    refused([-1, 2], [1, 1], .negativeCount(-1))
    refused([1, 2], [-1, 2], .notPositive(name: "weight", value: -1))
    refused([5, 5, 1], [1, 1, 0], .unexpectedArm(index: 2, observed: 1))
    refused([0, 0], [1, 1], .tooFew(name: "users", have: 0, need: 1))
    let alone = try ChiSquare.sampleRatio(observed: [7], weights: [1])
    #expect(alone.pValue == 1 && alone.degreesOfFreedom == 0)
  }

  @Test func independence() throws {
    let same = try #require(PearsonChiSquare.independence([[50, 50], [20, 20], [0, 0]]))
    #expect(same.statistic == 0 && same.pValue == 1 && same.degreesOfFreedom == 1 && same.leastExpected == 20)
    // The two-by-two case is N φ².
    let got = try #require(PearsonChiSquare.independence([[30, 10], [15, 45]]))
    #expect(close(got.statistic, 24.242424242424242, relative: 1e-12))
    #expect(PearsonChiSquare.independence([[1, 2]]) == nil)
    #expect(PearsonChiSquare.independence([[1, 2], [3]]) == nil)
    // None or all succeeded: nothing can differ.
    #expect(PearsonChiSquare.equalRates([try sample(0, 12), try sample(0, 30)]) == nil)
    #expect(PearsonChiSquare.equalRates([try sample(12, 12), try sample(30, 30)]) == nil)
  }

  @Test func strataWithoutUsersOrVariance() throws {
    let empty = Stratified.Stratum(first: try sample(1, 5), second: try sample(0, 0))
    #expect(throws: StatisticsError.self) { try Stratified.compare([empty]).get() }
    #expect(throws: StatisticsError.self) { try Stratified.compare([]).get() }
    let sure = Stratified.Stratum(first: try sample(9, 9), second: try sample(0, 4))
    let mixed = Stratified.Stratum(first: try sample(5, 9), second: try sample(3, 8))
    let got = try Stratified.compare([empty, sure, mixed]).get()
    #expect(got.differences[0] == nil && got.differences[1] == 1)
    #expect(got.heterogeneityDegreesOfFreedom == 1 && got.heterogeneity > 0 && got.heterogeneity.isFinite)
    let still = try Stratified.compare([.init(first: try sample(0, 3), second: try sample(0, 3))]).get()
    #expect(still.associationChiSquare == nil && still.associationP == nil && !still.simpsonReversal)
  }

  @Test func noveltyNeedsFiveDays() throws {
    func days(_ count: Int, error: Double = 0.01) -> [NoveltyTrend.Day] {
      (0..<count).map { .init(day: $0, difference: 0.05 - 0.01 * Double($0), standardError: error) }
    }
    #expect(throws: StatisticsError.tooFew(name: "days with a known error", have: 4, need: 5)) {
      try NoveltyTrend.fit(days(4)).get()
    }
    #expect(throws: StatisticsError.self) { try NoveltyTrend.fit(days(9, error: 0)).get() }
    let fading = try NoveltyTrend.fit(days(6)).get()
    #expect(close(fading.slope, -0.01, relative: 1e-12) && fading.isFading)
    let noisy = try NoveltyTrend.fit(days(6, error: 1)).get()
    #expect(!noisy.isFading)
  }
}
