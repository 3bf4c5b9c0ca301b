// Adjusted p-values with missing ones.

import Statistics
import Testing

@Suite struct MultiplicityTests {
  @Test func missingOnesAreNotCounted() {
    let p: [Double?] = [nil, 0.01, 0.04, .nan, 0.03, 0.005]
    let holm = MultipleTesting.holm(p)
    #expect(holm[0] == nil && holm[3] == nil)
    #expect(holm.compactMap { $0 } == MultipleTesting.holm([0.01, 0.04, 0.03, 0.005]).compactMap { $0 })
    let bh = MultipleTesting.benjaminiHochberg(p)
    #expect(bh[0] == nil && bh[3] == nil && close(bh[5], 0.02))
    #expect(MultipleTesting.holm([]).isEmpty && MultipleTesting.benjaminiHochberg([nil]) == [nil])
  }

  @Test(arguments: [41, 42] as [UInt64])
  func orderAndSize(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let p = (0..<Int.random(in: 1...12, using: &generator)).map { _ in Double.random(in: 0...1, using: &generator) }
      let holm = MultipleTesting.holm(p).compactMap { $0 }
      let bh = MultipleTesting.benjaminiHochberg(p).compactMap { $0 }
      let bonferroni = MultipleTesting.bonferroni(p).compactMap { $0 }
      for i in p.indices {
        #expect(p[i] <= bh[i] && bh[i] <= holm[i] && holm[i] <= bonferroni[i] && holm[i] <= 1, "seed \(seed)")
        for j in p.indices where p[i] < p[j] { #expect(holm[i] <= holm[j] && bh[i] <= bh[j], "seed \(seed)") }
      }
    }
  }
}
