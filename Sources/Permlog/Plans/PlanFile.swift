// A plan in a file, and the record of looks next to it.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// A plan that was saved to a file. The looks of comparisons may be recorded next to it.
///
/// For example:
///
/// ```swift
/// let file = try PlanFile(planPath)
/// let comparison = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true)
/// ```
public struct PlanFile: Sendable {
  public let path: String
  public let plan: SavedPlan

  /// Reads a plan.
  /// - Throws: `notFound` or `inputOutput` if the file cannot be read; `usage` if it is not a plan; `newerFormat` if a
  ///   later version wrote it.
  public init(_ path: String) throws(PermlogError) {
    guard let bytes = try SmallFile.read(path, limit: 1 << 20, argument: .plan, isRegular: true) else {
      throw .usage("\(path): it is larger than 1 MiB, too large for a plan", .plan)
    }
    self.path = path
    plan = try SavedPlan(bytes, name: path)
  }

  /// Saves a plan to a new file, all or nothing.
  /// - Throws: `usage` if the file exists (a plan is made once) or would be in a log's directory; `inputOutput` if it
  ///   cannot be written.
  public init(saving plan: SavedPlan, to path: String) throws(PermlogError) {
    try self.init(saving: plan, to: path, besides: ProtectedFiles())
  }

  package init(saving plan: SavedPlan, to path: String, besides protected: ProtectedFiles) throws(PermlogError) {
    let isNew: Bool
    do { isNew = try WholeFile.write(plan.encoded, to: path, besides: protected, replaces: false) } catch {
      var error = error
      if error.code == .usage { error.argument = .save }
      throw error
    }
    guard isNew else {
      throw .usage("\(path): this file exists, and a plan never replaces a file. Name another file.", .save)
    }
    self.path = path
    self.plan = plan
  }

  /// The file of recorded looks: `plan.looks.json` next to `plan.json`. If the path is a symbolic link, it is next to
  /// the link's target, so that one plan has one record under any name.
  public var recordPath: String {
    let path = WholeFile.resolved(path)
    return (path.hasSuffix(".json") ? String(path.dropLast(5)) : path) + ".looks.json"
  }

  /// The name of the plan in the record: the checksum of its content, independent of the file's layout.
  var checksum: String { Checksum.text(of: plan.encoded) }

  /// The recorded looks; nil if no looks were recorded.
  /// - Throws: `damaged` if the record was changed; `usage` if it is of another plan; `newerFormat`, `inputOutput`.
  public func record() throws(PermlogError) -> LookRecord? {
    let found: [UInt8]?
    do {
      found = try SmallFile.read(recordPath, limit: Self.longestRecord, argument: .plan, isRegular: true)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    guard let bytes = found else {
      throw PermlogError(.damaged, "\(recordPath): it is larger than any record of looks. Restore it from a copy.")
    }
    let record = try LookRecord(bytes, name: recordPath)
    guard record.plan == checksum else {
      throw .usage(
        "\(recordPath): these looks were recorded for another plan than the one in \(path) now. Undo the change of the "
          + "plan, or move the record away.")
    }
    guard record.arms.map(\.variant) == Array(plan.variants.dropFirst()) else {
      throw PermlogError(.damaged, "\(recordPath): it has other messages than its plan. Restore it from a copy.")
    }
    return record
  }

  /// A day takes about 200 bytes: this is enough for sixteen messages over fourteen years. In memory a record is many
  /// times larger.
  private static let longestRecord = 16 << 20

  /// Does something while no other process records looks of this plan.
  func locked<Value>(_ body: () throws(PermlogError) -> Value) throws(PermlogError) -> Value {
    // The plan itself is locked: it is never replaced, and no other file is made for it. The kernel's lock ends with the descriptor.
    let files = SystemFileSystem()
    let descriptor = try translating { try files.open(path, .read) }
    defer { try? files.close(descriptor) }
    guard try translating({ try files.lock(descriptor, path: path) }) else {
      throw PermlogError(.busy, "\(path): another permlog is recording looks of this plan. Try again when it is done.")
    }
    defer { files.unlock(descriptor) }
    return try body()
  }
}

// MARK: Comparing as planned, with the recorded looks next to the plan

extension PermissionLog {
  /// Compares messages as a plan's file says. Recorded looks count as they were recorded.
  /// - Parameters:
  ///   - request: made of the plan; what the plan leaves open may be set in it.
  ///   - file: the plan.
  ///   - isRecorded: adds the finished days that the record does not have yet, and the decisions.
  ///   - onUnknown: called with kinds, permissions and columns of a later version, which are left out of the figures.
  /// - Throws: as without a file; `usage` if the request differs from the plan, or the record is of another plan;
  ///   `damaged` if the record was changed; `busy` while another process records; `inputOutput` if the record cannot be
  ///   written. The record is then unchanged.
  public func compare(
    _ request: ComparisonRequest, as file: PlanFile, isRecorded: Bool = false,
    onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ComparisonSet {
    // Looks of other users cannot follow one another.
    let isOfRecord = isRecorded ? true : try file.record() != nil
    guard request.scope.without.files.isEmpty || !isOfRecord else {
      throw .usage(
        "recorded looks are of the log without the users of its own list: put these users on that list",
        .withoutUsers)
    }
    return try file.compare(
      request, isRecorded: isRecorded, besides: ProtectedFiles(log: path), at: clock,
      newest: { () throws(PermlogError) in try translating { try asked().timeRange?.upperBound } }
    ) { (request) throws(PermlogError) in try compare(request, onUnknown: onUnknown) }
  }
}

extension ComparisonSet {
  /// The comparison of sums as a plan's file says. Recorded looks count as they were recorded.
  /// - Parameters:
  ///   - sums: the sums of all users.
  ///   - question: the question that the sums answer.
  ///   - request: made of the plan; what the plan leaves open is as in the question.
  ///   - file: the plan.
  ///   - isRecorded: adds the finished days that the record does not have yet, and the decisions.
  ///   - newest: the time of the newest event, in milliseconds since 1970. A day after it may still get events, and is
  ///     not recorded.
  /// - Throws: as for a log; `usage` if the question differs from the plan.
  public init(
    _ sums: AnySums, of question: Question, as request: ComparisonRequest, _ file: PlanFile, isRecorded: Bool = false,
    newest: Milliseconds?
  ) throws(PermlogError) {
    try self.init(
      sums, of: question, as: request, file, isRecorded: isRecorded, newest: newest, besides: ProtectedFiles(),
      clock: { SystemClock.now })
  }

  package init(
    _ sums: AnySums, of question: Question, as request: ComparisonRequest, _ file: PlanFile, isRecorded: Bool,
    newest: Milliseconds?, besides protected: ProtectedFiles, clock: () -> Milliseconds
  ) throws(PermlogError) {
    self = try file.compare(
      request, isRecorded: isRecorded, besides: protected, at: clock, newest: { () throws(PermlogError) in newest }
    ) { (request) throws(PermlogError) in
      // Without events there is no look to record.
      try ComparisonSet(sums, of: question, as: request, isOfEmptyLog: newest == nil)
    }
  }
}

extension PlanFile {
  /// Compares with the recorded looks, and records the new ones if `isRecorded`. The time of the newest event is read
  /// after comparing.
  fileprivate func compare(
    _ request: ComparisonRequest, isRecorded: Bool, besides protected: ProtectedFiles, at clock: () -> Milliseconds,
    newest: () throws(PermlogError) -> Milliseconds?,
    _ comparing: (ComparisonRequest) throws(PermlogError) -> ComparisonSet
  ) throws(PermlogError) -> ComparisonSet {
    func compare(_ record: LookRecord?) throws(PermlogError) -> ComparisonSet {
      var request = request
      (request.plan, request.recorded) = (plan, record)
      return try comparing(request)
    }
    guard isRecorded else { return try compare(record()) }
    return try locked { () throws(PermlogError) in
      let before = try record()
      let set = try compare(before)
      var record = before ?? LookRecord(self)
      // A day that ended after the newest event may still get events. It is recorded when the log has later events.
      let newest = try newest() ?? .min
      func isOver(_ day: DayNumber, _ zone: ZoneTable) -> Bool { zone.firstMoment(of: day + 1) <= newest }
      record.add(
        set.pairs.map { pair in
          var arm = pair.record
          arm.days.removeAll { !isOver($0.day, pair.zone) }
          return arm
        },
        decisions: set.pairs.map { pair in
          pair.decidedOn.flatMap { isOver($0, pair.zone) ? (pair.decision, $0) : nil }
        }, at: clock())
      if record != before {
        _ = try WholeFile.write(record.encoded, to: recordPath, besides: protected, replaces: true)
      }
      return set
    }
  }
}

// MARK: Checks that a comparison matches its plan
// A choice that is made after outcomes were seen is another chance to err.

extension ComparisonRequest {
  /// Throws unless the request has everything that the plan fixes.
  func checkFixed(by plan: SavedPlan) throws(PermlogError) {
    /// - Parameter text: the value in sentences.
    func fixed<Value>(
      _ argument: PermlogError.Argument, _ asked: Value, _ planned: Value, by isEqual: (Value, Value) -> Bool,
      _ text: (Value) -> String
    ) throws(PermlogError) {
      guard !isEqual(asked, planned) else { return }
      throw .usage(
        "the plan says \(text(planned)), not \(text(asked)). Leave it out, or compare without the plan.",
        argument)
    }
    func fixed<Value: Equatable>(
      _ argument: PermlogError.Argument, _ asked: Value, _ planned: Value, _ text: (Value) -> String
    ) throws(PermlogError) { try fixed(argument, asked, planned, by: ==, text) }
    func same(_ a: [String], _ b: [String]) -> Bool { a.map { Array($0.utf8) } == b.map { Array($0.utf8) } }
    func names(_ names: [String]) -> String { names.joined(separator: " ") }
    func points(_ share: Double) -> String {
      let text = PlanText.number(share * 100)
      return text == "1" ? "1 point" : text + " points"
    }
    func list(_ items: [String]) -> String { items.isEmpty ? "none" : items.joined(separator: ", ") }
    func properties(_ fields: [StringField]) -> String { list(fields.map(\.name)) }
    func guards(_ guardrails: [GuardrailQuestion]) -> String {
      list(guardrails.map { "\($0.metric.rawValue):\(PlanText.number($0.margin * 100))" }.sorted())
    }
    func isSet<Value: Hashable>(_ a: [Value], _ b: [Value]) -> Bool { Set(a) == Set(b) }
    try fixed(.messages, variants, plan.variants, by: same, names)
    try fixed(.permission, [permission ?? ""], [plan.permission], by: same) { $0 == [""] ? "none" : names($0) }
    try fixed(.experiment, [experiment ?? "no experiment"], [plan.experiment ?? "no experiment"], by: same, names)
    try fixed(.screen, screen, plan.screen) { $0 == .settings ? "Settings messages" : "messages of screens" }
    try fixed(.metric, metric, plan.metric, \.rawValue)
    try fixed(.timeZone, scope.timeZone, plan.timeZone, \.self)
    try fixed(.atOnce, scope.atOnce, plan.atOnce ?? scope.atOnce, PlanText.duration)
    try fixed(.responseWindow, scope.responseWindow, plan.responseWindow, PlanText.duration)
    try fixed(.followUp, scope.followUp, plan.followUp, PlanText.duration)
    let parts = split ?? MessageSplit([Double](repeating: 1, count: variants.count))
    try fixed(.split, parts, plan.split, by: { $0.shares == $1.shares }, \.text)
    func day(_ day: DayNumber?) -> String { day.map { CivilDate($0).text } ?? "none" }
    try fixed(.from, from?.dayNumber, plan.from, day)
    try fixed(.to, to?.dayNumber, plan.to, day)
    try fixed(.adjust, adjust, plan.adjust, by: isSet, properties)
    try fixed(.contaminated, contaminated, plan.contaminated, \.rawValue)
    try fixed(.minimumEffect, minimumEffect, plan.minimumEffect, points)
    try fixed(.guardrails, guardrails, plan.guardrails, by: isSet, guards)
    try fixed(.plannedUsers, plannedUsers, plan.plannedUsers) {
      let users = $0.map { "\($0)" } ?? "by the first days"
      return $0 == plan.plannedUsers ? users + " users" : users
    }
    try fixed(.conditions, names(conditions.map(\.description)), "") {
      $0.isEmpty ? "no conditions on the exposure" : $0
    }
    let ruleField: PermlogError.Argument = if case .looks = rule { .looks } else { .rule }
    try fixed(ruleField, rule, .daily) {
      $0 == .daily ? "a look on every finished day" : "the rule \($0 == .alwaysValid ? "always-valid" : $0.name)"
    }
  }
}

/// Values of a plan in messages.
enum PlanText {
  /// A number without the rounding errors of binary fractions.
  static func number(_ value: Double) -> String {
    let rounded = (value * 1e9).rounded() / 1e9
    return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? String(Int(rounded)) : rounded.description
  }

  static func duration(_ time: Milliseconds) -> String {
    let unit = DurationText.units.last { time % $0.length == 0 && time > 0 }
    return "\(time / (unit?.length ?? 1))\(unit?.suffix ?? "ms")"
  }
}
