// Audits: the fold over the log that answers, and sums that travel.

import EventLog
public import Folding
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
    return try translatingAudit {
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
      let sums = try snapshot.audit(question, threads: threads)
      var report = try AuditReport(sums, question, apps)
      report.age = try request.scope.age(of: snapshot, clock: now, threads: threads)
      return report
    }
  }

  /// What an audit counts of some users, for adding up with those of others. The request must have a moment to look from.
  /// - Parameter hashes: of the ids of the users to count, as for a report. What ingests counted of the whole log goes with those that
  ///   begin at 0.
  public func sums(
    _ request: AuditRequest, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> SumsFile<AuditSums> {
    let question = try request.sharedQuestion()
    return try translatingAudit {
      let sums = try LogSnapshot(directory).audit(question, within: hashes, threads: threads)
      try sums.check()
      return SumsFile(question: question.facts, sums: sums)
    }
  }
}

extension AuditReport {
  /// The audit of sums that were counted with the same request. Thresholds, the permission and Info.plists may differ.
  /// - Throws: `usage` also if nothing was counted of the permission.
  public init(_ file: SumsFile<AuditSums>, _ request: AuditRequest) throws(PermlogError) {
    let question = try request.sharedQuestion()
    let apps = try AppPurposes.all(request.infoPlists)
    self = try translatingAudit {
      try file.check(question.facts)
      if let permission = question.permission {
        try KnownNames.check(permission, among: file.sums.permissionNames)
      }
      return try AuditReport(file.sums, question, apps)
    }
  }
}

extension LogSnapshot {
  fileprivate func audit(
    _ question: AuditQuestion, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> AuditSums {
    var sums = try fold(question.selection, within: hashes, threads: threads) { [origins = SharedOrigins()] in
      AuditFold(question, contexts: $0, origins: origins.origins(question.selection, $0))
    }
    // They are of the log, and of no user: those who add up ranges of users get them once.
    if hashes.lowerBound == 0 { sums.ingests = ingestTally }
    return sums
  }
}

/// As `translating`; what there is no room for has a way out of its own.
private func translatingAudit<Value>(_ body: () throws -> Value) throws(PermlogError) -> Value {
  do { return try body() } catch let error as SumsError where error.code == .tooManyGroups {
    throw PermlogError(.limit, error.sentence, .askForShorterInterval, cause: error)
  } catch { throw PermlogError(error) }
}
