// The draws: elementary functions against the C library's, distributions against their quantiles, the sort against a plain
// one.

import Foundation
import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct RandomTests {
  @Test func elementaryFunctionsAreThoseOfTheCLibrary() {
    for i in 1...2000 {
      let x = Double(i) / 137
      #expect(abs(ElementaryFunctions.log(x) - log(x)) < 1e-13 * max(1, abs(log(x))))
      #expect(abs(ElementaryFunctions.exp(x - 7) / exp(x - 7) - 1) < 1e-13)
    }
  }

  @Test func logNormalDrawsHaveTheirMedianAndSpread() {
    let seed: UInt64 = 4
    var random = RandomSource(seed: seed, stream: 1)
    let table = LogNormalTable(sigma: 0.7)
    let draws = (0..<40_000).map { _ in table.draw(median: 4.5, &random) }.sorted()
    #expect(abs(draws[20_000] / 4.5 - 1) < 0.02, "seed \(seed)")
    // One standard deviation: e^0.7. Four uniforms have lighter tails than a normal.
    #expect(abs(draws[Int(40_000 * 0.8413)] / draws[20_000] / exp(0.7) - 1) < 0.04, "seed \(seed)")
  }

  @Test func exponentialDrawsHaveTheirMean() {
    var random = RandomSource(seed: 9, stream: 1)
    let mean = (0..<40_000).reduce(0.0) { sum, _ in sum + random.exponential(mean: 30) } / 40_000
    #expect(abs(mean / 30 - 1) < 0.03)
  }

  @Test func usersDrawNumbersOfTheirOwn() {
    var first = RandomSource(seed: 1, stream: 1)
    var second = RandomSource(seed: 1, stream: 2)
    #expect(Set((0..<1000).flatMap { _ in [first.next(), second.next()] }).count == 2000)
  }

  @Test func arrivalsAreSortedAndTiesKeepTheirOrder() {
    var random = RandomSource(seed: 2, stream: 2)
    let block = EventBlock()
    let start: Milliseconds = 1_700_000_000_000
    for serial in 0..<70_000 {
      // Also beyond a year, and many at the same millisecond.
      let received = start + Int64(random.below(serial % 2 == 0 ? 500 : 400 * 86_400_000))
      block.append(
        SimulatedEvent(
          time: start, received: received, user: 0, serial: UInt32(serial), kind: .appActive, status: .none,
          permission: 0, message: .none, feature: 0, appVersion: 0, osVersion: 0))
    }
    var order = ArrivalOrder()
    var serials: [Int] = []
    order.forEach(block, since: start) { serials.append(Int($0.serial)) }
    let expected = (0..<70_000).sorted { (block[$0].received, $0) < (block[$1].received, $1) }
    #expect(serials == expected)
  }

  @Test(arguments: [1, 7, 999, 1_000_000_000]) func everyUserJoinsOnce(users: Int) {
    let options = SimulationOptions.small(users: users, weeks: 520)
    let calendar = JoinCalendar(options)
    #expect((0..<options.days).reduce(0) { $0 + calendar.users(on: $1).count } == users)
    #expect(calendar.users(on: 0).lowerBound == 0)
  }
}
