// The record of looks as a file: JSON, schema permlog.looks/1, with a checksum of its content, since nobody writes it by hand
// and a changed digit would change what was decided.

import EventImport
import PermissionAnalysis
import PermissionEvents
import ReportRendering

extension LookRecord {
  static let schema = "permlog.looks/1"

  /// The file's bytes.
  var encoded: [UInt8] { JSONWriter.document(members(checksum: checksum)) }

  private var checksum: String {
    var json = JSONWriter(.compact)
    members(checksum: "").write(to: &json)
    return Checksum.text(of: json.take())
  }

  private func members(checksum: String) -> JSONMembers {
    ["schema": Self.schema, "plan": plan, "arms": arms.map { Members($0) }, "checksum": checksum]
  }

  /// - Parameter name: the file, for messages.
  /// - Throws: `damaged` if the bytes are not what was written; `newerFormat` if a later version wrote them.
  init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    func damaged(_ problem: String) -> PermlogError {
      PermlogError(
        .damaged,
        "\(name): \(problem). The record of looks is not as it was written: restore it from a copy, or move "
          + "it away, and the looks are made from the log again.")
    }
    guard let tree = JSONTree(document: bytes) else { throw damaged("it is not an object of valid JSON") }
    do {
      try PlanSchema.check(tree, Self.schema, name, "a record of looks", argument: nil)
    } catch {
      throw error.code == .newerFormat ? error : damaged("its schema is not \(Self.schema)")
    }
    var fields = try PlanFields(tree, damaged)
    _ = try fields.text("schema")
    let plan = try fields.text("plan")
    let arms = try fields.list("arms") { (item, place) throws(PermlogError) in
      try Arm(PlanFields(item, place: place + ".", damaged), damaged)
    }
    self.init(plan: plan, arms: arms)
    let checksum = try fields.text("checksum")
    try fields.finish()
    guard checksum == self.checksum else { throw damaged("it does not have its checksum") }
  }

  /// What is written as an object.
  private struct Members: JSONWritable {
    let members: JSONMembers
    func write(to json: inout JSONWriter) { members.write(to: &json) }

    init(_ arm: Arm) {
      members = [
        "variant": arm.variant, "first_day": arm.firstDay.map { CivilDate($0).text }, "exponent": arm.exponent,
        "days": arm.days.map { Members($0) }, "decisions": arm.decisions.map { Members($0) },
      ]
    }

    init(_ day: Day) {
      let counts = day.counts
      members = [
        "day": CivilDate(counts.day).text, "a_users": counts.aUsers, "a_events": counts.aEvents,
        "b_users": counts.bUsers, "b_events": counts.bEvents, "time": counts.time, "z": counts.z,
        "difference": counts.difference, "error": counts.error,
        "recorded_at": Timestamp.text(day.recordedAt),
      ]
    }

    init(_ decision: Decision) {
      members = [
        "decision": decision.decision.rawValue, "decided_on": CivilDate(decision.decidedOn).text,
        "recorded_at": Timestamp.text(decision.recordedAt),
      ]
    }
  }
}

extension LookRecord.Arm {
  fileprivate init(_ arm: PlanFields, _ damaged: @escaping PlanFields.Complaint) throws(PermlogError) {
    var fields = arm
    variant = try fields.text("variant")
    firstDay = try fields.optionalDay("first_day")
    exponent = try fields.optionalNumber("exponent")
    guard (firstDay == nil) == (exponent == nil), exponent.map({ $0 > 0 && $0 <= 100 }) ?? true else {
      throw fields.refuse("exponent", "an arm with days has a first day and an exponent above 0, one without neither")
    }
    days = try fields.list("days") { (item, place) throws(PermlogError) in
      try LookRecord.Day(PlanFields(item, place: place + ".", damaged))
    }
    decisions = try fields.list("decisions") { (item, place) throws(PermlogError) in
      try LookRecord.Decision(PlanFields(item, place: place + ".", damaged))
    }
    guard zip(days, days.dropFirst()).allSatisfy({ $0.counts.day < $1.counts.day }) else {
      throw fields.refuse("days", "they are not in order")
    }
    try fields.finish()
  }
}

extension LookRecord.Day {
  fileprivate init(_ day: PlanFields) throws(PermlogError) {
    var fields = day
    counts = RecordedDay(day: try fields.day("day"), aUsers: 0, aEvents: 0, bUsers: 0, bEvents: 0)
    (counts.aUsers, counts.aEvents) = try fields.sample("a_users", "a_events")
    (counts.bUsers, counts.bEvents) = try fields.sample("b_users", "b_events")
    counts.time = try fields.optionalNumber("time")
    counts.z = try fields.optionalNumber("z")
    guard (counts.time == nil) == (counts.z == nil), counts.time.map({ $0 > 0 }) ?? true else {
      throw fields.refuse("time", "a look has a time above 0 and a z, any other day neither")
    }
    counts.difference = try fields.optionalNumber("difference")
    counts.error = try fields.optionalNumber("error")
    guard (counts.difference == nil) == (counts.error == nil), counts.error.map({ $0 >= 0 }) ?? true else {
      throw fields.refuse("error", "an adjusted look has a difference and an error from 0 up, any other neither")
    }
    recordedAt = try fields.time("recorded_at")
    try fields.finish()
  }
}

extension LookRecord.Decision {
  fileprivate init(_ decision: PlanFields) throws(PermlogError) {
    var fields = decision
    self.decision = try fields.choice("decision")
    decidedOn = try fields.day("decided_on")
    recordedAt = try fields.time("recorded_at")
    try fields.finish()
  }
}

extension PlanFields {
  /// Users, and those of them who count.
  fileprivate mutating func sample(_ users: String, _ events: String) throws(PermlogError) -> (Int, Int) {
    let count = try integer(users, in: 0...1_000_000_000_000)
    return (count, try integer(events, in: 0...count))
  }
}
