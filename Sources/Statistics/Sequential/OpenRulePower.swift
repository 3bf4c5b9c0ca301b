// Power of open-ended looks, by the recursion rather than by simulation.

/// The power of open-ended daily looks (`DailyRule`), and the time that they need: exactly, by the recursion under a
/// drift.
///
/// The score has the mean θ t at information time t. A fixed-horizon test of N users that finds an effect with power 1
/// − β gives θ: θ √(N/N*) = z_{1 − α/2} + z_{1 − β}. Either side counts as crossing. Source: C. Jennison and B. W.
/// Turnbull, Group Sequential Methods (2000), chapter 19.
public enum OpenRulePower {
  /// The looks that are planned with: the end of every day from the 7th on, a fixed number of users a day.
  public struct Looks: Sendable, Hashable {
    /// N* of the rule.
    public let plannedUsers: Int
    public let exponent: Double
    public let alpha: Double
    /// Users of both arms together that come on a day, split evenly.
    public let usersADay: Double
    /// The first day that is a look; the first day is 1.
    public let firstDay: Int

    /// Throws as `DailyRule` does, for users a day that are not finite and above 0, and for a first day below 1.
    public init(
      plannedUsers: Int, exponent: Double = 1.5, alpha: Double = 0.05, usersADay: Double, firstDay: Int = 7
    ) throws(StatisticsError) {
      _ = try DailyRule(plannedUsers: plannedUsers, exponent: exponent, alpha: alpha)
      guard usersADay > 0, usersADay.isFinite else { throw .notPositive(name: "users a day", value: usersADay) }
      guard firstDay > 0 else { throw .notPositive(name: "first day", value: Double(firstDay)) }
      self.plannedUsers = plannedUsers
      self.exponent = exponent
      self.alpha = alpha
      self.usersADay = usersADay
      self.firstDay = firstDay
    }

    func time(_ day: Int) -> Double { Double(day) * usersADay / Double(plannedUsers) }

    /// The day of the next look: t grows by 0.1 % at least, as in the rule.
    func day(after day: Int) -> Int {
      guard day > 0 else { return firstDay }
      let least = (Double(day) * (1 + DailyRule.leastGrowth)).rounded(.up)
      return max(day.clampedSum(1), Int(clamped: least))
    }

    var boundaries: SequentialBoundaries {
      SequentialBoundaries(unchecked: alpha, .open(exponent: exponent), alreadySpent: 0)
    }
  }

  /// When a power is reached.
  public struct Requirement: Sendable, Hashable {
    /// Of both arms together.
    public let users: Int
    public let days: Int
    /// The chance to have crossed by then.
    public let power: Double
  }

  /// More days are not planned for: eleven years.
  public static let mostDays = 4000

  /// The chance to have crossed by each of the looks at these times, whose scores have the mean drift · t.
  ///
  /// Throws for times that do not rise from above 0 and as `SequentialBoundaries` does.
  public static func crossingProbabilities(
    times: [Double], drift: Double, exponent: Double, alpha: Double = 0.05
  ) throws(StatisticsError) -> [Double] {
    var path = try SequentialBoundaries(alpha: alpha, spending: .open(exponent: exponent))
    var chances: [Double] = []
    for (index, time) in times.enumerated() {
      guard time > (path.last?.time ?? 0), time.isFinite else { throw .looksNotRising(index: index) }
      _ = path.advance(to: time)
      chances.append(path.crossingProbability(drift: drift))
    }
    return chances
  }

  /// The first day by which a change of the rate from `baseline` by `effect` (absolute, of either sign) has been found
  /// with `power`. Nil if the changed rate leaves [0, 1], the effect is 0, the power is outside (alpha, 1), or
  /// `mostDays` days are not enough.
  public static func requirement(
    _ looks: Looks, baseline: Double, effect: Double, power: Double = 0.8
  ) -> Requirement? {
    guard power > looks.alpha, power < 1,
      let fixed = SampleSize.perArm(baseline: baseline, effect: effect, alpha: looks.alpha, power: power)
    else { return nil }
    return requirement(looks, fixedUsers: max(1, 2 * fixed.controlExact), power: power)
  }

  /// The same for an effect that a fixed-horizon test of this many users of both arms finds with that power.
  static func requirement(_ looks: Looks, fixedUsers: Double, power: Double) -> Requirement? {
    // No looks are more powerful than the one test that spends everything at the end, but for the last digits.
    let earliest = 0.99 * fixedUsers / looks.usersADay
    guard earliest < Double(mostDays) else { return nil }
    let drift = standardizedEffect(looks.alpha, power) / (fixedUsers / Double(looks.plannedUsers)).squareRoot()
    var path = looks.boundaries
    var day = looks.firstDay
    while day <= mostDays {
      _ = path.advance(to: looks.time(day))
      let chance = Double(day) >= earliest ? path.crossingProbability(drift: drift) : 0
      if chance >= power {
        return Requirement(users: Int(clamped: (Double(day) * looks.usersADay).rounded(.up)), days: day, power: chance)
      }
      day = looks.day(after: day)
    }
    return nil
  }

  /// The smallest changes of `baseline` that are found with `power` by the end of day `days`, upwards and downwards. nil if
  /// no look is made by then, for more than `mostDays`, a baseline outside [0, 1] and a power outside (alpha, 1).
  public static func detectableEffect(
    _ looks: Looks, baseline: Double, days: Int, power: Double = 0.8
  ) -> PowerAnalysis.DetectableEffect? {
    guard power > looks.alpha, power < 1, days <= mostDays, days >= looks.firstDay else { return nil }
    var path = looks.boundaries
    var day = looks.firstDay
    while day <= days {
      _ = path.advance(to: looks.time(day))
      day = looks.day(after: day)
    }
    let needed = standardizedEffect(looks.alpha, power)
    let start = needed / looks.time(days).squareRoot()
    guard path.crossingProbability(drift: 40 * start) > power else { return nil }
    let drift = RootFinder.solve(
      low: 0, high: 40 * start, starts: (1.2 * start, 1.3 * start), positiveBelow: false, relative: 1e-9
    ) { path.crossingProbability(drift: $0) - power }
    let users = Double(looks.plannedUsers) * (needed / drift) * (needed / drift)
    return PowerAnalysis.minimumDetectableEffect(
      control: baseline, controlUsers: users / 2, treatmentUsers: users / 2, alpha: looks.alpha, power: power)
  }

  /// z_{1 − α/2} + z_power.
  private static func standardizedEffect(_ alpha: Double, _ power: Double) -> Double {
    NormalDistribution.quantile(power) - NormalDistribution.quantile(alpha / 2)
  }
}
