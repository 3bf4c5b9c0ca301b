// Mann–Whitney: exact against enumeration, histograms, refusals.

import Statistics
import Testing

@Suite struct RankTests {
  /// All ways to choose the first group's ranks.
  static func enumerated(_ first: [Double], _ second: [Double]) -> Double {
    let pooled = (first + second).sorted()
    let m = first.count
    func u(_ chosen: [Int]) -> Int { chosen.reduce(0, +) - m * (m - 1) / 2 }
    let own = u(first.compactMap { pooled.firstIndex(of: $0) })
    var all: [Int] = []
    func choose(_ start: Int, _ chosen: [Int]) {
      if chosen.count == m {
        all.append(u(chosen))
        return
      }
      for next in start..<pooled.count { choose(next + 1, chosen + [next]) }
    }
    choose(0, [])
    let low = all.filter { $0 <= own }.count
    let high = all.filter { $0 >= own }.count
    return min(1, 2 * Double(min(low, high)) / Double(all.count))
  }

  @Test(arguments: [51, 52, 53] as [UInt64])
  func exactAgreesWithEnumeration(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      let m = Int.random(in: 1...5, using: &generator)
      let n = Int.random(in: 1...7, using: &generator)
      let values = (0..<(m + n)).map(Double.init).shuffled(using: &generator)
      let (first, second) = (Array(values[..<m]), Array(values[m...]))
      let got = try #require(MannWhitney.test(Histogram(observations: first), Histogram(observations: second)))
      #expect(got.method == .exact)
      #expect(close(got.pValue, Self.enumerated(first, second), relative: 1e-12), "seed \(seed) \(first) \(second)")
    }
  }

  @Test func orderOfGroupsOnlyTurnsTheEffect() throws {
    let a = try Histogram([(value: 3, count: 5), (value: 1, count: 2), (value: 3, count: 1)])
    let b = try Histogram([(value: 2, count: 4), (value: 3, count: 4), (value: 9, count: 2)])
    #expect(a.count == 8 && a.bins.map(\.count) == [2, 6])
    let one = try #require(MannWhitney.test(a, b))
    let two = try #require(MannWhitney.test(b, a))
    #expect(one.method == .normal && one.pValue == two.pValue)
    #expect(one.u + two.u == 80)
    #expect(close(one.probabilityFirstGreater + two.probabilityFirstGreater, 1, relative: 1e-15))
  }

  @Test func exactOnlyIfAffordable() throws {
    let few = try Histogram(observations: [0.5, 7.5, 20_000.5])
    let many = try Histogram(observations: (0..<30_000).map(Double.init))
    #expect(try #require(MannWhitney.test(few, many)).method == .exact)
    let nine = try Histogram(observations: (0..<9).map { Double($0) * 1000 + 0.5 })
    #expect(try #require(MannWhitney.test(nine, many)).method == .exact)
    let more = try Histogram(observations: (0..<200_000).map(Double.init))
    #expect(try #require(MannWhitney.test(nine, more)).method == .normal)
  }

  @Test func edges() throws {
    let none = try Histogram(observations: [])
    let some = try Histogram(observations: [1, 2])
    #expect(MannWhitney.test(none, some) == nil && MannWhitney.test(some, none) == nil)
    let same = try Histogram([(value: 5, count: 1_000_000_000)])
    let equal = try #require(MannWhitney.test(same, same))
    #expect(equal.pValue == 1 && equal.probabilityFirstGreater == 0.5 && equal.log10PValue == 0)
    let low = try Histogram([(value: 1, count: 1_000_000)])
    let high = try Histogram([(value: 2, count: 1_000_000)])
    let apart = try #require(MannWhitney.test(high, low))
    #expect(apart.probabilityFirstGreater == 1 && apart.pValue == 0 && apart.log10PValue < -1000)
    #expect(throws: StatisticsError.negativeCount(-2)) { try Histogram([(value: 1, count: -2)]) }
    #expect(throws: StatisticsError.notFinite(name: "value")) { try Histogram(observations: [.nan]) }
  }
}
