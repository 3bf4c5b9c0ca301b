// Grant rates of users' journeys, of which a user has several: the unit is the user.

import Statistics

extension UserRatio {
  /// Fewest users of a group for an interval: it rests on the normal distribution.
  static let leastUsers: Int64 = 30

  private var metric: RatioMetric {
    RatioMetric(
      users: Int(integers[0]), numerator: Int(integers[1]), denominator: Int(integers[2]),
      numeratorSquares: Int(integers[3]), denominatorSquares: Int(integers[5]), products: Int(integers[4]))
  }

  /// Granted of the base; nil without a base. No interval below 30 users, or if nothing varies: nobody knows how far 0 of them is from 0.
  var rate: Estimate? {
    guard let rate = metric.ratio else { return nil }
    guard users >= Self.leastUsers, let variance = metric.variance, variance > 0 else { return Estimate(rate) }
    let estimate = Estimate(rate, standardError: variance.squareRoot())
    return Estimate(rate, low: estimate.low.map { max(0, $0) }, high: estimate.high.map { min(1, $0) })
  }

  /// The first rate minus the second, with the normal interval of two ratio estimators; no interval below 30 users in a group, or if
  /// nothing varies. nil if a group has no base.
  static func difference(_ first: UserRatio, _ second: UserRatio) -> Estimate? {
    let (a, b) = (first.metric, second.metric)
    guard let rateA = a.ratio, let rateB = b.ratio else { return nil }
    guard min(first.users, second.users) >= leastUsers,
      let interval = try? RatioMetric.difference(a, b).get().normalInterval
    else { return Estimate(rateA - rateB) }
    return Estimate(rateA - rateB, interval)
  }
}
