// The looks of comparisons as they were made, kept next to the plan. So the next look shows changes by later ingests
// and erasures, and a decision stays a fact.

import EventImport
import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// The record of looks of one plan: for each message the finished days as they were first seen, and the decisions.
public struct LookRecord: Sendable, Hashable {
  /// A finished day, and when it was recorded.
  public struct Day: Sendable, Hashable {
    public var counts: RecordedDay
    /// Milliseconds since 1970, by the clock of the machine.
    public var recordedAt: Milliseconds
  }

  /// A decision as it was reported.
  public struct Decision: Sendable, Hashable {
    public var decision: Comparison.Decision
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
    /// The decisions in their order, each as often as it was reached again. The last one is in force.
    public var decisions: [Decision]
  }

  /// The checksum of the plan that these looks belong to.
  public private(set) var plan: String
  /// In the order of the plan's messages, without the control.
  public private(set) var arms: [Arm]

  init(plan: String, arms: [Arm]) { (self.plan, self.arms) = (plan, arms) }

  init(_ file: PlanFile) {
    self.init(
      plan: file.checksum, arms: file.plan.variants.dropFirst().map { Arm(variant: $0, days: [], decisions: []) })
  }

  /// The recorded days for a comparison: the days that had ended by this one.
  func arms(through last: DayNumber) -> [RecordedArm] {
    arms.map { arm in
      RecordedArm(
        variant: arm.variant, firstDay: arm.firstDay, exponent: arm.exponent,
        days: arm.days.map(\.counts).filter { $0.day <= last })
    }
  }

  /// Adds the days and decisions of a comparison that the record does not have yet. Recorded days and decisions do not
  /// change.
  /// - Parameters:
  ///   - seen: finished days, by message.
  ///   - decisions: the decision and its day, by message; nil if there is no decision.
  mutating func add(
    _ seen: [RecordedArm], decisions: [(decision: Comparison.Decision, day: DayNumber)?], at now: Milliseconds
  ) {
    for (index, (arm, decision)) in zip(seen, decisions).enumerated() where arms.indices.contains(index) {
      let last = arms[index].days.last?.counts.day ?? .min
      if arms[index].days.isEmpty, !arm.days.isEmpty {
        (arms[index].firstDay, arms[index].exponent) = (arm.firstDay, arm.exponent)
      }
      // A comparison from an earlier moment adds nothing new.
      guard let latest = arm.days.last?.day, latest >= last else { continue }
      arms[index].days += arm.days.filter { $0.day > last }.map { Day(counts: $0, recordedAt: now) }
      guard let decision else { continue }
      let before = arms[index].decisions.last
      if before?.decision != decision.decision || before?.decidedOn != decision.day {
        arms[index].decisions.append(Decision(decision: decision.decision, decidedOn: decision.day, recordedAt: now))
      }
    }
  }
}

// MARK: The record of looks as a file: JSON, schema permlog.looks/1, with a checksum of its content. People do not write this file by hand, and a changed digit would change the decision

extension LookRecord {
  static let schema = "permlog.looks/1"

  var encoded: [UInt8] { JSONWriter.document(members(checksum: checksum)) }

  private var checksum: String {
    var json = JSONWriter(isCompact: true)
    members(checksum: "").write(to: &json)
    return Checksum.text(of: json.take())
  }

  private func members(checksum: String) -> JSONMembers {
    ["schema": Self.schema, "plan": plan, "arms": arms.map(\.members), "checksum": checksum]
  }

  /// - Parameter name: the file, for messages.
  /// - Throws: `damaged` if the bytes were changed; `newerFormat` if a later version wrote them.
  init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    func damaged(_ problem: String) -> PermlogError {
      PermlogError(
        .damaged,
        "\(name): \(problem). The record of looks was changed or damaged. Restore it from a copy, or move it away: the "
          + "looks are then made from the log again.")
    }
    guard let tree = JSONTree(document: bytes) else { throw damaged("it is not an object of valid JSON") }
    var fields: PlanFields
    do { fields = try PlanFields(tree, schema: Self.schema, name, "a record of looks", damaged) } catch {
      throw error.code == .usage ? damaged("its schema is not \(Self.schema)") : error
    }
    let plan = try fields.text("plan")
    let arms = try fields.objects("arms") { (arm) throws(PermlogError) in try Arm(arm) }
    self.init(plan: plan, arms: arms)
    let checksum = try fields.text("checksum")
    try fields.finish()
    guard checksum == self.checksum else { throw damaged("its checksum does not match") }
  }
}

extension LookRecord.Arm {
  fileprivate var members: JSONMembers {
    [
      "variant": variant, "first_day": firstDay.map { CivilDate($0).text }, "exponent": exponent,
      "days": days.map(\.members), "decisions": decisions.map(\.members),
    ]
  }

  fileprivate init(_ arm: PlanFields) throws(PermlogError) {
    var fields = arm
    variant = try fields.text("variant")
    firstDay = try fields.optionalDay("first_day")
    exponent = try fields.optionalNumber("exponent")
    guard (firstDay == nil) == (exponent == nil), exponent.map({ $0 > 0 && $0 <= 100 }) ?? true else {
      throw fields.refuse("exponent", "an arm must have both a first day and an exponent above 0, or neither")
    }
    days = try fields.objects("days") { (day) throws(PermlogError) in try LookRecord.Day(day) }
    decisions = try fields.objects("decisions") { (decision) throws(PermlogError) in try LookRecord.Decision(decision) }
    guard zip(days, days.dropFirst()).allSatisfy({ $0.counts.day < $1.counts.day }) else {
      throw fields.refuse("days", "they are not in order")
    }
    try fields.finish()
  }
}

extension LookRecord.Day {
  fileprivate var members: JSONMembers {
    [
      "day": CivilDate(counts.day).text, "a_users": counts.aUsers, "a_events": counts.aEvents,
      "b_users": counts.bUsers, "b_events": counts.bEvents, "time": counts.time, "z": counts.z,
      "difference": counts.difference, "error": counts.error, "recorded_at": Timestamp.text(recordedAt),
    ]
  }

  fileprivate init(_ day: PlanFields) throws(PermlogError) {
    var fields = day
    counts = RecordedDay(day: try fields.day("day"), aUsers: 0, aEvents: 0, bUsers: 0, bEvents: 0)
    (counts.aUsers, counts.aEvents) = try fields.sample("a_users", "a_events")
    (counts.bUsers, counts.bEvents) = try fields.sample("b_users", "b_events")
    counts.time = try fields.optionalNumber("time")
    counts.z = try fields.optionalNumber("z")
    guard (counts.time == nil) == (counts.z == nil), counts.time.map({ $0 > 0 }) ?? true else {
      throw fields.refuse("time", "a day must have both a time above 0 and a z, or neither")
    }
    counts.difference = try fields.optionalNumber("difference")
    counts.error = try fields.optionalNumber("error")
    guard (counts.difference == nil) == (counts.error == nil), counts.error.map({ $0 >= 0 }) ?? true else {
      throw fields.refuse("error", "a day must have both a difference and an error of at least 0, or neither")
    }
    recordedAt = try fields.time("recorded_at")
    try fields.finish()
  }
}

extension LookRecord.Decision {
  fileprivate var members: JSONMembers {
    [
      "decision": decision.rawValue, "decided_on": CivilDate(decidedOn).text,
      "recorded_at": Timestamp.text(recordedAt),
    ]
  }

  fileprivate init(_ decision: PlanFields) throws(PermlogError) {
    var fields = decision
    self.decision = try fields.choice("decision")
    decidedOn = try fields.day("decided_on")
    recordedAt = try fields.time("recorded_at")
    try fields.finish()
  }
}

extension PlanFields {
  fileprivate mutating func sample(_ users: String, _ events: String) throws(PermlogError) -> (Int, Int) {
    let count = try integer(users, in: 0...1_000_000_000_000)
    return (count, try integer(events, in: 0...count))
  }
}
