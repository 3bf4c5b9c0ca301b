// What stands beside daily looks: sample ratio, strata, power, the score at 0.

import Testing

@testable import Statistics

@Suite struct SequentialSampleRatioTests {
  /// Under the declared split E has the mean 1, whatever the number of users.
  @Test func evidenceIsFair() throws {
    for (weights, concentration) in [([1.0, 1], 400.0), ([3, 1], 10), ([0.9, 0.1], 1)] {
      let test = try SequentialSampleRatio(weights: weights, concentration: concentration)
      for users in [1, 7, 40] {
        var (ways, mean) = (1.0, 0.0)
        for first in 0...users {
          let log = Double(first) * logarithm(test.shares[0]) + Double(users - first) * logarithm(test.shares[1])
          mean += ways * exponential(log + test.logE([first, users - first]))
          ways *= Double(users - first) / Double(first + 1)
        }
        #expect(close(mean, 1, relative: 1e-12), "\(weights) \(users)")
      }
    }
  }

  @Test func alarmsStay() throws {
    let test = try SequentialSampleRatio(weights: [1, 1, 0])
    let path = test.path([[0, 0, 9], [100, 0, 9], [200, 100, 9], [5000, 5000, 9], [1, 2]])
    #expect(path.firstAlarm == 1 && path.logE[0] == 0 && path.pValue[0] == 1 && path.logE[4].isNaN)
    #expect(path.pValue[4] == path.pValue[2] && path.pValue[1] < 0.01 && path.logE[3] < 0)
    #expect(test.path([[100, 0, 0]], level: 0).firstAlarm == nil)
    #expect(test.logE([-1, 2, 0]).isNaN)
  }

  /// A billion users split as declared are no evidence; nothing cancels and nothing overflows.
  @Test func largeCounts() throws {
    let test = try SequentialSampleRatio(weights: [50, 50])
    let billion = test.logE([1_000_000_000, 1_000_000_000])
    // The mixture's density at one half over the binomial's: ½ ln(κ/(κ + n)), as normal.
    #expect(close(billion, 0.5 * logarithm(400.0 / 2_000_000_400), relative: 1e-3))
    #expect(test.logE([Int.max, Int.max]).isFinite && test.logE([Int.max, 0]) > 1e18)
  }

  @Test func refusals() {
    for weights in [[], [0, 0], [-1, 2], [Double.nan, 1], [.infinity, 1]] {
      #expect(throws: StatisticsError.self) { try SequentialSampleRatio(weights: weights) }
    }
    for concentration in [0, -1, Double.infinity, .nan] {
      #expect(throws: StatisticsError.self) {
        try SequentialSampleRatio(weights: [1, 1], concentration: concentration)
      }
    }
  }
}

@Suite struct StratifiedDifferenceTests {
  @Test func agreesWithTheUnsignedOne() throws {
    var numbers = SeededGenerator(seed: 31)
    for _ in 0..<50 {
      let strata = try (0..<4).map { _ in
        let (n1, n2) = (Int.random(in: 1...300, using: &numbers), Int.random(in: 1...300, using: &numbers))
        return Stratified.Stratum(
          first: try sample(Int.random(in: 0...n1, using: &numbers), n1),
          second: try sample(Int.random(in: 0...n2, using: &numbers), n2))
      }
      let got = try StratifiedDifference.compare(strata).get()
      let other = try Stratified.compare(strata).get()
      #expect(close(got.mantelHaenszel, other.mantelHaenszelDifference, relative: 1e-12, absolute: 1e-15))
      #expect(close(got.cmhZ * got.cmhZ, other.associationChiSquare ?? 0, relative: 1e-11))
      let turned = try StratifiedDifference.compare(strata.map { .init(first: $0.second, second: $0.first) }).get()
      #expect(close(turned.cmhZ, -got.cmhZ, relative: 1e-12) && close(turned.satoError, got.satoError, relative: 1e-12))
    }
  }

  @Test func emptyAndSureStrata() throws {
    let empty = Stratified.Stratum(first: .empty, second: try sample(1, 5))
    #expect(throws: StatisticsError.self) { try StratifiedDifference.compare([empty]).get() }
    #expect(throws: StatisticsError.self) { try JoinedDifference.compare([empty]).get() }
    #expect(throws: StatisticsError.self) { try JoinedDifference.compare([]).get() }
    let sure = Stratified.Stratum(first: try sample(0, 30), second: try sample(0, 30))
    let none = try StratifiedDifference.compare([sure, empty]).get()
    #expect(none.cmhZ == 0 && none.mantelHaenszel == 0 && none.satoError == 0 && none.informationUsers == 60)
    let most = Stratified.Stratum(
      first: try sample(Int.max / 2, Int.max), second: try sample(Int.max / 3, Int.max))
    #expect(try JoinedDifference.compare([most, most]).get().z.isFinite)
    #expect(try StratifiedDifference.compare([most, most]).get().cmhZ.isFinite)
  }
}

@Suite struct OpenRulePowerTests {
  /// Users for 80 % over the fixed-horizon number, 3, 5 and 10 points from 40 %, at the default and 80 users a day.
  @Test func usersOverTheFixedHorizon() throws {
    let looks = try OpenRulePower.Looks(plannedUsers: 5000, usersADay: 80)
    for (effect, ratios) in [(0.03, 1.45...1.5), (0.05, 1.45...1.5), (0.1, 1.8...1.9)] {
      let fixed = try #require(SampleSize.perArm(baseline: 0.4, effect: effect)).total
      let got = try #require(OpenRulePower.requirement(looks, baseline: 0.4, effect: effect))
      #expect(ratios.contains(Double(got.users) / Double(fixed)), "\(effect): \(got)")
      #expect(got.power >= 0.8 && got.users == got.days * 80)
      let found = try #require(OpenRulePower.detectableEffect(looks, baseline: 0.4, days: got.days)?.up)
      #expect(found <= effect && found > 0.95 * effect, "\(effect): \(found)")
    }
    // With a plan of one's own.
    let plan = try #require(SampleSize.perArm(baseline: 0.4, effect: 0.05)).total
    let own = try OpenRulePower.Looks(plannedUsers: plan, exponent: 3, usersADay: Double(plan) / 60)
    let got = try #require(OpenRulePower.requirement(own, baseline: 0.4, effect: 0.05))
    #expect(abs(Double(got.users) / Double(plan) - 1.28) < 0.03, "\(got)")
  }

  @Test func unreachable() throws {
    let slow = try OpenRulePower.Looks(plannedUsers: 5000, usersADay: 2)
    #expect(OpenRulePower.requirement(slow, baseline: 0.4, effect: 0.01) == nil)
    #expect(OpenRulePower.requirement(slow, baseline: 0.4, effect: 0.7) == nil)
    #expect(OpenRulePower.requirement(slow, baseline: 0.4, effect: 0) == nil)
    #expect(OpenRulePower.requirement(slow, baseline: 0.4, effect: 0.1, power: 0.01) == nil)
    #expect(OpenRulePower.detectableEffect(slow, baseline: 0.4, days: 6) == nil)
    #expect(OpenRulePower.detectableEffect(slow, baseline: 0.4, days: 4001) == nil)
    #expect(OpenRulePower.detectableEffect(slow, baseline: 0.4, days: 7)?.up == nil)
    let none = try OpenRulePower.Looks(plannedUsers: 5000, usersADay: 1e-300)
    #expect(OpenRulePower.requirement(none, baseline: 0.4, effect: 0.1) == nil)
    #expect(OpenRulePower.detectableEffect(none, baseline: 0.4, days: 4000) == nil)
    let fast = try OpenRulePower.Looks(plannedUsers: 5000, usersADay: 1e9)
    #expect(OpenRulePower.requirement(fast, baseline: 0.4, effect: 0.01)?.days == 7)
    for pace in [0, -1, Double.nan, .infinity] {
      #expect(throws: StatisticsError.self) { try OpenRulePower.Looks(plannedUsers: 5000, usersADay: pace) }
    }
    #expect(throws: StatisticsError.looksNotRising(index: 1)) {
      try OpenRulePower.crossingProbabilities(times: [1, 1], drift: 1, exponent: 1.5)
    }
  }
}

@Suite struct ScoreTests {
  @Test func scoreAtZeroIsDual() throws {
    var numbers = SeededGenerator(seed: 99)
    for number in 0..<300 {
      let (n1, n2) = (numbers.trials(), numbers.trials())
      let (one, two) = (try sample(numbers.successes(of: n1), n1), try sample(numbers.successes(of: n2), n2))
      let z = try #require(MiettinenNurminen.scoreAtZero(one, two))
      let note = "seed 99, case \(number): \(one) \(two)"
      if let pooled = PooledZ.test(one, two)?.z {
        let n = Double(n1) + Double(n2)
        #expect(close(z, pooled * ((n - 1) / n).squareRoot(), relative: 1e-9, absolute: 1e-12), "\(note)")
      }
      guard z != 0 else { continue }
      // A little beyond the score the interval holds 0, a little before it does not.
      let wide = try #require(MiettinenNurminen.differenceInterval(one, two, bound: abs(z) * (1 + 1e-9)))
      let narrow = try #require(MiettinenNurminen.differenceInterval(one, two, bound: abs(z) * (1 - 1e-9)))
      #expect(wide.contains(0) && !narrow.contains(0), "\(note)")
    }
  }

  @Test func edges() throws {
    let (none, some) = (try sample(0, 0), try sample(3, 9))
    #expect(MiettinenNurminen.scoreAtZero(none, some) == nil)
    #expect(try MiettinenNurminen.scoreAtZero(sample(0, 5), sample(0, 7)) == 0)
    #expect(try MiettinenNurminen.scoreAtZero(sample(5, 5), sample(7, 7)) == 0)
    #expect(MiettinenNurminen.differenceInterval(some, some, bound: .infinity) == Interval(low: -1, high: 1))
    #expect(MiettinenNurminen.differenceInterval(some, some, bound: 0) == Interval(low: 0, high: 0))
    #expect(MiettinenNurminen.differenceInterval(some, some, bound: -1) == nil)
    #expect(MiettinenNurminen.differenceInterval(some, some, bound: .nan) == nil)
    #expect(MiettinenNurminen.differenceInterval(none, some, bound: 2) == nil)
  }

  @Test func welchFromVariances() throws {
    let (one, two) = ([1.0, 4, 2, 8], [3.0, 3, 9, 1, 0])
    let (first, second) = (SampleMoments(one), SampleMoments(two))
    let want = try Welch.test(first, second).get()
    let got = try Welch.test(
      means: (#require(first.mean), #require(second.mean)),
      sampleVariances: (#require(first.sampleVariance), #require(second.sampleVariance)), counts: (4, 5)
    ).get()
    #expect(got == want)
    func refused(_ mean: Double, _ variance: Double, _ count: Int) -> Bool {
      if case .failure = Welch.test(means: (mean, 0), sampleVariances: (variance, 0), counts: (count, 9)) {
        return true
      }
      return false
    }
    #expect(!refused(1, 1, 2) && refused(1, 0, 2) && refused(1, 1, 1) && refused(.nan, 1, 2))
    #expect(refused(1, -1, 2) && refused(1, .infinity, 2))
  }
}
