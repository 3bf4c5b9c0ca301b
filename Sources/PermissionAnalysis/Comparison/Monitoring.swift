// The looks of the rule of decision at the ends of finished days, and its decision.

import Buffers
import PermissionEvents
import Statistics

extension Comparison {
  /// The finished days as they were at each look, to be kept with a plan.
  public var record: RecordedArm {
    var (a, b) = (Tally(), Tally())
    return RecordedArm(
      variant: self.b.variant, firstDay: monitoring.firstDay, exponent: monitoring.exponent,
      days: series.map { point in
        a = a + point.a
        b = b + point.b
        return RecordedDay(
          day: point.day, aUsers: a.trials, aEvents: a.successes, bUsers: b.trials, bEvents: b.successes,
          time: point.look?.time, z: point.look?.z,
          difference: monitoring.adjustedBy.isEmpty ? nil : point.look?.estimate.value,
          error: monitoring.adjustedBy.isEmpty ? nil : point.look?.error)
      })
  }

  /// The looks of the rule of decision and what follows from them. The first crossing decides, with its day, for good.
  public struct Monitoring: Sendable {
    public let rule: Rule
    /// N*: users of both arms together at an even split.
    public let plannedUsers: Int
    /// N* follows from the users of the first days, since neither a plan nor the question names it.
    public let isByFirstDays: Bool
    /// r of the daily rule's spending; nil for the other rules.
    public let exponent: Double?
    /// The calendar day of the first exposure, the first of the days; nil without one.
    public internal(set) var firstDay: DayNumber?
    /// Properties within whose values the difference is adjusted.
    public let adjustedBy: [String]
    /// The share of users saved by the adjustment: of the users that the plain difference would need for the same
    /// error, at the latest day. Below 0 if it costs users. Nil without an adjustment.
    public internal(set) var usersSaved: Double?
    /// The looks made, oldest first, including looks after the crossing.
    public internal(set) var looks: [Look] = []
    public internal(set) var crossing: Crossing?
    /// Stage-wise at the crossing, else the sequential p-value; the always-valid one for its rule. nil without a look, and in a list
    /// of experiments without a crossing.
    public internal(set) var pValue: Double?
    /// The first day at whose end both one-sided sequences are within ± the minimum effect.
    public internal(set) var noDifference: NoDifference?
    /// The daily rule's boundaries, to go on from; nil if they are not of all looks.
    var boundaries: SequentialBoundaries?
    /// How later days contradict the decision.
    public internal(set) var contradiction: Contradiction?
    /// The progress of declared looks; nil for the other rules.
    public internal(set) var declared: DeclaredLooks?
    /// The decision by the log as it is now, if it differs from the decision by recorded looks.
    public internal(set) var recordDiffers: RecordDifference?

    /// The day of the decision, for a winner or for no difference. Nil without a decision.
    public var decidedOn: DayNumber? { crossing?.day ?? noDifference?.day }
    /// The difference and the rule's repeated interval at the latest look.
    public var now: Estimate? { looks.last?.estimate }
    /// The same at the look that decided.
    public var atDecision: Estimate? { crossing.map { $0.look.estimate } }
  }

  /// One look, at the end of a finished day.
  public struct Look: Sendable {
    public let day: DayNumber
    /// 1 is the calendar day of the first exposure.
    public let dayNumber: Int
    /// All users of A and B whose outcome was known by then.
    public let a, b: Tally
    /// Information, as a share of that planned.
    public let time: Double
    /// The Miettinen–Nurminen score at no difference, B against A; adjusted: Cochran, Mantel and Haenszel's. nil for the
    /// always-valid sequence.
    public let z: Double?
    /// The boundary of the look.
    public let boundary: Boundary
    /// B minus A with the rule's interval of this look.
    public let estimate: Estimate
    public let isCrossed: Bool
    /// B above A, by the statistic that crosses.
    public let isHigher: Bool
    /// The difference is that within strata.
    let isAdjusted: Bool

    /// The standard error that the interval rests on; nil if there is no such interval.
    var error: Double? {
      guard case .score(let bound) = boundary, bound.isFinite, bound > 0, let low = estimate.low,
        let high = estimate.high
      else { return nil }
      return (high - low) / 2 / bound
    }
  }

  // MARK: Details of looks

  /// What a look crosses.
  public enum Boundary: Sendable, Hashable {
    /// |z|; infinite if no error may be spent yet.
    case score(Double)
    /// Events of B, while there are few: at most `lower` or at least `upper`; nil if no number of them crosses.
    case events(lower: Int?, upper: Int?)
    /// The interval excludes 0.
    case interval
  }

  /// The look that decided.
  public struct Crossing: Sendable {
    public let look: Look
    public let pValue: Double
    /// B minus A, corrected for stopping here (median-unbiased), with its stage-wise 95 % interval; of the always-valid rule
    /// its own interval. Nil for exact tests of few events.
    public let estimate: Estimate?
    public var day: DayNumber { look.day }
    public var isHigher: Bool { look.isHigher }
  }

  /// The end of a day by which any difference of size was excluded.
  public struct NoDifference: Sendable {
    public let day: DayNumber
    public let dayNumber: Int
    /// Of B minus A, each end valid at every look with 95 %.
    public let low, high: Double
  }

  /// Later data against a decision.
  public enum Contradiction: Sendable, Hashable {
    /// The always-valid intervals since the decision have no difference in common.
    case intervalsDisagree(since: DayNumber, until: DayNumber)
    /// The interval of one look is now on the other side of 0.
    case otherSide(low: Double, high: Double)
  }

  /// Where declared looks are.
  public struct DeclaredLooks: Sendable, Hashable {
    public let count, plannedUsers: Int
    /// Users of the look to come; nil after the last.
    public internal(set) var nextAt: Int?
    /// There are more users than were planned; those after the last look are not looked at.
    public internal(set) var isOverrun = false

    init(count: Int, of plannedUsers: Int) {
      (self.count, self.plannedUsers) = (count, plannedUsers)
      nextAt = users(at: 1)
    }

    /// Users of both arms at which a look is made; 1 is the first look.
    func users(at look: Int) -> Int { Int((Double(plannedUsers) * Double(look) / Double(count)).rounded(.up)) }
  }

  /// The recorded decision, if any, and the decision by the log as it is now.
  public struct RecordDifference: Sendable, Hashable {
    public struct Verdict: Sendable, Hashable {
      public let day: DayNumber
      /// B above A; nil for no difference that matters.
      public let isHigher: Bool?
    }
    /// nil: undecided.
    public let recorded, fromLog: Verdict?
  }
}

// MARK: Ends of days: the moments at which a comparison is looked at

/// Finds the first look that sees an event.
///
/// The look of a day is made at its end, which is the first moment of the next day, and sees everything up to it. If a zone
/// leaves out a day, two days end together; the first of them has the look.
struct LookDays: ~Copyable {
  /// Days that are found by dividing.
  let range: ClosedRange<DayNumber>
  /// Of each of them.
  private let ends: Buffer<Milliseconds>
  private let firstEnd, lastEnd: Milliseconds

  /// Most days that a table is laid out for.
  private static let most: DayNumber = 1 << 16
  /// A constant of this module, so the compiler divides by it with a multiplication.
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// - Parameter moments: that are found by dividing; others are searched for in the zone's table.
  init(_ moments: ClosedRange<Milliseconds>, in zone: ZoneTable) {
    let first = zone.day(of: moments.lowerBound) - 1
    range = first...min(zone.day(of: moments.upperBound) + 1, first + Self.most)
    var ends = Buffer<Milliseconds>(capacity: range.count)
    for day in range { ends.append(zone.firstMoment(of: day + 1)) }
    firstEnd = ends[0]
    lastEnd = ends[ends.count - 1]
    self.ends = ends
  }

  /// The first day whose end is not before a moment. The zone is always the same one.
  @inline(__always)
  func day(knowing moment: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    guard moment > firstEnd, moment <= lastEnd else { return searchedDay(knowing: moment, in: zone) }
    // Days have about the same length, so this is off by a few days at most.
    let days = UInt64(truncatingIfNeeded: moment &- firstEnd) / UInt64(Self.millisecondsPerDay)
    var place = min(Int(truncatingIfNeeded: days), ends.count &- 1)
    while ends[place] < moment { place &+= 1 }
    while ends[place &- 1] >= moment { place &-= 1 }
    return range.lowerBound &+ DayNumber(truncatingIfNeeded: place)
  }

  @inline(never)
  private func searchedDay(knowing moment: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    zone.lastBegunDay(at: moment - 1)
  }

  /// The first moment after a day.
  @inline(__always)
  func end(of day: DayNumber, in zone: borrowing ZoneTable) -> Milliseconds {
    let place = Int(truncatingIfNeeded: day &- range.lowerBound)
    return place >= 0 && place < ends.count ? ends[place] : zone.firstMoment(of: day + 1)
  }

  /// The first day that ends when a day does: the day itself, unless the zone leaves it out.
  @inline(__always)
  func firstDay(endingWith day: DayNumber, in zone: borrowing ZoneTable) -> DayNumber {
    let place = Int(truncatingIfNeeded: day &- range.lowerBound)
    if place > 0, place < ends.count, ends[place &- 1] < ends[place] { return day }
    return searchedDay(knowing: end(of: day, in: zone), in: zone)
  }
}

// MARK: The difference known at the end of a day, adjusted or not

extension Comparison.LookPlan {
  /// What a look crosses, and B minus A with the interval of the rule.
  func boundary(of look: LookPath.Look, at place: Int) throws -> (Comparison.Boundary, Estimate) {
    let (a, b) = (try days[place].a.binomial(), try days[place].b.binomial())
    let plain = BinomialSample.exactDifference(b, a) ?? 0
    switch look.boundary {
    case .exact(let lower, let upper):
      let interval = try Comparison.exactSequence(b, a, planned: plannedUsers, alpha: alpha)
      return (.events(lower: lower, upper: upper), Estimate(plain, interval))
    case .normal(let bound):
      if let difference = look.difference { return (.score(bound), Estimate(difference, look.interval)) }
      // Of a recorded look whose strata are gone the difference of all users is left, without an interval.
      let interval = !question.isStratified ? MiettinenNurminen.differenceInterval(b, a, bound: bound) : nil
      return (.score(bound), Estimate(plain, interval))
    }
  }

  /// Mantel–Haenszel and Sato's error at the end of a day; nil without an adjustment, or if they are not known.
  private func adjusted(at place: Int) -> (difference: Double, error: Double)? {
    if place < recordedLooks.count {
      guard let look = recordedLooks[place], let difference = look.difference, let error = look.error else {
        return nil
      }
      return (difference, error)
    }
    guard question.isStratified, case .success(let found) = StratifiedDifference.compare(strata[place]) else {
      return nil
    }
    return (found.mantelHaenszel, found.satoError)
  }

  /// The always-valid interval of the difference that decides; nil while its gate refuses.
  func alwaysValid(at place: Int, _ sequence: AsymptoticConfidenceSequence) -> Interval? {
    guard let a = days[place].a.sample, let b = days[place].b.sample,
      case .success(let statement) = sequence.evaluate(b, a)
    else { return nil }
    guard question.isStratified else { return statement.interval }
    guard let found = adjusted(at: place), found.error > 0,
      let mixture = try? NormalMixture(plannedUsers: plannedUsers, alpha: alpha)
    else { return nil }
    let n = Double(a.trials) + Double(b.trials)
    let reach = mixture.halfWidth(scaledVariance: n * found.error * found.error, users: n)
    return Interval(low: found.difference - reach, high: found.difference + reach)
  }

  /// Bounds of the difference that decides, each alone valid at every look; nil while the gate refuses.
  func oneSidedBounds(at place: Int, _ sequence: AsymptoticConfidenceSequence) throws -> Interval? {
    guard let a = days[place].a.sample, let b = days[place].b.sample,
      case .success(let bounds) = try sequence.oneSidedBounds(b, a)
    else { return nil }
    guard question.isStratified else { return bounds }
    guard let found = adjusted(at: place), found.error > 0 else { return nil }
    let n = Double(a.trials) + Double(b.trials)
    let reach = try OneSidedNormalMixture.bound(
      scaledVariance: n * found.error * found.error, users: n, plannedUsers: plannedUsers, alpha: alpha
    ).halfWidth
    return Interval(low: found.difference - reach, high: found.difference + reach)
  }

  /// The difference that decides, with the 95 % interval of one look, at the latest day.
  var oneLook: Estimate? {
    guard let day = days.last else { return nil }
    if !question.isStratified {
      return Estimate.difference((day.b.successes, day.b.trials), (day.a.successes, day.a.trials))
    }
    return adjusted(at: days.count - 1).map { Estimate($0.difference, standardError: $0.error) }
  }

  /// 1 − (adjusted error)²/(plain error)², at the end of the latest day; nil without an adjustment.
  var usersSaved: Double? {
    guard let day = days.last, let found = adjusted(at: days.count - 1), let a = day.a.rate, let b = day.b.rate else {
      return nil
    }
    let plain = a * (1 - a) / Double(day.a.trials) + b * (1 - b) / Double(day.b.trials)
    return plain > 0 ? 1 - found.error * found.error / plain : nil
  }

  /// 4 s (1 − s) for the planned share s of B among the pair: 1 at an even split.
  var evenness: Double {
    let (a, b) = (question.split.latest[0], question.split.latest[treatment])
    return 4 * (a / (a + b)) * (b / (a + b))
  }
}

extension SettledDay {
  /// Users at an even split that would know as much: 4 nA nB/(nA + nB).
  var information: Double {
    let (a, b) = (Double(a.trials), Double(b.trials))
    return a + b > 0 ? 4 * a * b / (a + b) : 0
  }

  /// Events, or non-events, that are expected in the smaller arm.
  var expectedEvents: Double {
    let events = Double(a.successes) + Double(b.successes)
    let users = Double(a.trials) + Double(b.trials)
    return users > 0 ? Double(min(a.trials, b.trials)) * min(events, users - events) / users : 0
  }
}
