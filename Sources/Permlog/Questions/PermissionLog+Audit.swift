// Audits: the fold over the log that answers.

import EventLog
import Folding
public import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// What the log and the app's Info.plists say about how the app asks. An empty log has no findings of its own.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out.
  /// - Throws: `usage` if the log does not have the permission or a condition's value, the interval is empty, or a threshold is of a
  ///   check that has none.
  public func audit(
    _ request: AuditRequest = AuditRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> AuditReport {
    let apps = try AppPurposes.all(request.infoPlists)
    return try translatingLimits {
      let snapshot = try LogSnapshot(directory)
      snapshot.tellUnknown(onUnknown)
      guard let times = snapshot.timeRange else {
        let question = try request.question(Timestamp.earliest...Timestamp.earliest, oldest: nil, clock: nil)
        return try AuditReport(AuditSums(), question, apps, isOfEmptyLog: request.scope.asOf == nil)
      }
      let now = clock()
      let question = try request.question(times, oldest: times.lowerBound, clock: now)
      try KnownNames.check(question.conditions, in: snapshot)
      if let permission = question.permission { try KnownNames.check(permission, .permission, in: snapshot) }
      var (sums, calls) = try snapshot.foldRead(question.windows, question.selection, threads: threads) {
        [origins = SharedOrigins()] in
        AuditFold(question, contexts: $0, origins: origins.origins(question.selection, $0))
      }
      (sums.ingests, sums.calls) = (snapshot.ingestTally, calls)
      var report = try AuditReport(sums, question, apps, reading: CallReading(calls))
      report.age = try request.scope.age(of: snapshot, clock: now, threads: threads)
      return report
    }
  }
}
