// The rules by which a comparison is decided, and what may be fixed before it begins.

import PermissionEvents

extension Comparison {
  /// A rule of decision. Every rule looks at the ends of finished days, and its first crossing decides for good.
  public enum Rule: Sendable, Hashable {
    /// A look on every finished day, without end: open-ended spending of the error.
    case daily
    /// The asymptotic confidence sequence.
    case alwaysValid
    /// A declared number of looks, evenly spaced up to the planned users (Lan and DeMets, O'Brien–Fleming spending).
    case looks(Int)

    /// Its name in JSON.
    public var name: String {
      switch self {
      case .daily: "daily"
      case .alwaysValid: "always_valid"
      case .looks: "looks"
      }
    }
  }
}

/// What a comparison needs to know of a plan that was made beforehand.
public struct PlanFacts: Sendable, Hashable {
  public var savedAt: Milliseconds
  /// N*: users of a pair of messages together, at an even split, by which one look at the end would find the effect.
  public var plannedUsers: Int
  /// r of the spending function, steeper than without a plan: little error is spent before N* is near.
  public var exponent: Double

  public init(savedAt: Milliseconds, plannedUsers: Int, exponent: Double) {
    (self.savedAt, self.plannedUsers, self.exponent) = (savedAt, plannedUsers, exponent)
  }

  /// r without a plan, or with one that was made too late.
  package static let unplannedExponent = 1.5
}

/// The finished days of one message and the control, as they were when they were recorded.
public struct RecordedArm: Sendable, Hashable {
  public var variant: String
  /// The calendar day of the first exposure, and r of the spending, as they were: later corrections change neither. nil if no
  /// day was recorded.
  public var firstDay: DayNumber?
  public var exponent: Double?
  /// Oldest first.
  public var days: [RecordedDay]

  public init(variant: String, firstDay: DayNumber? = nil, exponent: Double? = nil, days: [RecordedDay]) {
    (self.variant, self.days) = (variant, days)
    (self.firstDay, self.exponent) = (firstDay, exponent)
  }
}

/// All users whose outcome was known by the end of a day.
public struct RecordedDay: Sendable, Hashable {
  public var day: DayNumber
  public var aUsers, aEvents, bUsers, bEvents: Int
  /// Information time and statistic of the look; nil if the day was none.
  public var time, z: Double?
  /// Of an adjusted look: the difference and its error; nil if it was not adjusted, or is not known.
  public var difference, error: Double?

  public var isLook: Bool { time != nil }

  public init(
    day: DayNumber, aUsers: Int, aEvents: Int, bUsers: Int, bEvents: Int, time: Double? = nil, z: Double? = nil,
    difference: Double? = nil, error: Double? = nil
  ) {
    self.day = day
    (self.aUsers, self.aEvents, self.bUsers, self.bEvents) = (aUsers, aEvents, bUsers, bEvents)
    (self.time, self.z) = (time, z)
    (self.difference, self.error) = (difference, error)
  }
}
