// Coverage by exact enumeration: the probability of all tables whose interval holds the truth.

import Testing

@testable import Statistics

@Suite struct CoverageTests {
  static func mass(_ x: Int, _ n: Int, _ p: Double) -> Double {
    Elementary.exp(DiscreteMass.logBinomial(Double(x), Double(n - x), p: p, q: 1 - p))
  }

  static func coverage(
    _ n1: Int, _ p1: Double, _ n2: Int, _ p2: Double, _ holds: (BinomialSample, BinomialSample) -> Bool
  ) throws -> Double {
    var total = 0.0
    for x1 in 0...n1 {
      for x2 in 0...n2 where holds(try sample(x1, n1), try sample(x2, n2)) {
        total += mass(x1, n1, p1) * mass(x2, n2, p2)
      }
    }
    return total
  }

  /// The mean is close to 95 %; with three expected successes and failures no single rate is far below.
  @Test func wilsonOnAGrid() throws {
    for n in [10, 25, 60] {
      var sum = 0.0
      var worst = 1.0
      let rates = (1..<100).map { Double($0) / 100 }
      for p in rates {
        let covered = try (0...n).reduce(0.0) { total, x in
          let inside = try #require(Wilson.interval(sample(x, n))).contains(p)
          return inside ? total + Self.mass(x, n, p) : total
        }
        sum += covered
        if p * Double(n) >= 3, (1 - p) * Double(n) >= 3 { worst = min(worst, covered) }
      }
      #expect(abs(sum / Double(rates.count) - 0.953) < 0.006, "n \(n): \(sum / Double(rates.count))")
      #expect(worst > 0.915, "n \(n): \(worst)")
    }
  }

  @Test func miettinenNurminenOnAGrid() throws {
    for (n1, n2) in [(12, 12), (20, 10)] {
      var sum = 0.0
      var worst = 1.0
      var count = 0.0
      for i in stride(from: 5, through: 95, by: 15) {
        for j in stride(from: 5, through: 95, by: 15) {
          let (p1, p2) = (Double(i) / 100, Double(j) / 100)
          let covered = try Self.coverage(n1, p1, n2, p2) {
            MiettinenNurminen.differenceInterval($0, $1)?.contains(p1 - p2) == true
          }
          sum += covered
          worst = min(worst, covered)
          count += 1
        }
      }
      #expect(abs(sum / count - 0.955) < 0.015, "\(n1), \(n2): \(sum / count)")
      #expect(worst > 0.91, "\(n1), \(n2): \(worst)")
    }
  }

  /// 50 users an arm at 5 % and 2 %, nominal 95 %.
  @Test func rareOutcomes() throws {
    let (p1, p2) = (0.05, 0.02)
    func covered(_ interval: (BinomialSample, BinomialSample) -> Interval?, _ truth: Double) throws -> Double {
      try Self.coverage(50, p1, 50, p2) { interval($0, $1)?.contains(truth) == true }
    }
    #expect(abs(try covered({ Newcombe.differenceInterval($0, $1) }, 0.03) - 0.989) < 0.001)
    #expect(abs(try covered({ MiettinenNurminen.differenceInterval($0, $1) }, 0.03) - 0.978) < 0.001)
    #expect(abs(try covered({ MiettinenNurminen.ratioInterval($0, $1) }, 2.5) - 0.958) < 0.001)
    #expect(abs(try covered({ Katz.ratioInterval($0, $1)?.interval }, 2.5) - 0.582) < 0.001)
  }

  @Test func clopperPearsonIsNeverBelow() throws {
    for n in [1, 7, 20] {
      for p in (1..<40).map({ Double($0) / 40 }) {
        let covered = try (0...n).reduce(0.0) { total, x in
          let inside = try #require(ClopperPearson.interval(sample(x, n))).contains(p)
          return inside ? total + Self.mass(x, n, p) : total
        }
        #expect(covered >= 0.95, "n \(n) p \(p)")
      }
    }
  }
}
