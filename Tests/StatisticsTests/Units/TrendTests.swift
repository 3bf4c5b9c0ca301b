// The trend of rates along ordered groups.

import Statistics
import Testing

@Suite struct TrendTests {
  typealias Case = (successes: [Int], trials: [Int], z: Double, p: Double)

  /// By mpmath 1.3 with 40 digits, from the formula that does not take the mean off the scores; the first also R's own example of
  /// `prop.trend.test` (X-squared = 8.2249, p-value = 0.004132), and all but the last three by scipy's correlation, z = r √N.
  static let cases: [Case] = [
    ([83, 90, 129, 70], [86, 93, 136, 82], -2.8679125309530759, 0.0041318974776415652),
    ([31, 40, 52, 58, 60], [100, 100, 100, 100, 100], 4.8097797912384416, 1.5109666176024274e-6),
    // An empty group keeps its place.
    ([3, 0, 9, 0, 12], [11, 0, 20, 0, 18], 2.1062407269825546, 0.035183447093144925),
    ([5, 0], [9, 4], -1.90029237516523, 0.057394761418403297),
    ([7, 7], [20, 20], 0, 1),
    ([400_000, 402_000, 405_000], [1_000_000, 1_000_000, 1_000_000], 7.2099537923841596, 5.5970866877192078e-13),
    ([900, 50, 3, 0, 1], [1000, 1000, 1000, 10, 7], -42.538259540736452, 0),
    ([1_099_511_000_000, 1_099_511_627_776], [1_099_511_627_776, 1_099_511_627_776], 792.32327948711236, 0),
  ]

  @Test(arguments: cases.indices) func isAsCalculatedElsewhere(_ index: Int) throws {
    let item = Self.cases[index]
    let groups = try zip(item.successes, item.trials).map { try sample($0, $1) }
    let test = try #require(CochranArmitage.trend(groups))
    #expect(close(test.statistic, item.z, relative: 1e-11) || abs(test.statistic - item.z) < 1e-12, "\(item) \(test)")
    #expect(close(test.pValue, item.p, relative: 1e-9) || item.p == 0 && test.pValue < 1e-300, "\(item) \(test)")
    // The other way round, and of failures, it is the same with the other sign.
    let reversed = try #require(CochranArmitage.trend(groups.reversed()))
    let failures = try #require(CochranArmitage.trend(groups.map(\.complement)))
    for other in [reversed, failures] {
      #expect(abs(other.statistic + test.statistic) <= 1e-9 * abs(test.statistic) && other.statistic.isFinite)
    }
  }

  @Test func withoutTwoGroupsOrWithoutADifferenceThereIsNone() throws {
    #expect(CochranArmitage.trend([]) == nil)
    #expect(CochranArmitage.trend([try sample(3, 9)]) == nil)
    #expect(CochranArmitage.trend([.empty, try sample(3, 9), .empty]) == nil)
    #expect(CochranArmitage.trend([try sample(0, 9), try sample(0, 4)]) == nil)
    #expect(CochranArmitage.trend([try sample(9, 9), try sample(4, 4)]) == nil)
  }
}
