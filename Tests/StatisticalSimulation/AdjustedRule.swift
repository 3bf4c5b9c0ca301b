// What the adjustment by a property saves.

import Statistics

/// Experiments whose users differ by a property that is known at the exposure.
public struct AdjustedRule: Sendable {
  /// Users with each value, shares of 1, and the rates of A among them.
  public let shares: [Double]
  public let rates: [Double]
  public let effect: Double
  /// Of both messages at each look; looks are so many users apart, not days.
  public let usersALook: Int
  public let looks: Int
  public let plannedUsers: Int
  public let tests: Int
  public let seed: UInt64

  public init(
    shares: [Double], rates: [Double], effect: Double, usersALook: Int, looks: Int, plannedUsers: Int, tests: Int,
    seed: UInt64
  ) {
    self.shares = shares
    self.rates = rates
    self.effect = effect
    self.usersALook = usersALook
    self.looks = looks
    self.plannedUsers = plannedUsers
    self.tests = tests
    self.seed = seed
  }

  /// The share decided by each look, without and with the adjustment, on the same experiments; either side.
  public func power() throws -> (plain: [Double], adjusted: [Double]) {
    var numbers = SeededNumbers(seed: seed)
    let rule = try DailyRule(plannedUsers: plannedUsers)
    var plain = [Int](repeating: 0, count: looks)
    var adjusted = plain
    for _ in 0..<tests {
      let days = try draw(&numbers)
      let joined = days.map { strata in
        ArmsAtLook(a: strata.reduce(.empty) { $0 + $1.second }, b: strata.reduce(.empty) { $0 + $1.first })
      }
      // As in `ArmsAtLook.certain`: every path crosses at the last look, which is not counted.
      let last = try joined[looks - 1].certain()
      let paths = [
        (try rule.path(joined + [last], firstLook: 0), false),
        (try rule.path(adjusted: days + [[Stratified.Stratum(first: last.b, second: last.a)]], firstLook: 0), true),
      ]
      for (path, isAdjusted) in paths {
        guard let crossing = path.crossing else { continue }
        for look in 0..<looks where look >= path.looks[crossing].day {
          if isAdjusted { adjusted[look] += 1 } else { plain[look] += 1 }
        }
      }
    }
    return (plain.map { Double($0) / Double(tests) }, adjusted.map { Double($0) / Double(tests) })
  }

  /// Users are assigned one by one, so the strata are balanced by luck alone.
  private func draw(_ numbers: inout SeededNumbers) throws -> [[Stratified.Stratum]] {
    var users = shares.map { _ in [0, 0] }
    var grants = users
    return try (0..<looks).map { _ in
      for _ in 0..<usersALook {
        var point = Double(numbers.next() >> 11) * 0x1p-53
        var value = 0
        while value < shares.count - 1, point >= shares[value] {
          point -= shares[value]
          value += 1
        }
        let arm = numbers.next() & 1 == 0 ? 0 : 1
        users[value][arm] += 1
        grants[value][arm] += numbers.successes(of: 1, rate: rates[value] + (arm == 1 ? effect : 0))
      }
      return try shares.indices.map { value in
        Stratified.Stratum(
          first: try BinomialSample(successes: grants[value][1], trials: users[value][1]),
          second: try BinomialSample(successes: grants[value][0], trials: users[value][0]))
      }
    }
  }
}
