// The daily rule for a difference within strata.

/// A look at strata as it was when it was made, for a path that goes on from it.
public struct AdjustedLook: Sendable, Hashable {
  /// Users of the control and of the treatment.
  public let aUsers, bUsers: Int
  public let time, z: Double
  /// Mantel–Haenszel, B − A, and Sato's error; nil if they are not known any more.
  public let difference, error: Double?

  public init(aUsers: Int, bUsers: Int, time: Double, z: Double, difference: Double?, error: Double?) {
    (self.aUsers, self.bUsers) = (aUsers, bUsers)
    (self.time, self.z) = (time, z)
    (self.difference, self.error) = (difference, error)
  }
}

extension DailyRule {
  /// The looks of days of cumulative strata, the first sample of each being B, the second A; strata need not be the same
  /// ones each day.
  ///
  /// Cochran–Mantel–Haenszel's z on the strata as they are, t = 4 Σ n₁n₂/n/N*, intervals Mantel–Haenszel ± bound · Sato's
  /// error, which may disagree with z. There is no exact phase: no look is made until Σ min(n₁, n₂) · min(x, n − x)/n over the
  /// strata reaches 10 once, and then all error allowed up to there may be spent. Throws `tooMany` above `mostDays`.
  /// - Parameter recorded: for each of the first days the look that was made, nil if none was; the strata of these days are
  ///   not looked at. Throws `looksNotRising` if their times do not rise.
  public func path(
    adjusted days: [[Stratified.Stratum]], firstLook: Int, recorded: [AdjustedLook?] = []
  ) throws(StatisticsError) -> LookPath {
    guard days.count <= Self.mostDays else { throw .tooMany(name: "days", have: days.count, most: Self.mostDays) }
    var plan = LookSchedule(normal: [])
    var differences: [(value: Double?, error: Double?)] = []
    var clock = LookClock(plannedUsers: plannedUsers)
    var isOpen = false
    for (place, look) in recorded.enumerated() {
      guard let look else { continue }
      guard look.time > plan.normal.last?.time ?? 0, look.time.isFinite else { throw .looksNotRising(index: place) }
      guard look.z.isFinite else { throw .notFinite(name: "z") }
      isOpen = true
      clock.look(look.aUsers, look.bUsers, at: look.time)
      plan.normal.append(.init(day: place, time: look.time, z: look.z))
      differences.append((look.difference, look.error))
    }
    for (place, strata) in days.enumerated() where place >= max(firstLook, recorded.count) {
      guard case .success(let difference) = StratifiedDifference.compare(strata) else { continue }
      let usable = strata.filter { $0.first.trials > 0 && $0.second.trials > 0 }
      let sums = ArmsAtLook(
        a: strata.reduce(.empty) { $0 + $1.second }, b: strata.reduce(.empty) { $0 + $1.first })
      isOpen = isOpen || usable.reduce(0) { $0 + Self.expected($1) } >= Self.gate
      guard isOpen,
        let time = clock.rises(
          to: difference.informationUsers / Double(plannedUsers), sums.a.trials, sums.b.trials)
      else { continue }
      clock.look(sums.a.trials, sums.b.trials, at: time)
      plan.normal.append(.init(day: place, time: time, z: difference.cmhZ))
      differences.append((difference.mantelHaenszel, difference.satoError))
    }
    return LookPath(plan, spending: spending, alpha: alpha) { place, bound in
      guard let value = differences[place].value, let error = differences[place].error else { return nil }
      return (value, bound.isFinite ? Interval(value, plusMinus: bound * error) : Interval(low: -1, high: 1))
    }
  }

  /// Expected events, or non-events, of the smaller arm.
  static func expected(_ stratum: Stratified.Stratum) -> Double {
    let smaller = Double(min(stratum.first.trials, stratum.second.trials))
    let events = Double(stratum.first.successes) + Double(stratum.second.successes)
    let others = Double(stratum.first.failures) + Double(stratum.second.failures)
    return smaller * (min(events, others) / (events + others))
  }
}
