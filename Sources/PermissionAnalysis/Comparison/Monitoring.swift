// What the rule of decision saw at the ends of finished days, and what it decided.

import PermissionEvents
import Statistics

extension Comparison {
  /// The finished days as they were looked at, to be kept beside a plan.
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
    /// r of the daily rule's spending; nil for the other rules.
    public let exponent: Double?
    /// The calendar day of the first exposure, the first of the days; nil without one.
    public internal(set) var firstDay: DayNumber?
    /// Properties within whose values the difference is adjusted.
    public let adjustedBy: [String]
    /// What the adjustment saves: the share of the users that the plain difference needs for the error that the adjusted one
    /// has, at the latest day; below 0 if it costs. nil without one.
    public internal(set) var usersSaved: Double?
    /// Those made, oldest first, also after the crossing.
    public internal(set) var looks: [Look] = []
    public internal(set) var crossing: Crossing?
    /// Stage-wise at the crossing, else the sequential p-value; the always-valid one for its rule. nil without a look.
    public internal(set) var pValue: Double?
    /// The first day at whose end both one-sided sequences lie within ± the minimum effect.
    public internal(set) var noDifference: NoDifference?
    /// What later days say against the decision.
    public internal(set) var contradiction: Contradiction?
    /// The progress of declared looks; nil for the other rules.
    public internal(set) var declared: DeclaredLooks?
    /// What would follow from the log as it is, if that is something else than what follows from recorded looks.
    public internal(set) var recordDiffers: RecordDifference?

    /// The day of the decision, of a winner or of none; nil if there is none yet.
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
    /// What is crossed.
    public let boundary: Boundary
    /// B minus A with the rule's interval of this look.
    public let estimate: Estimate
    public let isCrossed: Bool
    /// B above A, by the statistic that crosses.
    public let isHigher: Bool

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
    /// The interval leaves out 0.
    case interval
  }

  /// The look that decided.
  public struct Crossing: Sendable {
    public let look: Look
    public let pValue: Double
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
    /// No difference lies in all always-valid intervals since the decision.
    case intervalsDisagree(since: DayNumber, until: DayNumber)
    /// The interval of one look lies on the other side of 0 now.
    case otherSide(low: Double, high: Double)
  }

  /// Where declared looks are.
  public struct DeclaredLooks: Sendable, Hashable {
    public let count: Int
    public let plannedUsers: Int
    /// Users of the look to come; nil after the last.
    public internal(set) var nextAt: Int?
    /// There are more users than were planned; those after the last look are not looked at.
    public internal(set) var isOverrun = false

    init(count: Int, of plannedUsers: Int) {
      (self.count, self.plannedUsers) = (count, plannedUsers)
      nextAt = users(at: 1)
    }

    /// Users of both arms at which a look is made; 1 is the first look.
    func users(at look: Int) -> Int {
      Int((Double(plannedUsers) * Double(look) / Double(count)).rounded(.up))
    }
  }

  /// A decision that was recorded, or not, and what the log says now of the same days.
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
