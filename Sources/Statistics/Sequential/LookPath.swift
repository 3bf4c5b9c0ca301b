// A path of looks at two arms, and its first crossing.

/// Two arms at the end of a finished day: everybody whose outcome is known by then.
public struct ArmsAtLook: Sendable, Hashable {
  /// The control.
  public let a: BinomialSample
  /// The treatment.
  public let b: BinomialSample

  public init(a: BinomialSample, b: BinomialSample) {
    self.a = a
    self.b = b
  }
}

/// Looks one after the other, each with what it stops at, and the first that crossed.
///
/// The first crossing decides and stays; looks after it only go on with bounds and intervals. Differences are B − A.
public struct LookPath: Sendable {
  /// What a look stops at.
  public enum Boundary: Sendable, Hashable {
    /// |z| from which it crosses; infinite if nothing is spent here.
    case normal(Double)
    /// Events of B so far: it crosses at `lower` or fewer, or at `upper` or more. nil if no count would do.
    case exact(lower: Int?, upper: Int?)
  }

  /// One look.
  public struct Look: Sendable {
    /// Place in the days that were given.
    public let day: Int
    /// Information over that planned.
    public let time: Double
    /// The score statistic of no difference; 0 if nothing varies.
    public let z: Double
    public let boundary: Boundary
    /// Error of both sides really used up to here.
    public let spent: Double
    public let isCrossed: Bool
    /// B above A.
    public let isHigher: Bool
    /// The repeated interval of B − A; nil in the exact phase and where only z is known.
    ///
    /// Miettinen and Nurminen's with the bound for z, so it leaves out 0 exactly if the look crosses; [−1, 1] if the bound
    /// is infinite. Adjusted: the Mantel–Haenszel difference ± bound · Sato's error, which may disagree. All of a path's
    /// intervals together hold the true difference with 1 − alpha.
    public let interval: Interval?
    /// B − A, of which the interval is: of the two rates, or Mantel–Haenszel's. nil if there is no interval.
    public let difference: Double?
  }

  /// All looks, also those after the crossing.
  public let looks: [Look]
  /// Place in `looks` of the first that crossed.
  public let crossing: Int?
  /// Stage-wise at the crossing, at most alpha. Without one the sequential p, always above alpha: the smallest alpha for
  /// which any look so far would cross. nil without looks.
  ///
  /// Sources: K. Fairbanks and R. Madsen, Biometrika 69 (1982) 69; Q. Liu and K. M. Anderson, JASA 103 (2008) 1621.
  public let pValue: Double?

  /// Looks at given times with given z: declared looks, or recorded ones. Intervals are nil; a look's day is its place.
  ///
  /// Throws for lists of different length, times that do not rise from above 0, a z that is not a number, alpha outside
  /// (0, 1) and an exponent of the spending that is not above 0.
  public init(
    times: [Double], z: [Double], spending: AlphaSpending, alpha: Double = 0.05
  ) throws(StatisticsError) {
    guard times.count == z.count else { throw .lengthsDiffer(times.count, z.count) }
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    try spending.check()
    for (index, time) in times.enumerated() {
      guard time > (index == 0 ? 0 : times[index - 1]), time.isFinite else { throw .looksNotRising(index: index) }
      guard !z[index].isNaN else { throw .notFinite(name: "z") }
    }
    let plan = LookSchedule(
      normal: zip(times, z).enumerated().map { .init(day: $0.offset, time: $0.element.0, z: $0.element.1) })
    self.init(plan, spending: spending, alpha: alpha) { _, _ in nil }
  }

  /// `estimate`: difference and interval of the look at this place among the normal ones, for its bound.
  init(
    _ plan: LookSchedule, spending: AlphaSpending, alpha: Double,
    estimate: (_ place: Int, _ bound: Double) -> (difference: Double, interval: Interval)?
  ) {
    let result = plan.evaluate(spending, alpha: alpha)
    var looks: [Look] = []
    for (look, step) in zip(plan.exact, result.exact) {
      let upwards = step.upper.map { look.events >= $0 } ?? false
      let downwards = step.lower.map { look.events <= $0 } ?? false
      looks.append(
        Look(
          day: look.day, time: look.time, z: look.z, boundary: .exact(lower: step.lower, upper: step.upper),
          spent: step.spentLow + step.spentUp, isCrossed: upwards || downwards,
          isHigher: upwards || (!downwards && look.z > 0), interval: nil, difference: nil))
    }
    for (place, (look, step)) in zip(plan.normal, result.normal).enumerated() {
      let isCrossed = step.isCrossed
      let estimate = estimate(place, step.bound)
      looks.append(
        Look(
          day: look.day, time: look.time, z: look.z, boundary: .normal(step.bound), spent: step.spent,
          isCrossed: isCrossed, isHigher: look.z > 0, interval: estimate?.interval, difference: estimate?.difference))
    }
    self.looks = looks
    crossing = looks.firstIndex { $0.isCrossed }
    if looks.isEmpty {
      pValue = nil
    } else {
      pValue = result.crossingP ?? plan.sequentialP(spending, above: alpha, margin: result.margin)
    }
  }
}
