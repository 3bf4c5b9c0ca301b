// The limits of a p′ chart: by hand, at the edges, and over years that are made up.

import Statistics
import Testing

@Suite struct UsualRangeTests {
  private func weeks(_ counts: [(Int, Int)]) throws -> [BinomialSample] {
    try counts.map { try BinomialSample(successes: $0.0, trials: $0.1) }
  }

  @Test func byHand() throws {
    let earlier = try weeks([(50, 100), (50, 100), (50, 100), (50, 100)])
    let range = try #require(UsualRange(of: try BinomialSample(successes: 40, trials: 100), after: earlier))
    // ȳ = π/4, s = 1: sin²(π/4 ± 1.5 √(1/100.5 + 1/402)) = ½ ± ½ sin(3 √(5/402)).
    let half = 0.5 * sine(3 * (5.0 / 402).squareRoot())
    #expect(close(range.low, 0.5 - half, relative: 1e-12) && close(range.high, 0.5 + half, relative: 1e-12))
    #expect(close(range.middle, 0.5, relative: 1e-12))
    #expect(range.weeks == 4 && range.outside == nil)
    // 33 of 100 are the first below: 33.4.
    func side(_ granted: Int) throws -> UsualRange.Side? {
      UsualRange(of: try BinomialSample(successes: granted, trials: 100), after: earlier)?.outside
    }
    #expect(try side(33) == .lower && side(34) == nil && side(66) == nil && side(67) == .higher)
  }

  /// Weeks that vary by ten points of themselves make the range wider: the sum of squares is 4 · 100.5 · 4 · 0.1², by 3.
  @Test func weeksThatVaryOfThemselvesMakeItWider() throws {
    let still = try weeks([(500, 1000), (500, 1000), (500, 1000), (500, 1000)])
    let wild = try weeks([(400, 1000), (600, 1000), (400, 1000), (600, 1000)])
    let now = try BinomialSample(successes: 430, trials: 1000)
    #expect(UsualRange(of: now, after: still)?.outside == .lower)
    let range = try #require(UsualRange(of: now, after: wild))
    #expect(range.outside == nil && range.low < 0.2 && range.high > 0.8)
  }

  @Test func theNewestTwelveCount() throws {
    let old = try weeks([(10, 100), (10, 100), (10, 100)])
    let new = try weeks([(Int, Int)](repeating: (50, 100), count: 12))
    let now = try BinomialSample(successes: 50, trials: 100)
    #expect(UsualRange(of: now, after: old + new) == UsualRange(of: now, after: new))
    #expect(UsualRange(of: now, after: new)?.weeks == 12)
    // Weeks without trials are none.
    let gaps = try weeks([(0, 0), (0, 0)])
    #expect(UsualRange(of: now, after: new + gaps) == UsualRange(of: now, after: new))
  }

  @Test func tooLittleIsKnown() throws {
    let three = try weeks([(5, 10), (5, 10), (5, 10)])
    let now = try BinomialSample(successes: 5, trials: 10)
    #expect(UsualRange(of: now, after: three) == nil)
    #expect(UsualRange(of: now, after: three + (try weeks([(0, 0)]))) == nil)
    #expect(UsualRange(of: try BinomialSample(successes: 0, trials: 0), after: three + three) == nil)
  }

  /// Limits stay shares, and a share of 0 or 1 is never outside of its own kind.
  @Test func atTheEnds() throws {
    for (granted, all) in [(0, 50), (50, 50), (0, 1), (1, 1)] {
      let earlier = try weeks([(Int, Int)](repeating: (granted, all), count: 5))
      let range = try #require(
        UsualRange(of: try BinomialSample(successes: granted, trials: all), after: earlier))
      #expect(range.outside == nil && range.low >= 0 && range.high <= 1 && range.low <= range.high, "\(granted)")
    }
    let none = try weeks([(Int, Int)](repeating: (0, 300), count: 8))
    #expect(UsualRange(of: try BinomialSample(successes: 30, trials: 300), after: none)?.outside == .higher)
    let huge = Int.max / 2
    let large = try weeks([(Int, Int)](repeating: (huge / 2, huge), count: 4))
    #expect(UsualRange(of: try BinomialSample(successes: huge / 2, trials: huge), after: large)?.outside == nil)
  }
}
