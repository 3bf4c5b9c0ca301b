// What holds for every path of daily looks.

import Testing

@testable import Statistics

@Suite struct DailyRulePropertyTests {
  static let seed: UInt64 = 20_261_122

  /// Days of all kinds with a rule for them.
  private func cases(_ count: Int) throws -> [(days: [ArmsAtLook], rule: DailyRule, note: String)] {
    var numbers = SeededGenerator(seed: Self.seed)
    return try (0..<count).map { number in
      let kind = MadeUpDays.any(&numbers)
      let rule = try DailyRule(
        plannedUsers: [200, 1000, 5000].randomElement(using: &numbers) ?? 1000,
        exponent: [1.5, 3].randomElement(using: &numbers) ?? 1.5,
        alpha: [0.05, 0.2, 0.5].randomElement(using: &numbers) ?? 0.05)
      return (try kind.drawn(&numbers), rule, "seed \(Self.seed), case \(number): \(kind)")
    }
  }

  @Test func laterDaysChangeNothing() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    for (days, rule, note) in try cases(60) {
      let all = try rule.path(days, firstLook: 6)
      let cut = Int.random(in: 0...days.count, using: &numbers)
      let early = try rule.path(Array(days.prefix(cut)), firstLook: 6)
      #expect(all.looks.count >= early.looks.count, "\(note)")
      for (one, other) in zip(early.looks, all.looks) {
        #expect(one.day == other.day && one.time == other.time && one.z == other.z, "\(note)")
        #expect(one.boundary == other.boundary && one.spent == other.spent, "\(note)")
        #expect(one.isCrossed == other.isCrossed && one.isHigher == other.isHigher, "\(note)")
        #expect(one.interval == other.interval, "\(note)")
      }
      if let crossing = early.crossing {
        #expect(all.crossing == crossing && all.pValue == early.pValue, "\(note)")
      }
      #expect(all.looks.allSatisfy { $0.day >= 6 }, "\(note)")
    }
  }

  @Test func armsAreMirrored() throws {
    for (days, rule, note) in try cases(60) {
      let path = try rule.path(days, firstLook: 2)
      let other = try rule.path(days.map(\.swapped), firstLook: 2)
      #expect(path.looks.map(\.day) == other.looks.map(\.day) && path.crossing == other.crossing, "\(note)")
      #expect(close(path.pValue, other.pValue ?? 0, relative: 1e-8) || path.looks.isEmpty, "\(note)")
      for (one, two) in zip(path.looks, other.looks) {
        #expect(close(one.z, -two.z, relative: 1e-12), "\(note)")
        #expect(close(one.spent, two.spent, relative: 1e-9), "\(note)")
        switch (one.boundary, two.boundary) {
        case (.normal(let bound), .normal(let mirrored)): #expect(close(bound, mirrored), "\(note)")
        case (.exact(let lower, let upper), .exact(let otherLower, let otherUpper)):
          let events = days[one.day].a.successes + days[one.day].b.successes
          #expect(lower == otherUpper.map { events - $0 } && upper == otherLower.map { events - $0 }, "\(note)")
        default: Issue.record("phases differ, \(note)")
        }
        if one.isCrossed { #expect(one.isHigher != two.isHigher, "\(note)") }
        if let interval = one.interval, let mirrored = two.interval {
          #expect(close(interval.low, -mirrored.high, relative: 1e-8, absolute: 1e-14), "\(note)")
        }
      }
    }
  }

  @Test func pIntervalAndCrossingAgree() throws {
    var (crossings, exact) = (0, 0)
    for (days, rule, note) in try cases(120) {
      let path = try rule.path(days, firstLook: 6)
      #expect((path.pValue == nil) == path.looks.isEmpty, "\(note)")
      if let p = path.pValue {
        #expect((p <= rule.alpha) == (path.crossing != nil) && p >= 0 && p <= 1, "\(note): \(p)")
      }
      if let crossing = path.crossing {
        let look = path.looks[crossing]
        let allowed = rule.spending.spent(look.time, alpha: rule.alpha)
        #expect((path.pValue ?? 1) <= allowed, "\(note)")
        crossings += 1
      }
      var isNormal = false
      for look in path.looks {
        #expect(look.spent <= rule.spending.spent(look.time, alpha: rule.alpha) * (1 + 1e-9), "\(note)")
        switch look.boundary {
        case .exact(let lower, let upper):
          #expect(!isNormal && look.interval == nil, "\(note)")
          let events = days[look.day].b.successes
          #expect(look.isCrossed == (events <= lower ?? -1 || events >= upper ?? Int.max), "\(note)")
          exact += 1
        case .normal(let bound):
          isNormal = true
          let interval = try #require(look.interval)
          #expect(look.isCrossed == (abs(look.z) >= bound), "\(note)")
          #expect(look.isCrossed == !interval.contains(0), "\(note)")
          if look.isCrossed { #expect(look.isHigher == (interval.low > 0), "\(note)") }
        }
      }
    }
    // The cases are of every kind.
    #expect(crossings > 10 && exact > 100, "\(crossings) \(exact)")
  }

  /// The sequential p is the least alpha at which a look crosses, whichever look that is: z of chance, paths, and paths that
  /// are never near.
  @Test func sequentialP() throws {
    var numbers = SeededGenerator(seed: Self.seed)
    var (found, ones) = (0, 0)
    for number in 0..<60 {
      let times = (1...Int.random(in: 1...60, using: &numbers)).map { Double($0) * 0.05 }
      var score = 0.0
      let z = times.map { time in
        score += 0.22 * Double.random(in: -1.7...1.7, using: &numbers)
        return switch number % 3 {
        case 0: Double.random(in: -2...2, using: &numbers)
        case 1: score / time.squareRoot()
        default: 0.3 * score / time.squareRoot()
        }
      }
      let spending = AlphaSpending.open(exponent: 1.5)
      let path = try LookPath(times: times, z: z, spending: spending, alpha: 0.001)
      guard path.crossing == nil, let p = path.pValue else { continue }
      if p == 1 {
        ones += 1
        let other = try LookPath(times: times, z: z, spending: spending, alpha: 1 - 1e-9)
        #expect(other.crossing == nil, "seed \(Self.seed), case \(number)")
        continue
      }
      found += 1
      for (factor, crosses) in [(1 - 1e-6, false), (1 + 1e-6, true)] where p * factor < 1 {
        let other = try LookPath(times: times, z: z, spending: spending, alpha: p * factor)
        #expect((other.crossing != nil) == crosses, "seed \(Self.seed), case \(number): \(p)")
      }
    }
    #expect(found > 20 && ones > 3, "\(found) \(ones)")
  }
}
