// Boundaries, daily looks and their edges.

import Testing

@testable import Statistics

@Suite struct BoundaryTests {
  static let seed: UInt64 = 5_042_026

  /// What survives and what is spent add up to one, whatever the times.
  @Test func errorSpentIsErrorMade() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    for number in 0..<12 {
      let alpha = Double.random(in: 0.001...0.9, using: &numbers)
      let spending: AlphaSpending =
        [.open(exponent: 1.5), .open(exponent: 3), .obrienFleming, .power(0.7)].randomElement(using: &numbers)
        ?? .pocock
      var path = try SequentialBoundaries(alpha: alpha, spending: spending)
      var time = 0.0
      for _ in 0..<Int.random(in: 1...12, using: &numbers) {
        time += [1e-4, 0.001, 0.01, 0.1, 3].randomElement(using: &numbers) ?? 0.1
        let look = try path.look(at: time)
        #expect(look.cumulativeAlpha == spending.spent(time, alpha: alpha))
        let note = "seed \(Self.seed), case \(number), t \(time)"
        #expect(close(path.crossingProbability(drift: 0), path.spent, absolute: 3e-12), "\(note)")
        if look.bound.isFinite {
          #expect(close(path.stagewiseP(look.bound), look.cumulativeAlpha, relative: 1e-12), "\(note)")
          #expect(close(path.stagewiseP(-look.bound), look.cumulativeAlpha, relative: 1e-12), "\(note)")
        }
        #expect(path.stagewiseP(look.bound + 0.1) <= look.cumulativeAlpha, "\(note)")
      }
    }
  }

  /// A value can be kept and gone on with in two ways.
  @Test func boundsDoNotDependOnWhatFollows() throws {
    var path = try SequentialBoundaries(spending: .open(exponent: 1.5))
    for time in [0.2, 0.3] { _ = try path.look(at: time) }
    var other = path
    #expect(try path.look(at: 0.4) == other.look(at: 0.4))
    // The nodes depend on the step that follows, the bounds only to their last digits.
    let near = try path.look(at: 0.401)
    let far = try other.look(at: 4)
    #expect(near.bound > 2.6 && far.bound < 2.5)
  }

  /// Drifts one after the other, in any order, as if each was alone.
  @Test func manyDriftsOfOnePathAreAsOne() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    for _ in 0..<6 {
      var path = try SequentialBoundaries(spending: .open(exponent: 1.5))
      var chances = SequentialBoundaries.CrossingChances(path)
      #expect(chances.probability(drift: 3) == 0)
      for day in 1...10 { _ = try path.look(at: 0.03 * Double(day) + Double.random(in: 0..<0.02, using: &numbers)) }
      chances = SequentialBoundaries.CrossingChances(path)
      for _ in 0..<20 {
        let drift = Double.random(in: -30...30, using: &numbers)
        let alone = path.crossingProbability(drift: drift)
        #expect(close(chances.probability(drift: drift), alone, absolute: 1e-11), "seed \(Self.seed), drift \(drift)")
      }
      #expect(chances.probability(drift: 0) == path.crossingProbability(drift: 0))
      #expect(chances.probability(drift: .infinity) == 1)
    }
  }

  @Test func refusals() throws {
    var path = try SequentialBoundaries(spending: .open(exponent: 1.5))
    #expect(throws: StatisticsError.looksNotRising(index: 0)) { try path.look(at: 0) }
    #expect(throws: StatisticsError.looksNotRising(index: 0)) { try path.look(at: .infinity) }
    #expect(path.stagewiseP(9) == 1 && path.crossingProbability(drift: 3) == 0)
    _ = try path.look(at: 0.5)
    for time in [0.5, 0.4, -1, Double.nan] {
      #expect(throws: StatisticsError.looksNotRising(index: 1)) { try path.look(at: time) }
    }
    #expect(path.stagewiseP(.infinity) == 0 && path.stagewiseP(.nan) == 1)
    #expect(path.crossingProbability(drift: .infinity) == 1 && path.crossingProbability(drift: 1e6) == 1)
    for exponent in [0, -1, Double.nan, .infinity] {
      #expect(throws: StatisticsError.self) { try SequentialBoundaries(spending: .open(exponent: exponent)) }
      #expect(throws: StatisticsError.self) { try SequentialBoundaries(spending: .power(exponent)) }
    }
    #expect(throws: StatisticsError.self) { try SequentialBoundaries(spending: .pocock, alreadySpent: -0.1) }
  }

  @Test func errorAlreadySpentIsTakenOff() throws {
    var path = try SequentialBoundaries(spending: .open(exponent: 1.5), alreadySpent: 0.01)
    // Nothing is left at first.
    #expect(try path.look(at: 0.1).bound == .infinity && path.spent == 0.01)
    let look = try path.look(at: 1)
    #expect(close(look.bound, -NormalDistribution.quantile(0.0075), relative: 1e-12) && path.spent == 0.025)
    #expect(close(path.stagewiseP(3), 0.01 + NormalDistribution.twoSidedP(3), relative: 1e-12))
  }

  /// Looks hardly apart: nothing is spent, nothing hangs.
  @Test func looksHardlyApart() throws {
    var path = try SequentialBoundaries(spending: .open(exponent: 1.5))
    _ = try path.look(at: 1)
    for step in 1...5 { #expect(try path.look(at: 1 + Double(step) * 1e-12).bound == .infinity) }
    #expect(path.spent == 0.025)
    #expect(close(try path.look(at: 1.5).bound, 2.4356804, absolute: 0.01))
  }

  /// So early that squares of deviations vanish.
  @Test func looksBeforeAnythingCanBeSeen() throws {
    var path = try SequentialBoundaries(spending: .power(0.01))
    for time in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, 1e-200] {
      #expect(try path.look(at: time).bound == .infinity)
    }
    #expect(try path.look(at: 1e-120).bound.isFinite && path.spent > 0)
    #expect(close(path.crossingProbability(drift: 0), path.spent, absolute: 1e-12))
  }

  @Test func moreThanTwoHundredLooks() throws {
    let design = try GroupSequential(equalLooks: 300, spending: .obrienFleming)
    #expect(close(design.crossingProbability(drift: 0), 0.05, relative: 1e-9))
    let open = try GroupSequential(fractions: [0.5, 1, 4], spending: .open(exponent: 3))
    #expect(close(open.boundaries.last?.cumulativeAlpha, 0.05 * 64 / 65, relative: 1e-14))
  }

  @Test func givenLooks() throws {
    let path = try LookPath(times: [0.5, 1], z: [3.5, -5], spending: .obrienFleming)
    #expect(path.crossing == 0 && path.looks.map(\.isHigher) == [true, false])
    #expect(path.looks.allSatisfy { $0.interval == nil && $0.isCrossed })
    #expect(close(path.pValue, NormalDistribution.twoSidedP(3.5), relative: 1e-10))
    let none = try LookPath(times: [], z: [], spending: .pocock)
    #expect(none.looks.isEmpty && none.pValue == nil && none.crossing == nil)
    #expect(try LookPath(times: [1], z: [0], spending: .pocock).pValue == 1)
    let late = try LookPath(times: [0.2, 0.4], z: [0, 2], spending: .open(exponent: 1.5))
    #expect((late.pValue ?? 0) > 0.05 && (late.pValue ?? 1) < 1)
    #expect(throws: StatisticsError.lengthsDiffer(1, 0)) { try LookPath(times: [1], z: [], spending: .pocock) }
    #expect(throws: StatisticsError.looksNotRising(index: 1)) {
      try LookPath(times: [1, 1], z: [0, 0], spending: .pocock)
    }
    #expect(throws: StatisticsError.notFinite(name: "z")) {
      try LookPath(times: [1], z: [.nan], spending: .pocock)
    }
    #expect(throws: StatisticsError.self) { try LookPath(times: [1], z: [1], spending: .pocock, alpha: 1) }
  }
}

@Suite struct DailyRuleTests {
  private func arms(_ xa: Int, _ na: Int, _ xb: Int, _ nb: Int) throws -> ArmsAtLook {
    ArmsAtLook(a: try sample(xa, na), b: try sample(xb, nb))
  }

  @Test func parametersAreChecked() {
    #expect(throws: StatisticsError.self) { try DailyRule(plannedUsers: 0) }
    #expect(throws: StatisticsError.self) { try DailyRule(plannedUsers: 10, exponent: 0) }
    #expect(throws: StatisticsError.self) { try DailyRule(plannedUsers: 10, alpha: 1) }
  }

  @Test func emptyAndOneSidedDays() throws {
    let rule = try DailyRule(plannedUsers: 5000)
    #expect(try rule.path([], firstLook: 6).looks.isEmpty)
    #expect(try rule.path([arms(5, 100, 0, 0), arms(9, 300, 0, 0)], firstLook: 0).looks.isEmpty)
    #expect(try rule.path([arms(50, 100, 40, 100)], firstLook: 3).looks.isEmpty)
    #expect(try rule.path([arms(50, 100, 40, 100)], firstLook: -3).looks.count == 1)
    #expect(throws: StatisticsError.self) {
      try rule.path([ArmsAtLook](repeating: arms(0, 0, 0, 0), count: 100_001), firstLook: 0)
    }
  }

  /// An arm without any event against one with some is decided, as a plain interval is not.
  @Test func noEventsAgainstSome() throws {
    let days = try (1...30).map { try arms(0, 163 * $0, 2 * $0 + $0 / 10, 162 * $0) }
    let path = try DailyRule(plannedUsers: 5000).path(days, firstLook: 6)
    let crossed = try path.looks[#require(path.crossing)]
    #expect(crossed.bounds != nil && crossed.isHigher && (path.pValue ?? 1) < 0.05)
  }

  @Test func nothingVaries() throws {
    let none = try (1...20).map { try arms(0, 100 * $0, 0, 100 * $0) }
    let path = try DailyRule(plannedUsers: 1000).path(none, firstLook: 0)
    #expect(path.looks.count == 20 && path.crossing == nil && path.pValue == 1)
    #expect(path.looks.allSatisfy { $0.z == 0 && $0.bounds?.upper == nil && $0.spent == 0 })
  }

  /// In the exact phase, days of fewer than 20 users wait for the next, and a count that fell for its growth.
  @Test func smallAndShrunkDays() throws {
    let rule = try DailyRule(plannedUsers: 1000)
    let small = [try arms(0, 50, 1, 50), try arms(0, 55, 1, 55), try arms(0, 62, 2, 62), try arms(0, 90, 2, 90)]
    #expect(try rule.path(small, firstLook: 0).looks.map(\.day) == [0, 2, 3])
    let shrunk = [try arms(2, 50, 1, 50), try arms(1, 70, 1, 70), try arms(2, 90, 1, 90), try arms(2, 89, 1, 140)]
    #expect(try rule.path(shrunk, firstLook: 0).looks.map(\.day) == [0, 2])
    let open = [try arms(200, 500, 210, 500), try arms(200, 499, 220, 520), try arms(210, 520, 230, 530)]
    #expect(try rule.path(open, firstLook: 0).looks.map(\.day) == [0, 2])
  }

  /// The gate once open stays open.
  @Test func gateStaysOpen() throws {
    let days = [try arms(0, 100, 9, 100), try arms(0, 200, 21, 200), try arms(0, 4000, 21, 300)]
    let path = try DailyRule(plannedUsers: 1000).path(days, firstLook: 0)
    #expect(path.looks.map { $0.bounds != nil } == [true, false, false])
  }

  /// Very uneven arms, very large ones, and the ends of the range: no trap, and quick.
  @Test func extremeCounts() throws {
    let rule = try DailyRule(plannedUsers: 5000)
    let uneven = try (1...60).map { try arms(400_000_000 * $0, 1_000_000_000 * $0, $0 / 10, $0) }
    #expect(try rule.path(uneven, firstLook: 0).looks.count == 60)
    let rare = try (1...200).map { try arms($0 / 100, 5_000_000 * $0, $0 / 50, 5_000_000 * $0) }
    #expect(try rule.path(rare, firstLook: 0).looks.count == 200)
    let most = [try arms(0, Int.max, Int.max, Int.max), try arms(Int.max, Int.max, 3, Int.max)]
    #expect(try rule.path(most, firstLook: 0).looks.count == 1)
    let all = [try arms(Int.max, Int.max, Int.max, Int.max), try arms(0, Int.max, 0, Int.max)]
    #expect(try rule.path(all, firstLook: 0).looks.isEmpty)
    let odd = [try arms(Int.max, Int.max, 0, 1), try arms(Int.max, Int.max, 1, Int.max)]
    #expect(try rule.path(odd, firstLook: 0).looks.map(\.day) == [1])
    let huge = try DailyRule(plannedUsers: Int.max).path([arms(5, 10, 6, 30)], firstLook: 0)
    #expect(huge.looks.count == 1 && huge.crossing == nil)
    let switching = try (1...20).map { try arms(500_000 * $0, 1_000_000 * $0, 0, $0) }
    #expect(try rule.path(switching, firstLook: 0).looks.count > 0)
  }

  /// One stratum is no adjustment; what varies between strata is taken out.
  @Test func adjusted() throws {
    var numbers = SeededGenerator(seed: 7)
    let days = try MadeUpDays(count: 20, users: 80, rateA: 0.4, rateB: 0.5).drawn(&numbers)
    let rule = try DailyRule(plannedUsers: 2000)
    let plain = try rule.path(days, firstLook: 6)
    let one = try rule.path(adjusted: days.map { [.init(first: $0.b, second: $0.a)] }, firstLook: 6)
    #expect(one.looks.count == plain.looks.count && one.crossing == plain.crossing)
    for (look, other) in zip(one.looks, plain.looks) {
      #expect(close(look.z, other.z, relative: 1e-12) && close(look.time, other.time, relative: 1e-14))
      guard case (.normal(let bound), .normal(let same)) = (look.boundary, other.boundary) else {
        Issue.record("a look of the exact phase")
        continue
      }
      #expect(close(bound, same, relative: 1e-11))
      let (interval, scored) = (try #require(look.interval), try #require(other.interval))
      #expect(close(interval.low, scored.low, absolute: 0.01) && close(interval.high, scored.high, absolute: 0.01))
    }
    #expect(close(one.pValue, plain.pValue ?? 0, relative: 1e-9))
    let few = try rule.path(adjusted: [[.init(first: sample(1, 100), second: sample(0, 100))]], firstLook: 0)
    #expect(few.looks.isEmpty && few.pValue == nil)
    let alone = try rule.path(adjusted: [[], [.init(first: .empty, second: sample(50, 100))]], firstLook: 0)
    #expect(alone.looks.isEmpty)
  }

  /// The sequential p is the least alpha at which a look crosses, also if it is a later look and not the first.
  @Test func aLookCrossesFromTheSequentialPOnAndNotBefore() throws {
    let seed: UInt64 = 22_112_026
    var numbers = SeededGenerator(seed: seed)
    for number in 0..<25 {
      var times: [Double] = []
      var z: [Double] = []
      for _ in 0..<Int.random(in: 2...6, using: &numbers) {
        times.append((times.last ?? 0.05) * Double.random(in: 1.05...1.8, using: &numbers))
        z.append(Double.random(in: -2.2...2.2, using: &numbers))
      }
      let path = try LookPath(times: times, z: z, spending: .open(exponent: 1.5), alpha: 0.05)
      guard path.crossing == nil, let p = path.pValue, p < 1 else { continue }
      for share in [0.2, 0.6, 0.95, 0.9999] {
        let alpha = 0.05 + (p - 0.05) * share
        let below = try LookPath(times: times, z: z, spending: .open(exponent: 1.5), alpha: alpha)
        #expect(below.crossing == nil, "seed \(seed), case \(number): p \(p), crossed at \(alpha)")
      }
      let above = try LookPath(times: times, z: z, spending: .open(exponent: 1.5), alpha: min(0.999999, p * 1.00001))
      #expect(above.crossing != nil, "seed \(seed), case \(number): p \(p)")
    }
  }
}
