// How many users to test before the better message goes to all: the size of a test from what it loses, not from a power.

/// Test & Roll: test some users of each of two arms, then show the better one to all later users.
///
/// Two equal-looking arms, whose difference is normal about 0 with the deviation τ; rates with the deviation s = √(p(1 − p)). With N users
/// in all the best size is n = √(N r²/4 + (¾ r²)²) − ¾ r² of each arm, r² = 2 s²/τ². A classical test is far larger where users
/// are few: those who are shown the worse arm are lost. Source: E. M. Feit and R. Berman, Marketing Science 38 (2019) 1038,
/// doi:10.1287/mksc.2019.1194.
public struct TestAndRoll: Sendable, Hashable {
  /// All users to come, the tested ones included.
  public let users: Double
  /// τ, of the difference of the arms.
  public let effectDeviation: Double
  /// s, of one user's outcome.
  public let deviation: Double

  /// Throws for users and deviations that are not finite and above 0.
  public init(users: Double, effectDeviation: Double, deviation: Double) throws(StatisticsError) {
    for (name, value) in [("users", users), ("effect deviation", effectDeviation), ("deviation", deviation)] {
      guard value > 0, value.isFinite else { throw .notPositive(name: name, value: value) }
    }
    (self.users, self.effectDeviation, self.deviation) = (users, effectDeviation, deviation)
  }

  /// Users of each arm; at most half of all.
  public var perArm: Double {
    let ratio = 2 * (deviation / effectDeviation) * (deviation / effectDeviation)
    let part = 0.75 * ratio
    return min(users / 2, (users / 4 * ratio + part * part).squareRoot() - part)
  }

  /// The successes that a test of so many users an arm gains on average over no test, by showing the better arm to the rest:
  /// (N − 2n) E|posterior mean|/2.
  public func gain(perArm: Double) -> Double {
    guard perArm > 0, 2 * perArm < users else { return 0 }
    let variance = effectDeviation * effectDeviation
    let spread = variance / (variance + 2 * deviation * deviation / perArm).squareRoot()
    return (users - 2 * perArm) * spread * 0.39894228040143267794
  }
}

/// Effects of several tests, as draws from one distribution.
public enum RandomEffects {
  /// The deviation of true effects about 0, by the moment estimator: τ² = (Σ w d² − k)/Σ w, w = 1/v. 0 if the
  /// effects are no larger than chance; nil for fewer than two. Which message is the control is taken as chance, so the mean is 0.
  /// Source: R. DerSimonian and N. Laird, Controlled Clinical Trials 7 (1986) 177, with a known mean.
  public static func deviation(_ effects: [(difference: Double, variance: Double)]) -> Double? {
    let usable = effects.filter { $0.variance > 0 && $0.variance.isFinite && $0.difference.isFinite }
    guard usable.count > 1 else { return nil }
    let weights = usable.reduce(0) { $0 + 1 / $1.variance }
    let squares = usable.reduce(0) { $0 + $1.difference * $1.difference / $1.variance }
    return max(0, (squares - Double(usable.count)) / weights).squareRoot()
  }
}
