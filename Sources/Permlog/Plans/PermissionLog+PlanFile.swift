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
    var request = request
    request.plan = file.plan
    guard isRecorded else { return try compare(request, recorded: file.record(), onUnknown: onUnknown) }
    return try file.locked { () throws(PermlogError) in
      let before = try file.record()
      let set = try compare(request, recorded: before, onUnknown: onUnknown)
      var record = before ?? LookRecord(file)
      // A day that ended after the newest event may still get events: it is recorded when the log has gone beyond it.
      let newest = try translating { try LogSnapshot(directory).timeRange?.upperBound } ?? .min
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
        _ = try WholeFile.write(
          record.encoded, to: file.recordPath, besides: ProtectedFiles(log: path), replaces: true)
      }
      return set
    }
  }
}
