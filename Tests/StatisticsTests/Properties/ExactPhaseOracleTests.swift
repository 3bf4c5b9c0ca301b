// The exact phase against all outcomes of small days, one by one.

import Testing

@testable import Statistics

@Suite struct ExactPhaseOracleTests {
  static let seed: UInt64 = 16_112_026

  /// One way in which the events of all days can fall on the arms.
  private struct Outcome {
    var eventsInB: [Int] = []
    var chance = 1.0
  }

  /// Number of ways to choose, exactly.
  private func choices(_ n: Int, _ k: Int) -> Double {
    k < 0 || k > n ? 0 : (0..<k).reduce(1.0) { $0 * Double(n - $1) / Double($1 + 1) }
  }

  /// Every outcome of days with the given margins.
  private func outcomes(_ days: [(a: Int, b: Int, events: Int)]) -> [Outcome] {
    days.reduce([Outcome()]) { sums, day in
      sums.flatMap { sum in
        (0...day.events).compactMap { inB in
          let ways = choices(day.b, inB) * choices(day.a, day.events - inB)
          guard ways > 0 else { return nil }
          return Outcome(
            eventsInB: sum.eventsInB + [inB],
            chance: sum.chance * ways / choices(day.a + day.b, day.events))
        }
      }
    }
  }

  private func path(
    _ days: [(a: Int, b: Int, events: Int)], _ outcome: Outcome, _ rule: DailyRule
  ) throws -> LookPath {
    var (a, b) = (BinomialSample.empty, BinomialSample.empty)
    let looks = try zip(days, outcome.eventsInB).map { day, inB in
      a += try sample(day.events - inB, day.a)
      b += try sample(inB, day.b)
      return ArmsAtLook(a: a, b: b)
    }
    return try rule.path(looks, firstLook: 0)
  }

  /// The chance to cross is the error that every path says was spent, at most what is allowed; p is never too small.
  @Test func allOutcomes() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    var crossed = 0
    for number in 0..<25 {
      let days = (0..<Int.random(in: 1...5, using: &numbers)).map { _ in
        (
          a: Int.random(in: 10...20, using: &numbers), b: Int.random(in: 10...25, using: &numbers),
          events: Int.random(in: 0...4, using: &numbers)
        )
      }
      let rule = try DailyRule(
        plannedUsers: Int.random(in: 20...200, using: &numbers), exponent: 1.5, alpha: 0.3)
      let note = "seed \(Self.seed), case \(number): \(days)"
      var chance = 0.0
      var pValues: [(p: Double, chance: Double)] = []
      var reported: Set<Double> = []
      var total = 0.0
      for outcome in outcomes(days) {
        let path = try path(days, outcome, rule)
        total += outcome.chance
        #expect(path.looks.count == days.count, "\(note)")
        reported.insert(path.looks.last?.spent ?? -1)
        guard path.crossing != nil, let p = path.pValue else { continue }
        chance += outcome.chance
        pValues.append((p, outcome.chance))
        crossed += 1
      }
      #expect(close(total, 1, relative: 1e-12), "\(note)")
      #expect(reported.count == 1, "\(note)")
      #expect(close(chance, reported.first ?? -1, relative: 1e-11, absolute: 1e-15), "\(note)")
      for (p, _) in pValues {
        let smaller = pValues.reduce(0) { $0 + ($1.p <= p * (1 + 1e-12) ? $1.chance : 0) }
        #expect(smaller <= p * (1 + 1e-8), "\(note): p \(p) has chance \(smaller)")
      }
    }
    #expect(crossed > 500)
  }

  /// A day's chances against binomial coefficients.
  @Test func blocksAreHypergeometric() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    for _ in 0..<200 {
      let (a, b) = (Int.random(in: 0...40, using: &numbers), Int.random(in: 0...40, using: &numbers))
      let events = Int.random(in: 0...(a + b), using: &numbers)
      let inA = min(a, events)
      let margins = try #require(
        BlockMargins(
          from: ArmsAtLook(a: .empty, b: .empty),
          to: ArmsAtLook(a: try sample(inA, a), b: try sample(events - inA, b))))
      let block = HypergeometricBlock(margins)
      #expect(close(block.masses.reduce(0, +), 1, relative: 1e-14))
      var variance = 0.0
      let mean = Double(b) * Double(events) / Double(max(1, a + b))
      for (place, mass) in block.masses.enumerated() {
        let x = block.offset + place
        let want = choices(b, x) * choices(a, events - x) / choices(a + b, events)
        #expect(close(mass, want, relative: 1e-11), "\(a) \(b) \(events) \(x)")
        variance += mass * (Double(x) - mean) * (Double(x) - mean)
      }
      #expect(close(margins.variance, variance, relative: 1e-10, absolute: 1e-12), "\(a) \(b) \(events)")
    }
  }
}
