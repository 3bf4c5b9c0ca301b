// Answering a question: the fold over one log.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

extension Question {
  /// Everything that sums depend on, by the names of the keys: sums of questions that differ in any of it do not add up.
  var facts: [String: String] { fields.facts }

  /// What a log's users add to the answer. Names that the log does not have are no error, since another log may.
  /// - Parameter hashes: of the ids of the users to count, as docs/log-format.md defines them.
  func sums(
    of snapshot: LogSnapshot, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> AnySums {
    // A log without events adds nothing, whatever zone and dates its tables would be laid out for.
    let isEmpty = snapshot.timeRange == nil
    switch asked {
    case .report(let request):
      let question = try request.sharedQuestion(in: zone)
      if isEmpty { return .report(ReportSums()) }
      var sums = try snapshot.fold(question.selection, within: hashes, threads: threads) {
        ReportFold(question, contexts: $0)
      }
      sums.known = KnownNames.found(asked, in: snapshot)
      return .report(sums)
    case .compare(let request):
      let question = try request.sharedQuestion(in: zone)
      if isEmpty { return .compare(ComparisonSums()) }
      var sums = try snapshot.fold(question.selection, within: hashes, threads: threads) {
        ComparisonFold(question, contexts: $0)
      }
      sums.known = KnownNames.found(asked, in: snapshot)
      return .compare(sums)
    case .flow(let request):
      let question = try request.sharedQuestion(in: zone)
      if isEmpty { return .flow(FlowSums()) }
      var sums = try snapshot.fold(question.selection, within: hashes, threads: threads) {
        FlowFold(question, contexts: $0)
      }
      try sums.check()
      sums.known = KnownNames.found(asked, in: snapshot)
      return .flow(sums)
    case .audit(let request):
      let question = try request.sharedQuestion(in: zone)
      if isEmpty { return .audit(AuditSums()) }
      var sums = try snapshot.audit(question, within: hashes, threads: threads)
      try sums.check()
      sums.known = KnownNames.found(asked, in: snapshot)
      return .audit(sums)
    }
  }
}

extension PermissionLog {
  /// What this log's users add to the answer of a question. Sums of other users, of other logs or machines, are added to them, and the
  /// answer is read from all of them together.
  ///
  /// For example:
  ///
  /// ```swift
  /// let question = try Question(request)
  /// var total = try europe.sums(of: question)
  /// try total.add(america.sums(of: question))
  /// let report = try Report(total, of: question)
  /// ```
  /// - Parameter hashes: of the ids of the users to count. Nothing in the sums says which they were: whoever divides the users sees to
  ///   it that every part comes once. What ingests counted of the whole log goes with those that begin at 0.
  public func sums(
    of question: Question, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> AnySums {
    try translating { try question.sums(of: LogSnapshot(directory), within: hashes, threads: threads) }
  }
}
