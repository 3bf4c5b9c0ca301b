// Sums and the question that they answer become what one log of all their users would say.

import EventLog
import Folding
public import PermissionAnalysis
import PermissionEvents

extension Report {
  /// The report of sums.
  /// - Parameters:
  ///   - sums: of all users.
  ///   - question: that the sums answer.
  ///   - request: what is chosen when sums are read (`valueLimit`, `hasCharts`); the rest must be as in the question. Nil for the question's.
  ///   - isOfEmptyLog: no event came in, not even a later one. Nil if that is not known: then it is taken for so if none was counted.
  ///   - threads: that work on the rows.
  /// - Throws: `usage` if the sums or the request are of something else than the question.
  public init(
    _ sums: AnySums, of question: Question, as request: ReportRequest? = nil, isOfEmptyLog: Bool? = nil,
    threads: Int = 1
  ) throws(PermlogError) {
    guard case (.report(let sums), let reading) = try translating({ try sums.resolved() }),
      let asked = ReportRequest(question)
    else {
      throw question.other(than: .report)
    }
    let request = request ?? asked
    try question.check(request)
    var shared = try request.sharedQuestion(in: question.zone)
    shared.countsVersions = request.hasCharts
    if isOfEmptyLog ?? sums.isEmpty {
      self = .empty(
        timeZone: shared.zone.name, responseWindow: shared.windows.response, followUp: shared.windows.followUp,
        where: request.conditions)
      return
    }
    try KnownNames.check(.report(request), in: sums.known)
    let final = shared
    self = try translating {
      try Report(sums, final, threads: max(1, threads), isForCharts: request.hasCharts, reading: reading)
    }
  }
}

extension ComparisonSet {
  /// The comparison of sums.
  /// - Parameters:
  ///   - sums: of all users.
  ///   - question: that the sums answer.
  ///   - request: what is chosen when sums are read (metric, split, guardrails, the rule of decision and the like); the rest must be as
  ///     in the question. Nil for the question's, and what it leaves open as it is by default.
  /// - Throws: `usage` if the sums or the request are of something else than the question, or no log has a name that was asked for.
  public init(_ sums: AnySums, of question: Question, as request: ComparisonRequest? = nil) throws(PermlogError) {
    try self.init(sums, of: question, as: request, recorded: nil)
  }

  /// - Parameter record: the looks that were recorded, if any were.
  init(
    _ sums: AnySums, of question: Question, as request: ComparisonRequest?, recorded record: LookRecord?
  ) throws(PermlogError) {
    guard case (.compare(let sums), let reading) = try translating({ try sums.resolved() }),
      let asked = ComparisonRequest(question)
    else {
      throw question.other(than: .compare)
    }
    let request = request ?? asked
    try question.check(request)
    var shared = try request.sharedQuestion(in: question.zone)
    shared.reading = reading
    try KnownNames.check(.compare(request), in: sums.known)
    if let record {
      shared.recorded = record.arms(through: shared.zone.lastBegunDay(at: shared.windows.asOf) - 1)
    }
    let final = shared
    self = try translating {
      var set = try ComparisonSet(sums, final)
      set.noteExperiments(of: sums, final)
      set.plan = request.plan
      return set
    }
  }
}

extension FlowReport {
  /// The flows of sums.
  /// - Parameters:
  ///   - sums: of all users.
  ///   - question: that the sums answer.
  ///   - request: what is chosen when sums are read (the permission of the tables); the rest must be as in the question. Nil for the question's.
  ///   - isOfEmptyLog: no event came in, so that no name can be unknown. Nil if that is not known: then it is taken for so if no log has a
  ///     permission.
  /// - Throws: `usage` if the sums or the request are of something else than the question, or no log has a name that was asked for.
  public init(
    _ sums: AnySums, of question: Question, as request: FlowRequest? = nil, isOfEmptyLog: Bool? = nil
  ) throws(PermlogError) {
    guard case (.flow(let sums), let reading) = try translating({ try sums.resolved() }),
      let asked = FlowRequest(question)
    else { throw question.other(than: .flow) }
    let request = request ?? asked
    try question.check(request)
    let shared = try request.sharedQuestion(in: question.zone)
    try KnownNames.check(.flow(request), in: sums.known, isOfEmptyLog: isOfEmptyLog)
    self = try translatingLimits { try FlowReport(sums, shared, reading: reading) }
  }
}

extension AuditReport {
  /// The audit of sums.
  /// - Parameters:
  ///   - sums: of all users.
  ///   - question: that the sums answer.
  ///   - request: what is chosen when sums are read (thresholds, the permission, Info.plists); the rest must be as in the question. Nil for
  ///     the question's.
  ///   - isOfEmptyLog: no event came in, so that no name can be unknown. Nil if that is not known: then it is taken for so if no log has a
  ///     permission.
  /// - Throws: `usage` if the sums or the request are of something else than the question, or no log has a name that was asked for.
  public init(
    _ sums: AnySums, of question: Question, as request: AuditRequest? = nil, isOfEmptyLog: Bool? = nil
  ) throws(PermlogError) {
    guard case (.audit(let sums), let reading) = try translating({ try sums.resolved() }),
      let asked = AuditRequest(question)
    else { throw question.other(than: .audit) }
    let request = request ?? asked
    try question.check(request)
    let shared = try request.sharedQuestion(in: question.zone)
    try KnownNames.check(.audit(request), in: sums.known, isOfEmptyLog: isOfEmptyLog)
    let apps = try AppPurposes.all(request.infoPlists)
    self = try translatingLimits { try AuditReport(sums, shared, apps, reading: reading) }
  }
}

extension Question {
  fileprivate func other(than wanted: Kind) -> PermlogError {
    PermlogError(
      .usage, "the sums answer the question of \(kind.noun), and are wanted for \(wanted.noun)",
      argument: .sums)
  }
}
