// The daily rule for a difference within strata.

extension DailyRule {
  /// The looks of days of cumulative strata, the first sample of each being B, the second A; strata need not be the same
  /// ones each day.
  ///
  /// Cochran–Mantel–Haenszel's z on the strata as they are, t = 4 Σ n₁n₂/n/N*, intervals Mantel–Haenszel ± bound · Sato's
  /// error, which may disagree with z. There is no exact phase: no look is made until Σ min(n₁, n₂) · min(x, n − x)/n over the
  /// strata reaches 10 once, and then all error allowed up to there may be spent. Throws `tooMany` above `mostDays`.
  public func path(
    adjusted days: [[Stratified.Stratum]], firstLook: Int
  ) throws(StatisticsError) -> LookPath {
    guard days.count <= Self.mostDays else { throw .tooMany(name: "days", have: days.count, most: Self.mostDays) }
    var plan = LookSchedule(normal: [])
    var differences: [StratifiedDifference] = []
    var clock = LookClock(plannedUsers: plannedUsers)
    var isOpen = false
    for (place, strata) in days.enumerated() where place >= firstLook {
      guard case .success(let difference) = StratifiedDifference.compare(strata) else { continue }
      let usable = strata.filter { $0.first.trials > 0 && $0.second.trials > 0 }
      let sums = ArmsAtLook(
        a: strata.reduce(.empty) { $0 + $1.second }, b: strata.reduce(.empty) { $0 + $1.first })
      isOpen = isOpen || usable.reduce(0) { $0 + Self.expected($1) } >= Self.gate
      guard isOpen,
        let time = clock.rises(
          to: difference.informationUsers / Double(plannedUsers), sums.a.trials, sums.b.trials)
      else { continue }
      clock.look(sums, at: time)
      plan.normal.append(.init(day: place, time: time, z: difference.cmhZ))
      differences.append(difference)
    }
    return LookPath(plan, spending: spending, alpha: alpha) { place, bound in
      let difference = differences[place]
      guard bound.isFinite else { return Interval(low: -1, high: 1) }
      return Interval(difference.mantelHaenszel, plusMinus: bound * difference.satoError)
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
