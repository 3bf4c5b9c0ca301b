// Whether a plan keeps its word: the power at the planned number of users, exactly or by simulation.

import Statistics

public struct PlannedPower: Sendable {
  public var baseline: Double
  public var effect: Double
  public var power = 0.8

  public init(baseline: Double, effect: Double) {
    self.baseline = baseline
    self.effect = effect
  }

  /// The plans that docs/statistics.md lists.
  public static let grid = [(0.05, 0.02), (0.2, 0.04), (0.48, 0.04), (0.5, -0.05), (0.9, 0.03)].map {
    PlannedPower(baseline: $0.0, effect: $0.1)
  }

  private func users(inflation: Double) -> Int {
    let plan = SampleSize.perArm(baseline: baseline, effect: effect, power: power)
    return Int(((plan?.controlExact ?? 1) * inflation).rounded(.up))
  }

  private func arms(_ users: Int) -> TwoArms {
    TwoArms(control: (users, baseline), treatment: (users, baseline + effect))
  }

  /// Users of an arm, and the exact power of the pooled z-test with them.
  public func oneLook() throws -> (users: Int, power: Double) {
    let users = users(inflation: 1)
    return (users, try arms(users).probability { (PooledZ.test($0, $1)?.pValue ?? 1) < 0.05 })
  }

  /// Users of an arm, and the exact power of the always-valid sequence at its planned number (more looks only add to it).
  public func alwaysValid() throws -> (users: Int, power: Double) {
    let users = users(inflation: SequentialInflation.asymptotic(power: power) ?? 1)
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 2 * users)
    return (
      users,
      try arms(users).probability {
        (try? sequence.evaluate($0, $1).get()).map { !$0.interval.contains(0) } ?? false
      }
    )
  }

  /// Users of an arm, and the power of five O'Brien–Fleming looks by simulation.
  public func looks(tests: Int, seed: UInt64) throws -> (users: Int, power: Double) {
    let design = try GroupSequential(equalLooks: 5, spending: .obrienFleming)
    let step = (users(inflation: SequentialInflation.groupSequential(design, power: power) ?? 1) + 4) / 5
    var peeking = Peeking(tests: tests, looks: 5, usersALook: 2 * step, rate: baseline, seed: seed)
    peeking.difference = effect
    return (5 * step, try peeking.winners([.looks])[.looks] ?? 0)
  }
}
