// Experiments as counts by day: as many users every day, half to each message.

import Statistics

/// The shape of an experiment of which a fixed test with 80 % power would end on day 35.
public struct DailyCounts: Sendable {
  /// The day by which a fixed test has its users.
  public static let horizonDay = 35
  /// The first day that may be a look: a week must be over.
  public static let firstLook = 7

  /// Rate of A; B's minus A's.
  public let baseline, effect: Double
  /// Of each message.
  public let usersADay: Int
  public let days: Int

  /// With an effect: the users of its fixed horizon over 35 days, and four times as many days.
  public init(baseline: Double, effect: Double) {
    let fixed = SampleSize.perArm(baseline: baseline, effect: effect)?.controlExact ?? 0
    self.init(
      baseline: baseline, effect: effect, usersADay: Int((fixed / Double(Self.horizonDay)).rounded()),
      days: 4 * Self.horizonDay)
  }

  public init(baseline: Double, effect: Double, usersADay: Int, days: Int) {
    self.baseline = baseline
    self.effect = effect
    self.usersADay = usersADay
    self.days = days
  }

  /// Users of both messages for 80 % power with one look; nil without an effect.
  public var fixedHorizon: Double? {
    SampleSize.perArm(baseline: baseline, effect: effect).map { 2 * $0.controlExact }
  }

  /// Users of both messages by the end of a day.
  public func users(_ day: Int) -> Int { 2 * usersADay * day }

  /// The users at which a power is reached, over those of the fixed horizon; between two days by a straight line. nil if it
  /// never is.
  ///
  /// - Parameter reached: the share decided by the end of a day.
  public func inflation(at power: Double = 0.8, _ reached: (Int) -> Double) -> Double? {
    guard let fixed = fixedHorizon, let day = (1...days).first(where: { reached($0) >= power }) else { return nil }
    let before = day > 1 ? reached(day - 1) : 0
    let part = (power - before) / (reached(day) - before)
    return (Double(users(day - 1)) + part * Double(users(1))) / fixed
  }

  /// E[S(t)]/t of the statistic z√t, if t = 1 at so many users.
  public func drift(plannedUsers: Int) -> Double {
    let middle = baseline + effect / 2
    return effect / (4 * middle * (1 - middle) / Double(plannedUsers)).squareRoot()
  }

  /// The rule without a plan.
  public func unplannedRule() throws -> DailyRule {
    try DailyRule(
      plannedUsers: UnplannedRule.plannedUsers(exposed: users(UnplannedRule.days)), exponent: UnplannedRule.exponent)
  }

  /// One experiment: each message's users and grants by the end of each day.
  func draw(_ numbers: inout SeededNumbers) throws -> [ArmsAtLook] {
    var a = 0
    var b = 0
    return try (1...days).map { day in
      a += numbers.successes(of: usersADay, rate: baseline)
      b += numbers.successes(of: usersADay, rate: baseline + effect)
      return ArmsAtLook(
        a: try BinomialSample(successes: a, trials: usersADay * day),
        b: try BinomialSample(successes: b, trials: usersADay * day))
    }
  }
}
