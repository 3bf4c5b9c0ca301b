// The size of a difference at its decision, the size of a test from what it loses, and divisions that differ.

import Testing

@testable import Statistics

@Suite struct SizeTests {
  private func path(_ times: [Double], _ z: [Double], alpha: Double = 0.05) throws -> LookPath {
    try LookPath(times: times, z: z, spending: .open(exponent: 2), alpha: alpha)
  }

  // MARK: The estimate at a decision

  @Test func withOneLookItIsTheDifferenceWithItsInterval() throws {
    let (a, b) = (try BinomialSample(successes: 400, trials: 1000), try BinomialSample(successes: 480, trials: 1000))
    let z = try #require(MiettinenNurminen.scoreAtZero(b, a))
    let found = try #require(try path([0.7], [z]).estimate)
    #expect(abs(found.median - z / 0.7.squareRoot()) < 1e-9)
    let size = try #require(found.difference(b, a))
    let oneLook = try #require(MiettinenNurminen.differenceInterval(b, a))
    #expect(abs(size.value - 0.08) < 1e-9)
    #expect(abs(size.interval.low - oneLook.low) < 1e-8 && abs(size.interval.high - oneLook.high) < 1e-8)
  }

  @Test func theLaterTheCrossingTheMoreIsTakenBack() throws {
    let times = (1...40).map { Double($0) / 20 }
    for crossing in [1, 5, 20, 39] {
      var z = times.map { _ in 0.0 }
      z[crossing] = 4.2
      let seen = try path(times, z)
      #expect(seen.crossing == crossing)
      let found = try #require(seen.estimate)
      #expect(
        found.median < 4.2 / times[crossing].squareRoot() && found.low < found.median && found.median < found.high)
      #expect(found.low > 0, "who crosses excludes 0")
      // The other side is the mirror.
      let mirrored = try #require(try path(times, z.map { -$0 }).estimate)
      #expect(mirrored.median == -found.median && mirrored.low == -found.high && mirrored.high == -found.low)
    }
  }

  @Test func withoutACrossingThereIsNone() throws {
    #expect(try path([0.5, 1], [1, 1]).estimate == nil)
    #expect(try path([0.5, 1], [1, .infinity]).estimate == nil, "no finite drift leads there")
  }

  /// The chance of a path as extreme as the one seen is ½ at the estimate: drawn paths say so.
  @Test(arguments: UInt64(1)...3)
  func halfOfThePathsAreMoreExtreme(seed: UInt64) throws {
    let times = (1...12).map { Double($0) / 8 }
    var z = times.map { _ in 0.0 }
    z[7] = 3.4
    let seen = try path(times, z)
    let found = try #require(seen.estimate)
    let bounds = seen.looks.map { look in if case .normal(let bound) = look.boundary { bound } else { Double.infinity }
    }
    var random = SeededGenerator(seed: seed)
    func normal() -> Double {
      NormalDistribution.quantile(Double.random(in: 1e-12..<1, using: &random))
    }
    let tests = 6000
    let extreme = (0..<tests).count { _ in
      var score = 0.0
      for (place, time) in times.prefix(8).enumerated() {
        let step = time - (place > 0 ? times[place - 1] : 0)
        score += found.median * step + step.squareRoot() * normal()
        let statistic = score / time.squareRoot()
        if place == 7 { return statistic >= 3.4 }
        if statistic >= bounds[place] { return true }
        if statistic <= -bounds[place] { return false }
      }
      return false
    }
    #expect(abs(Double(extreme) / Double(tests) - 0.5) < 0.03, "seed \(seed): \(extreme)")
  }

  // MARK: Test & Roll

  @Test func aSmallAppTestsFew() throws {
    let many = try TestAndRoll(users: 20_000, effectDeviation: 0.02, deviation: 0.5)
    #expect(Int(many.perArm.rounded()) == 1733)
    #expect(Int(many.gain(perArm: 1733).rounded()) == 101 && Int(many.gain(perArm: 9811).rounded()) == 3)
    let few = try TestAndRoll(users: 5000, effectDeviation: 0.02, deviation: 0.5)
    #expect(Int(few.perArm.rounded()) == 625)
    // No other size gains more.
    for size in stride(from: 100.0, through: 2400, by: 25) {
      #expect(few.gain(perArm: size) <= few.gain(perArm: few.perArm))
    }
    #expect(few.gain(perArm: 2500) == 0 && few.gain(perArm: 0) == 0)
    for wrong in [0, -1, .infinity, .nan] as [Double] {
      #expect(throws: StatisticsError.self) { try TestAndRoll(users: wrong, effectDeviation: 0.02, deviation: 0.5) }
      #expect(throws: StatisticsError.self) { try TestAndRoll(users: 100, effectDeviation: wrong, deviation: 0.5) }
    }
  }

  @Test func effectsOfPastTestsHaveADeviation() throws {
    #expect(RandomEffects.deviation([(0.02, 1e-4)]) == nil)
    // As far apart as chance alone would have them.
    #expect(RandomEffects.deviation([(0.01, 1e-4), (-0.01, 1e-4)]) == 0)
    let apart = try #require(RandomEffects.deviation([(0.03, 1e-4), (-0.03, 1e-4), (0.03, 1e-4)]))
    #expect(abs(apart - (9e-4 - 1e-4).squareRoot()) < 1e-12)
    #expect(RandomEffects.deviation([(0.1, 0), (0.1, .infinity)]) == nil, "nothing is known of these")
  }

  // MARK: Divisions

  @Test func twoDivisionsAreTheSameOrNot() {
    #expect(SameDivision.statistic([100, 100], [50, 50]) == 0)
    #expect(SameDivision.statistic([0, 0], [50, 50]) == 0)
    let statistic = SameDivision.statistic([90, 10], [50, 50])
    #expect(SameDivision.pValue(statistic, arms: 2) < 1e-9 && SameDivision.pValue(1, arms: 2, tests: 100) == 1)
    // 2 Σ n ln(n/e) by hand: 140 : 60 in all.
    let hand = 2 * (90 * log(90 / 70.0) + 10 * log(10 / 30.0) + 50 * log(50 / 70.0) + 50 * log(50 / 30.0))
    #expect(abs(statistic - hand) < 1e-9)
  }

  private func log(_ x: Double) -> Double { Elementary.log(x) }
}
