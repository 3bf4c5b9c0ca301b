// The fast intervals against nested bisection on random tables.

import Statistics
import Testing

@Suite struct MiettinenNurminenOracleTests {
  static let z = 1.959963984540054

  /// The oracle subtracts in doubles what the library does not, so it is itself only good to about 1e-15 absolute, and
  /// rates near 1 go to it as failures.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func differenceAgreesWithBisection(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let (n1, n0) = (generator.trials(), generator.trials())
      let first = try sample(generator.successes(of: n1), n1)
      let second = try sample(generator.successes(of: n0), n0)
      let got = try #require(MiettinenNurminen.differenceInterval(first, second))
      let common = first.successes + second.successes > first.failures + second.failures
      let (one, two) = common ? (second.complement, first.complement) : (first, second)
      let want = ScoreOracle(one, two, z: Self.z).differenceInterval()
      let place = "seed \(seed): \(first) \(second) got \(got) want \(want)"
      #expect(close(got.low, want.low, absolute: 4e-15), "\(place)")
      #expect(close(got.high, want.high, absolute: 4e-15), "\(place)")
    }
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func ratioAgreesWithBisection(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let (n1, n0) = (generator.trials(), generator.trials())
      let first = try sample(generator.successes(of: n1), n1)
      let second = try sample(generator.successes(of: n0), n0)
      let got = try #require(MiettinenNurminen.ratioInterval(first, second))
      guard first.successes > 0 || second.successes > 0 else {
        #expect(got == Interval(low: 0, high: .infinity))
        continue
      }
      let want = ScoreOracle(first, second, z: Self.z).ratioInterval()
      let place = "seed \(seed): \(first) \(second) got \(got) want \(want)"
      // Ratios of rates near 1 are beyond the oracle; they are held to longer arithmetic in `ExtremeCountTests`.
      let nearOne = 1 - min(first.rate ?? 0, second.rate ?? 0)
      let doubt = nearOne < 1e-3 ? 1e-7 : 0
      #expect(close(got.low, want.low, absolute: doubt), "\(place)")
      #expect(close(got.high, want.high, absolute: doubt), "\(place)")
    }
  }

  @Test(arguments: [7, 8] as [UInt64])
  func turningTheTableRound(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let (n1, n0) = (generator.trials(), generator.trials())
      let first = try sample(generator.successes(of: n1), n1)
      let second = try sample(generator.successes(of: n0), n0)
      let got = try #require(MiettinenNurminen.differenceInterval(first, second))
      let swapped = try #require(MiettinenNurminen.differenceInterval(second, first))
      let inverted = try #require(MiettinenNurminen.differenceInterval(second.complement, first.complement))
      let place = "seed \(seed): \(first) \(second)"
      #expect(close(got.low, -swapped.high, relative: 1e-11, absolute: 1e-300), "\(place)")
      #expect(close(got.low, inverted.low, relative: 1e-11, absolute: 1e-300), "\(place)")
      #expect(got.low >= -1 && got.high <= 1 && got.low < got.high, "\(place)")
      let ratio = try #require(MiettinenNurminen.ratioInterval(first, second))
      let inverse = try #require(MiettinenNurminen.ratioInterval(second, first))
      #expect(close(ratio.low, 1 / inverse.high, relative: 1e-10), "\(place)")
      // The same test at no difference, so both intervals agree about it.
      #expect((got.low > 0) == (ratio.low > 1) || abs(got.low) < 1e-12, "\(place)")
      #expect((got.high < 0) == (ratio.high < 1) || abs(got.high) < 1e-12, "\(place)")
    }
  }

  @Test func wholeTablesToTwelve() throws {
    for n1 in [1, 2, 5, 12] {
      for n0 in [1, 3, 12] {
        for x1 in 0...n1 {
          for x0 in 0...n0 {
            let (first, second) = (try sample(x1, n1), try sample(x0, n0))
            let got = try #require(MiettinenNurminen.differenceInterval(first, second, confidence: 0.9))
            let want = ScoreOracle(first, second, z: 1.6448536269514722).differenceInterval()
            #expect(close(got.low, want.low, absolute: 1e-14), "\(first) \(second) \(got) \(want)")
            #expect(close(got.high, want.high, absolute: 1e-14), "\(first) \(second) \(got) \(want)")
          }
        }
      }
    }
  }
}
