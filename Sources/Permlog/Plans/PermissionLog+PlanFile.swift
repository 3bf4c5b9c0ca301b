// Comparing as planned, with the looks that were recorded beside the plan.

import EventLog
import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// Compares messages as a plan's file says. Looks that were recorded beside it count as they were recorded.
  ///
  /// For example:
  ///
  /// ```swift
  /// let file = try PlanFile(planPath)
  /// let comparison = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true)
  /// ```
  /// - Parameters:
  ///   - request: made of the plan; what the plan leaves open may be set in it.
  ///   - file: the plan.
  ///   - isRecorded: the finished days that the record does not have yet are added to it, and what is decided.
  ///   - onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: as without a file; `usage` if the request asks for something else than the plan, or the record is of
  ///   another plan; `damaged` if the record is not as it was written; `busy` while another process records;
  ///   `inputOutput` if the record cannot be written. The record is then as it was.
  public func compare(
    _ request: ComparisonRequest, as file: PlanFile, isRecorded: Bool = false,
    onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ComparisonSet {
    return try file.compare(
      request, isRecorded: isRecorded, besides: ProtectedFiles(log: path), at: clock,
      newest: { () throws(PermlogError) in try translating { try LogSnapshot(directory).timeRange?.upperBound } }
    ) { (request) throws(PermlogError) in try compare(request, onUnknown: onUnknown) }
  }
}

extension ComparisonSet {
  /// The comparison of sums as a plan's file says. Looks that were recorded beside it count as they were recorded.
  /// - Parameters:
  ///   - sums: of all users.
  ///   - question: that the sums answer.
  ///   - request: made of the plan; what the plan leaves open is as in the question.
  ///   - file: the plan.
  ///   - isRecorded: the finished days that the record does not have yet are added to it, and what is decided.
  ///   - newest: the time of the newest event, in milliseconds since 1970: a day after it may still get events, and is not recorded.
  /// - Throws: as of a log; `usage` if the question asks for something else than the plan.
  public init(
    _ sums: AnySums, of question: Question, as request: ComparisonRequest, _ file: PlanFile, isRecorded: Bool = false,
    newest: Milliseconds?
  ) throws(PermlogError) {
    try self.init(
      sums, of: question, as: request, file, isRecorded: isRecorded, newest: newest, besides: ProtectedFiles(),
      clock: { SystemClock.now })
  }

  /// - Parameters:
  ///   - protected: what the record must not be.
  ///   - clock: what time it is.
  package init(
    _ sums: AnySums, of question: Question, as request: ComparisonRequest, _ file: PlanFile, isRecorded: Bool,
    newest: Milliseconds?, besides protected: ProtectedFiles, clock: () -> Milliseconds
  ) throws(PermlogError) {
    self = try file.compare(
      request, isRecorded: isRecorded, besides: protected, at: clock, newest: { () throws(PermlogError) in newest }
    ) { (request) throws(PermlogError) in
      // Without events no look is recorded, and none was asked for.
      try ComparisonSet(sums, of: question, as: request, isOfEmptyLog: newest == nil)
    }
  }
}

extension PlanFile {
  /// Compares with the looks that were recorded, and records the new ones if that was asked for.
  /// - Parameters:
  ///   - request: made of the plan.
  ///   - protected: what the record must not be.
  ///   - clock: what time it is.
  ///   - newest: the time of the newest event, asked for after comparing.
  ///   - comparing: makes the comparison.
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
      // A day that ended after the newest event may still get events: it is recorded when the log has gone beyond it.
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
