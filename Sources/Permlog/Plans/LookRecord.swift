// The looks that comparisons have made, as they were: kept beside the plan, so that what later ingests and erasures change is
// seen at the next look, and a decision that was made stays a fact.

import PermissionAnalysis
import PermissionEvents

/// The record of looks of one plan: for each message the finished days as they were first seen, and what was decided.
public struct LookRecord: Sendable, Hashable {
  /// A finished day, and when it was recorded.
  public struct Day: Sendable, Hashable {
    public var counts: RecordedDay
    /// Milliseconds since 1970, by the clock of the machine.
    public var recordedAt: Milliseconds
  }

  /// A decision as it was given.
  public struct Decision: Sendable, Hashable {
    public var decision: Comparison.Decision
    /// The day that decided.
    public var decidedOn: DayNumber
    public var recordedAt: Milliseconds
  }

  /// One message against the control.
  public struct Arm: Sendable, Hashable {
    public var variant: String
    /// The calendar day of the first exposure and r of the spending, as they were at the first record; nil before it.
    public var firstDay: DayNumber?
    public var exponent: Double?
    /// Oldest first.
    public var days: [Day]
    /// In the order in which they were given, each as often as it came anew: the last one is in force.
    public var decisions: [Decision]
  }

  /// The checksum of the plan that these looks belong to.
  public private(set) var plan: String
  /// In the order of the plan's messages, without the control.
  public private(set) var arms: [Arm]

  init(plan: String, arms: [Arm]) { (self.plan, self.arms) = (plan, arms) }

  /// A record without looks.
  init(_ file: PlanFile) {
    self.init(
      plan: file.checksum, arms: file.plan.variants.dropFirst().map { Arm(variant: $0, days: [], decisions: []) })
  }

  /// What a comparison takes from it: days that had ended by the last of these.
  func arms(through last: DayNumber) -> [RecordedArm] {
    arms.map { arm in
      RecordedArm(
        variant: arm.variant, firstDay: arm.firstDay, exponent: arm.exponent,
        days: arm.days.map(\.counts).filter { $0.day <= last })
    }
  }

  /// Adds what a comparison has seen that the record has not. What is there stays as it is.
  /// - Parameters:
  ///   - seen: finished days, by message.
  ///   - decisions: what is decided and its day, by message; nil if nothing is.
  mutating func add(
    _ seen: [RecordedArm], decisions: [(decision: Comparison.Decision, day: DayNumber)?], at now: Milliseconds
  ) {
    for (place, (arm, decision)) in zip(seen, decisions).enumerated() where arms.indices.contains(place) {
      let last = arms[place].days.last?.counts.day ?? .min
      if arms[place].days.isEmpty, !arm.days.isEmpty {
        (arms[place].firstDay, arms[place].exponent) = (arm.firstDay, arm.exponent)
      }
      // Who looks from an earlier moment than before learns nothing new.
      guard let latest = arm.days.last?.day, latest >= last else { continue }
      arms[place].days += arm.days.filter { $0.day > last }.map { Day(counts: $0, recordedAt: now) }
      guard let decision else { continue }
      let before = arms[place].decisions.last
      if before?.decision != decision.decision || before?.decidedOn != decision.day {
        arms[place].decisions.append(
          Decision(decision: decision.decision, decidedOn: decision.day, recordedAt: now))
      }
    }
  }
}
