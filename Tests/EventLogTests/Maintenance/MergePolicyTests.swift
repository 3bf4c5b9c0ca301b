// Which parts are merged, on made-up sizes.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct MergePolicyTests {
  private typealias Size = (rows: UInt64, dictionary: Int)

  /// Merges until there is nothing to merge; the rows that were rewritten.
  private func settle(_ parts: inout [Size]) -> UInt64 {
    var rewritten: UInt64 = 0
    while true {
      let chosen = MergePolicy.choose(parts)
      guard chosen.count > 1 else { return rewritten }
      let rows = chosen.reduce(0) { $0 + parts[$1].rows }
      let weight = chosen.reduce(0) { $0 + parts[$1].dictionary }
      #expect(weight <= MergePolicy.dictionaryLimit)
      rewritten += rows
      parts = parts.indices.filter { !chosen.contains($0) }.map { parts[$0] } + [(rows, weight)]
    }
  }

  @Test(arguments: [1, 2, 3, 4])
  func partsAndRewritesGrowWithTheLogarithm(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var parts: [Size] = []
    var rows: UInt64 = 0
    var rewritten: UInt64 = 0
    for _ in 0..<3000 {
      let new = UInt64.random(in: 1...(seed < 3 ? 50_000 : 3_000_000), using: &generator)
      rows += new
      parts.append((new, 1000))
      rewritten += settle(&parts)
      let tiers = MergePolicy.tier(rows: rows) + 1
      #expect(parts.count <= tiers * (MergePolicy.partsPerTier - 1), "seed \(seed)")
      #expect(parts.reduce(0) { $0 + $1.rows } == rows, "seed \(seed)")
    }
    #expect(rewritten / rows <= UInt64(MergePolicy.tier(rows: rows)) * 2, "seed \(seed): \(rewritten) of \(rows)")
  }

  /// Days of one size: what a report pays for is what lies beside the largest part.
  @Test func mostRowsAreInOnePart() {
    var parts: [Size] = []
    var rewritten: UInt64 = 0
    for day in 1...1000 {
      parts.append((80_000, 1000))
      rewritten += settle(&parts)
      let largest = parts.map(\.rows).max() ?? 0
      let others = parts.reduce(0) { $0 + $1.rows } - largest
      #expect(parts.count < 4 || others < largest / MergePolicy.largestShare, "day \(day)")
    }
    #expect(rewritten < 7 * 80_000 * 1000)
  }

  @Test func threeAreLeftAndFourAreMerged() {
    let small: Size = (100, 10)
    #expect(MergePolicy.choose([small, small, small]).isEmpty)
    #expect(MergePolicy.choose([small, small, small, small]) == [0, 1, 2, 3])
    #expect(MergePolicy.choose([]).isEmpty)
  }

  @Test func partsWithLargeDictionariesAreLeftAlone() {
    let heavy: Size = (100, MergePolicy.dictionaryLimit / 4)
    let light: Size = (100, 10)
    #expect(MergePolicy.choose([heavy, heavy, heavy, heavy, heavy]).isEmpty)
    #expect(MergePolicy.choose([light, heavy, light, light, light]) == [0, 2, 3, 4])
  }

  /// The codes of a merged dictionary must fit their columns, however many parts come at once.
  @Test func aMergedDictionaryIsBounded() {
    var parts: [Size] = Array(repeating: (1_000_000, MergePolicy.dictionaryLimit / 4 - 1), count: 40)
    _ = settle(&parts)
    #expect(parts.reduce(0) { $0 + $1.rows } == 40_000_000)
    #expect(parts.count <= 10)
  }
}
