// The default rule while events are few: exact looks first, boundaries later.

import Statistics

public struct RareOutcomes: Sendable {
  public let shape: DailyCounts
  public let tests: Int
  public let seed: UInt64

  public init(_ shape: DailyCounts, tests: Int, seed: UInt64) {
    self.shape = shape
    self.tests = tests
    self.seed = seed
  }

  /// By rule: the share of experiments that ever crossed, and the day by which 80 % had; nil if fewer ever did.
  public struct Decided: Sendable {
    public let share: Double
    public let day80: Int?

    init(_ crossings: [Int?], _ tests: Int) {
      let days = crossings.compactMap { $0 }.sorted()
      share = Double(days.count) / Double(tests)
      let place = (tests * 8 + 9) / 10 - 1
      day80 = days.indices.contains(place) ? days[place] : nil
    }
  }

  /// With as many new users a day as planned on average, each assigned on its own.
  public func run() throws -> (daily: Decided, alwaysValid: Decided) {
    var numbers = SeededNumbers(seed: seed)
    let rule = try shape.unplannedRule()
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: rule.plannedUsers)
    var daily: [Int?] = []
    var alwaysValid: [Int?] = []
    for _ in 0..<tests {
      let days = try draw(&numbers)
      let path = try rule.path(days + [days[shape.days - 1].certain()], firstLook: DailyCounts.firstLook - 1)
      daily.append(path.crossing.map { path.looks[$0].day + 1 }.flatMap { $0 > shape.days ? nil : $0 })
      let first = (DailyCounts.firstLook...shape.days).first { day in
        let interval = try? sequence.evaluate(days[day - 1].b, days[day - 1].a).get().interval
        return interval.map { !$0.contains(0) } ?? false
      }
      alwaysValid.append(first)
    }
    return (Decided(daily, tests), Decided(alwaysValid, tests))
  }

  private func draw(_ numbers: inout SeededNumbers) throws -> [ArmsAtLook] {
    var users = [0, 0]
    var events = [0, 0]
    return try (0..<shape.days).map { _ in
      let toB = numbers.successes(of: 2 * shape.usersADay, rate: 0.5)
      for (arm, new) in [2 * shape.usersADay - toB, toB].enumerated() {
        users[arm] += new
        events[arm] += numbers.successes(of: new, rate: shape.baseline + (arm == 1 ? shape.effect : 0))
      }
      return ArmsAtLook(
        a: try BinomialSample(successes: events[0], trials: users[0]),
        b: try BinomialSample(successes: events[1], trials: users[1]))
    }
  }
}

extension ArmsAtLook {
  /// One more day, on which everybody grants under B and nobody under A. Every path crosses by then, and so none works out the
  /// p-value of an experiment that is not decided, which takes ten times as long and which simulations do not look at.
  func certain() throws -> ArmsAtLook {
    let none = try BinomialSample(successes: 0, trials: 100_000)
    return ArmsAtLook(a: a + none, b: b + none.complement)
  }
}
