// The oracle's own formulas against published and independently computed values (R, scipy).

import Testing

@testable import ReportOracle

@Suite struct StatisticsTests {
  @Test func wilsonIntervals() {
    #expect(isClose(wilson(0, of: 1)?.high, 0.7934506856227627) && wilson(0, of: 1)?.low == 0)
    #expect(isClose(wilson(1, of: 1)?.low, 0.2065493143772374) && wilson(1, of: 1)?.high == 1)
    #expect(wilson(0, of: 0) == nil)
  }

  @Test func miettinenNurminenIntervals() {
    let table = rateDifference(7, of: 34, minus: 1, of: 34)
    #expect(isClose(table?.low, 0.0270416266) && isClose(table?.high, 0.3452912170))
    let none = rateDifference(0, of: 20, minus: 0, of: 20)
    #expect(isClose(none?.low, -0.16458, within: 1e-5) && isClose(none?.high, 0.16458, within: 1e-5))
    let single = rateDifference(1, of: 1, minus: 0, of: 1)
    #expect(isClose(single?.low, -0.5869, within: 1e-4) && single?.high == 1)
  }

  @Test func studentQuantiles() {
    #expect(isClose(studentQuantile975(freedom: 1), 12.706204736174694))
    #expect(isClose(studentQuantile975(freedom: 10), 2.2281388519862735))
    #expect(isClose(studentQuantile975(freedom: 1e6), 1.9599663568, within: 1e-8))
  }

  @Test func welchInterval() {
    let second = [4.6, 6.0, 2.8, 2.3, 1.2]
    let first = [14.3, 6.4, 7.3, 11.9, 9.8, 8.5, 4.8]
    let difference = meanDifference(first, minus: second)
    #expect(isClose(difference?.low, 2.2510145947096216) && isClose(difference?.high, 8.988985405290379))
    #expect(meanDifference([1], minus: [2, 3])?.low == nil && meanDifference([], minus: [1]) == nil)
  }

  @Test func equalityTests() {
    #expect(isClose(equalityPValue(56, of: 70, against: 48, of: 80), 0.008045081368196585))
    #expect(isClose(fisherMidP(1, of: 10, against: 11, of: 14), 0.0014133799973078476))
    #expect(isClose(fisherMidP(3, of: 4, against: 1, of: 4), 0.2571428571428571))
    #expect(equalityPValue(0, of: 20, against: 0, of: 20) == 1)
  }

  @Test func holmAdjustment() {
    let adjusted = holm([0.01, 0.04, 0.03, 0.005])
    #expect(zip(adjusted, [0.03, 0.06, 0.06, 0.02]).allSatisfy { isClose($0, $1) })
    #expect(holm([0.2, 0.2, 0.2]).allSatisfy { isClose($0, 0.6) })
  }

  @Test func quantilesAreObservedValues() {
    #expect(quantile(Array(1...100), percent: 90) == 90)
    #expect(quantile([5], percent: 99) == 5)
    #expect(quantile([3, 1, 2, 2], percent: 50) == 2)
    #expect(quantile([], percent: 50) == nil)
  }
}
