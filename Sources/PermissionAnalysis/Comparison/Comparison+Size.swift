// How large the difference is, for the first lines of an answer.

extension Comparison {
  /// The size of a decided or undecided difference.
  public struct Size: Sendable, Hashable {
    /// B minus A. Decided: corrected for stopping at a crossing. Else as it is by the latest look, with the rule's interval.
    public let difference: Estimate
    public let isDecided: Bool
    /// `difference` over the rate of A at the same look; nil if that is 0, and if the division changed.
    public let relative: Double?
    /// Successes a week more if all users of both arms saw B instead of A; nil without a pace, and for a rate of users that the
    /// message has selected.
    public let aWeek: Double?
    /// Users of both arms a week, over the last 28 days of the test.
    public let usersAWeek: Double?
  }

  /// Nil before the first look, and if the decision was made by exact tests of few events: these have no estimate.
  public var size: Size? {
    if let crossing = monitoring.crossing {
      return crossing.estimate.map { size($0, at: crossing.look, isDecided: true) }
    }
    guard let look = monitoring.looks.last, look.estimate.low != nil else { return nil }
    return size(look.estimate, at: look, isDecided: false)
  }

  /// The difference of all users by now with its variance (Wald); nil without users of both arms.
  package var effect: (difference: Double, variance: Double)? {
    guard let difference, let rateA = a.rate?.value, let rateB = b.rate?.value else { return nil }
    return (
      difference.value, rateA * (1 - rateA) / Double(a.trials) + rateB * (1 - rateB) / Double(b.trials)
    )
  }

  private func size(_ difference: Estimate, at look: Look, isDecided: Bool) -> Size {
    let usersAWeek = needed.usersPerDay.map { $0 * 7 }
    return Size(
      difference: difference, isDecided: isDecided,
      // The rate of all users mixes the periods of a division.
      relative: split.changes.isEmpty ? look.a.rate.flatMap { $0 > 0 ? difference.value / $0 : nil } : nil,
      aWeek: metric.isDescriptive ? nil : usersAWeek.map { $0 * difference.value }, usersAWeek: usersAWeek)
  }
}
