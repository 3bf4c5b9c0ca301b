// The default rule of decision: looks at the ends of finished days, without a last look.

/// Open-ended daily looks at two rates; the first crossing decides and stays.
///
/// - Information time t = 4 nA nB/((nA + nB) N*), N* the planned users of both arms at an even split.
/// - Allowed error a(t) = α tʳ/(1 + tʳ), half of it for each side.
/// - A day is a look from `firstLook` on if both arms have users, neither has fewer than at the last look, and t grew by
///   0.1 % since: sizes alone say so, never outcomes.
/// - While min(nA, nB) · min(x, N − x)/N < 10 (x events of N users): looks at the exact distribution of B's events given
///   each day's sizes and events of both arms. There, days of fewer than 20 new users and days on which a count fell are
///   joined with the next ones, and are no looks. From the first look on that has more, for good (or whose distribution has a
///   variance above 10,000, however unlike its days were): `SequentialBoundaries` for `MiettinenNurminen.scoreAtZero`, begun
///   anew with the error really used so far.
///
/// The chance of ever crossing without a difference is at most α: exactly in the first phase, as far as the score is normal in
/// the second. Everything is computed again from the counts of the days, and what comes later never changes an earlier look.
/// Source of the open-ended spending: none; any increasing a(t) with the limit α keeps the error (K. K. G. Lan and D. L.
/// DeMets, Biometrika 70 (1983) 659).
public struct DailyRule: Sendable {
  public let plannedUsers: Int
  public let exponent: Double
  public let alpha: Double

  /// Far more days than any experiment has; it bounds the time.
  public static let mostDays = 100_000
  /// Least growth of t from look to look, as a share.
  static let leastGrowth = 0.001
  /// Expected events, or non-events, of the smaller arm from which the statistic is taken as normal.
  static let gate = 10.0
  /// Days with fewer new users are not a block of their own in the exact phase.
  static let leastBlock = 20
  /// A variance of B's events at which the normal approximation is certainly good enough, however unlike its days were.
  static let mostVariance = 10_000.0

  /// Throws for no planned users, an exponent that is not finite and above 0, and alpha outside (0, 1).
  public init(plannedUsers: Int, exponent: Double = 1.5, alpha: Double = 0.05) throws(StatisticsError) {
    guard plannedUsers > 0 else { throw .notPositive(name: "planned users", value: Double(plannedUsers)) }
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    try AlphaSpending.open(exponent: exponent).checkExponent()
    self.plannedUsers = plannedUsers
    self.exponent = exponent
    self.alpha = alpha
  }

  var spending: AlphaSpending { .open(exponent: exponent) }

  /// The looks of days with cumulative counts, oldest first. `firstLook`: index of the first day that may be a look.
  /// `needsSequentialP`: false leaves out the p-value of a path without a crossing, which is a search over all looks.
  /// Throws `tooMany` above `mostDays`.
  public func path(
    _ days: [ArmsAtLook], firstLook: Int, needsSequentialP: Bool = true
  ) throws(StatisticsError) -> LookPath {
    guard days.count <= Self.mostDays else { throw .tooMany(name: "days", have: days.count, most: Self.mostDays) }
    let plan = schedule(days, firstLook: firstLook)
    return LookPath(plan, spending: spending, alpha: alpha, needsSequentialP: needsSequentialP) { index, bound in
      let look = plan.normal[index]
      let day = days[look.day]
      guard let value = BinomialSample.exactDifference(day.b, day.a),
        let interval = Self.interval(day, z: look.z, bound: bound)
      else { return nil }
      return (value, interval)
    }
  }

  func schedule(_ days: [ArmsAtLook], firstLook: Int) -> LookSchedule {
    var plan = LookSchedule(normal: [])
    var clock = LookClock(plannedUsers: plannedUsers)
    var blocks: [BlockMargins] = []
    var base = ArmsAtLook(a: .empty, b: .empty)
    var variance = 0.0
    var isOpen = false
    for (index, day) in days.enumerated() {
      if !isOpen, let margins = BlockMargins(from: base, to: day), margins.users >= Self.leastBlock {
        blocks.append(margins)
        variance += margins.variance
        base = day
      }
      guard index >= firstLook, let time = clock.time(day) else { continue }
      isOpen =
        isOpen || Self.expected(Stratified.Stratum(first: day.b, second: day.a)) >= Self.gate
        || variance > Self.mostVariance
      guard isOpen || day == base else { continue }
      clock.look(day.a.trials, day.b.trials, at: time)
      let z = MiettinenNurminen.scoreAtZero(day.b, day.a) ?? 0
      if isOpen {
        plan.normal.append(.init(day: index, time: time, z: z))
      } else {
        plan.exact.append(
          ExactLook(
            day: index, time: time, z: z, events: day.b.successes, blocks: blocks.map { HypergeometricBlock($0) }))
        blocks = []
      }
    }
    return plan
  }

  /// An interval that always agrees with the look's crossing, even in the last digit.
  private static func interval(_ arms: ArmsAtLook, z: Double, bound: Double) -> Interval? {
    guard var interval = MiettinenNurminen.differenceInterval(arms.b, arms.a, bound: bound) else { return nil }
    if abs(z) >= bound {
      if z > 0 { interval.low = max(interval.low, .leastNormalMagnitude) }
      if z < 0 { interval.high = min(interval.high, -.leastNormalMagnitude) }
    } else {
      interval.low = min(interval.low, 0)
      interval.high = max(interval.high, 0)
    }
    return interval
  }
}

/// Which days are looks, by sizes alone.
struct LookClock {
  let plannedUsers: Int
  private var last: (a: Int, b: Int, time: Double)?

  init(plannedUsers: Int) { self.plannedUsers = plannedUsers }

  /// The information time of a day that may be a look; nil if it may not.
  func time(_ day: ArmsAtLook) -> Double? {
    let (a, b) = (Double(day.a.trials), Double(day.b.trials))
    guard a > 0, b > 0 else { return nil }
    return rises(to: 4 * a / (a + b) * (b / Double(plannedUsers)), day.a.trials, day.b.trials)
  }

  /// The same for information known in users at an even split, and the arms' sizes.
  func rises(to time: Double, _ a: Int, _ b: Int) -> Double? {
    guard time > 0 else { return nil }
    guard let last else { return time }
    return a >= last.a && b >= last.b && time - last.time >= DailyRule.leastGrowth * last.time ? time : nil
  }

  mutating func look(_ a: Int, _ b: Int, at time: Double) { last = (a, b, time) }
}

// MARK: The daily rule for a difference within strata

/// A look at strata as it was when it was made, for a path that goes on from it.
public struct AdjustedLook: Sendable, Hashable {
  /// Users of the control and of the treatment.
  public let aUsers, bUsers: Int
  public let time, z: Double
  /// Mantel–Haenszel, B − A, and Sato's error; nil if they are no longer known.
  public let difference, error: Double?

  public init(aUsers: Int, bUsers: Int, time: Double, z: Double, difference: Double?, error: Double?) {
    (self.aUsers, self.bUsers) = (aUsers, bUsers)
    (self.time, self.z) = (time, z)
    (self.difference, self.error) = (difference, error)
  }
}

extension DailyRule {
  /// The looks of days of cumulative strata. The first sample of each stratum is B's, the second A's; strata need not
  /// be the same each day.
  ///
  /// Cochran–Mantel–Haenszel's z on the strata as they are, t = 4 Σ n₁n₂/n/N*, intervals Mantel–Haenszel ± bound ·
  /// Sato's error, which may disagree with z. There is no exact phase: no look is made until Σ min(n₁, n₂) · min(x, n −
  /// x)/n over the strata reaches 10 once, and then all error allowed up to there may be spent. Throws `tooMany` above
  /// `mostDays`.
  /// - Parameter recorded: for each of the first days the recorded look, nil if there was no look; the strata of these
  ///   days are not used. Throws `looksNotRising` if their times do not rise.
  public func path(
    adjusted days: [[Stratified.Stratum]], firstLook: Int, recorded: [AdjustedLook?] = []
  ) throws(StatisticsError) -> LookPath {
    guard days.count <= Self.mostDays else { throw .tooMany(name: "days", have: days.count, most: Self.mostDays) }
    var plan = LookSchedule(normal: [])
    var differences: [(value: Double?, error: Double?)] = []
    var clock = LookClock(plannedUsers: plannedUsers)
    var isOpen = false
    for (index, look) in recorded.enumerated() {
      guard let look else { continue }
      guard look.time > plan.normal.last?.time ?? 0, look.time.isFinite else { throw .looksNotRising(index: index) }
      guard look.z.isFinite else { throw .notFinite(name: "z") }
      isOpen = true
      clock.look(look.aUsers, look.bUsers, at: look.time)
      plan.normal.append(.init(day: index, time: look.time, z: look.z))
      differences.append((look.difference, look.error))
    }
    for (index, strata) in days.enumerated() where index >= max(firstLook, recorded.count) {
      guard case .success(let difference) = StratifiedDifference.compare(strata) else { continue }
      let usable = strata.filter { $0.first.trials > 0 && $0.second.trials > 0 }
      let sums = ArmsAtLook(a: strata.reduce(.empty) { $0 + $1.second }, b: strata.reduce(.empty) { $0 + $1.first })
      isOpen = isOpen || usable.reduce(0) { $0 + Self.expected($1) } >= Self.gate
      guard isOpen,
        let time = clock.rises(to: difference.informationUsers / Double(plannedUsers), sums.a.trials, sums.b.trials)
      else { continue }
      clock.look(sums.a.trials, sums.b.trials, at: time)
      plan.normal.append(.init(day: index, time: time, z: difference.cmhZ))
      differences.append((difference.mantelHaenszel, difference.satoError))
    }
    return LookPath(plan, spending: spending, alpha: alpha) { index, bound in
      guard let value = differences[index].value, let error = differences[index].error else { return nil }
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

// MARK: What it is tuned for if nobody planned the test

/// The daily rule of a test without a plan.
///
/// Its constants follow from sizes alone, which say nothing of the outcome, so they spend no error. They are chosen by exact computation
/// (docs/statistics.md): such a test needs about the users of a fixed one of 80 % power, whether that takes one week or ten.
/// A day's time is its number over 28 then, so all tests with a steady pace have the same boundaries.
public enum UnplannedRule {
  /// r of the spending, also with a plan that was made too late.
  public static let exponent = 2.0
  /// N* is this many times the users that were exposed on the first days with exposures.
  public static let factor = 4
  public static let days = 7
  public static let users = 200...200_000

  /// N* for the exposures of those days, of both arms.
  public static func plannedUsers(exposed: Int) -> Int {
    min(users.upperBound, max(users.lowerBound, min(exposed, users.upperBound) * factor))
  }
}
