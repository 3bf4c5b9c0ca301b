// What the rule of decision can find if the experiment goes on at its present pace.

import Statistics

extension Comparison.Needed {
  /// What can be done at the present pace.
  public struct Outlook: Sendable, Hashable {
    /// Exposures of both arms a day, over the last 28 days.
    public let usersPerDay: Double
    /// The smallest difference, a size above 0, that the rule, which has not found it so far, finds with 80 % power by so many
    /// days from now; nil if none.
    public let detectable: Double?
    /// Four weeks.
    public let days: Int
    /// The smallest effect that matters, and the days until the rule finds it with 80 % power: 0 if it has had
    /// that power already, nil beyond a year.
    public let effect: Double
    public let daysForEffect: Int?
  }
}

extension Comparison {
  /// The pace of a pair and what it leads to.
  struct Prospect {
    /// Exposures a day of A and B.
    let a, b: Double
    /// Of exposures, those that have a say on the metric.
    let countedShare: Double
    let rate: Double
    let effect: Double
    let plannedUsers: Int
    let alpha: Double

    static let weeks = 4
    static let power = 0.8

    /// Information of one day's users, as a share of that planned.
    private var perDay: Double { 4 * (a * b / (a + b)) * countedShare / Double(plannedUsers) }

    /// The drift of the score under a difference: E S(t) = drift · t.
    private func drift(_ difference: Double) -> Double {
      let middle = min(1, max(0, rate + difference / 2))
      let deviation = (middle * (1 - middle)).squareRoot()
      return deviation > 0 ? abs(difference) * Double(plannedUsers).squareRoot() / 2 / deviation : .infinity
    }

    /// - Parameter looks: times of those made.
    func outlook(_ rule: Rule, exponent: Double, looks: [Double]) throws -> Needed.Outlook? {
      guard a > 0, b > 0, perDay > 0 else { return nil }
      let now = looks.last ?? 0
      let days = Self.weeks * 7
      var detectable: Double?
      var daysForEffect: Int?
      switch rule {
      case .looks: return nil
      case .alwaysValid:
        let mixture = try NormalMixture(plannedUsers: plannedUsers, alpha: alpha)
        func power(_ day: Int, _ difference: Double) -> Double {
          let time = now + perDay * Double(day)
          let users = time * Double(plannedUsers)
          guard users > 0 else { return 0 }
          let bound = mixture.halfWidth(scaledVariance: users, users: users)
          return NormalDistribution.upperTail(bound - drift(difference) * time.squareRoot())
        }
        detectable = smallest { power(days, $0) }
        daysForEffect = (0...Self.mostDays).first { power($0, signedEffect) >= Self.power }
      case .daily:
        var path = try SequentialBoundaries(alpha: alpha, spending: .open(exponent: exponent))
        for time in looks { _ = try path.look(at: time) }
        let made = path
        func crossed(_ path: SequentialBoundaries, _ difference: Double) -> Double {
          path.crossingProbability(drift: drift(difference))
        }
        /// That looks to come cross, given that none has.
        func given(before: Double, _ by: Double) -> Double {
          // If it were all but certain to have crossed, it says nothing that it did not.
          before < 1 - 1e-9 ? (by - before) / (1 - before) : 1
        }
        let before = looks.isEmpty ? 0 : crossed(made, signedEffect)
        if before >= Self.power { daysForEffect = 0 }
        for day in 1...days {
          _ = try path.look(at: now + perDay * Double(day))
          if daysForEffect == nil, given(before: before, crossed(path, signedEffect)) >= Self.power {
            daysForEffect = day
          }
        }
        let fourWeeks = path
        detectable = smallest {
          given(before: looks.isEmpty ? 0 : crossed(made, $0), crossed(fourWeeks, $0))
        }
        // After that a look a week: it costs a seventh of the work and next to nothing of the power.
        for day in stride(from: days + 7, through: Self.mostDays, by: 7) where daysForEffect == nil {
          _ = try path.look(at: now + perDay * Double(day))
          if given(before: before, crossed(path, signedEffect)) >= Self.power { daysForEffect = day }
        }
      }
      return Needed.Outlook(
        usersPerDay: a + b, detectable: detectable, days: days, effect: effect, daysForEffect: daysForEffect)
    }

    private static let mostDays = 365

    /// The effect in the direction that leaves the rate within [0, 1].
    private var signedEffect: Double { rate + effect <= 1 ? effect : -effect }

    /// The smallest difference found with the power, towards the side on which rates have more room; nil if none is.
    private func smallest(_ power: (Double) -> Double) -> Double? {
      let sign = rate <= 0.5 ? 1.0 : -1.0
      var (low, high) = (0.0, sign > 0 ? 1 - rate : rate)
      guard high > 0, power(sign * high) >= Self.power else { return nil }
      while high - low > 0.0005 * high {
        let middle = (low + high) / 2
        if power(sign * middle) >= Self.power { high = middle } else { low = middle }
      }
      return high
    }
  }
}
