// Tests of two rates, and the adjustment of several.

import Statistics
import Testing

@Suite struct EqualityTestTests {
  typealias Case = (x1: Int, n1: Int, x2: Int, n2: Int, p: Double, log10: Double)

  /// From exact sums with 40 digits.
  static let midP: [Case] = [
    (400, 1000, 0, 1_000_000, 0, -1240.9376770471386),
    (3, 1_000_000_000, 5, 1_000_000_000, 0.507812499234375, -0.29429661365979524),
    (0, 1, 400, 1000, 0.6998001998001998, -0.15502593785752524),
    (1, 1, 0, 1, 0.5, -0.3010299956639812),
    (2, 50, 7, 50, 0.095181418794742093, -1.0214478258018652),
    (40, 100_000, 1, 100_000, 1.9481542393972489e-11, -10.710376662104547),
  ]

  @Test(arguments: midP.indices)
  func exact(_ index: Int) throws {
    let item = Self.midP[index]
    for (a, b) in [
      (try sample(item.x1, item.n1), try sample(item.x2, item.n2)),
      (try sample(item.x2, item.n2), try sample(item.x1, item.n1)),
    ] {
      for (first, second) in [(a, b), (a.complement, b.complement)] {
        let got = try #require(FisherExact.test(first, second))
        #expect(close(got.midP, item.p, relative: 1e-9), "\(item) \(got)")
        #expect(close(got.log10MidP, item.log10, relative: 1e-9), "\(item) \(got)")
      }
    }
  }

  @Test func methodFollowsTheExpectedCell() throws {
    // Expected successes: 5 and 5, then 4.5 and 4.5.
    #expect(try #require(EqualityTest.primary(sample(4, 50), sample(6, 50))).method == .z)
    #expect(try #require(EqualityTest.primary(sample(3, 50), sample(6, 50))).method == .fisherMidP)
    #expect(try #require(EqualityTest.primary(sample(46, 50), sample(45, 50))).method == .fisherMidP)
    #expect(EqualityTest.Method.fisherMidP.rawValue == "fisher_mid_p" && EqualityTest.Method.z.rawValue == "z")
  }

  @Test func farTailsKeepTheirLogarithm() throws {
    // z is 79.02: the probability underflows, its logarithm does not.
    let test = try #require(EqualityTest.primary(sample(371_000, 500_000), sample(335_000, 500_000)))
    let z = try #require(PooledZ.test(sample(371_000, 500_000), sample(335_000, 500_000)))
    #expect(abs(z.z - 79.02) < 0.01)
    #expect(test.pValue == 0)
    let leading = -(z.z * z.z) / 2 / 2.302585092994046
    #expect(test.log10PValue < leading && test.log10PValue > leading - 3)
    let exact = try #require(EqualityTest.primary(sample(400, 1000), sample(0, 1_000_000)))
    #expect(exact.method == .fisherMidP && exact.log10PValue < -1240)
  }

  @Test(arguments: [11, 12] as [UInt64])
  func fisherAgreesWithFullEnumeration(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let (n1, n2) = (Int.random(in: 1...14, using: &generator), Int.random(in: 1...14, using: &generator))
      let (x1, x2) = (Int.random(in: 0...n1, using: &generator), Int.random(in: 0...n2, using: &generator))
      // Integer numbers of arrangements, so ties are ties.
      func choose(_ n: Int, _ k: Int) -> Int { k < 0 || k > n ? 0 : (0..<k).reduce(1) { $0 * (n - $1) / ($1 + 1) } }
      let marked = x1 + x2
      let ways = (0...n1).map { choose(n1, $0) * choose(n2, marked - $0) }
      let total = Double(ways.reduce(0, +))
      let own = ways[x1]
      let less = Double(ways.filter { $0 < own && $0 > 0 }.reduce(0, +))
      let ties = Double(ways.filter { $0 == own }.reduce(0, +))
      let got = try #require(FisherExact.test(sample(x1, n1), sample(x2, n2)))
      let place = "seed \(seed): \(x1)/\(n1) \(x2)/\(n2)"
      #expect(close(got.twoSided, (less + ties) / total, relative: 1e-11), "\(place)")
      #expect(close(got.midP, (less + ties / 2) / total, relative: 1e-11), "\(place)")
      #expect(close(got.midPObservedOnly, (less + ties - Double(own) / 2) / total, relative: 1e-11), "\(place)")
      #expect(close(got.less, Double(ways[0...x1].reduce(0, +)) / total, relative: 1e-11), "\(place)")
      #expect(close(got.greater, Double(ways[x1...].reduce(0, +)) / total, relative: 1e-11), "\(place)")
    }
  }
}

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
