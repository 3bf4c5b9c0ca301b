// Flows of permissions: the fold over the log that answers.

import EventLog
import Folding
public import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// What happens when the app asks for several permissions one after the other. That of an empty log has no flows.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: `usage` if the log does not have a permission or a condition's value of the request, a step comes twice, or the interval is empty.
  public func flow(
    _ request: FlowRequest = FlowRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> FlowReport {
    try translatingLimits {
      let snapshot = try LogSnapshot(directory)
      snapshot.tellUnknown(onUnknown)
      guard let times = snapshot.timeRange else {
        let question = try request.question(Timestamp.earliest...Timestamp.earliest, clock: nil)
        return try FlowReport(FlowSums(), question, isOfEmptyLog: request.scope.asOf == nil)
      }
      let now = clock()
      let question = try request.question(times, clock: now)
      try KnownNames.check(question.conditions, in: snapshot)
      for step in question.steps { try KnownNames.check(step, .permission, in: snapshot, argument: .steps) }
      if let permission = question.permission { try KnownNames.check(permission, .permission, in: snapshot) }
      var (sums, calls) = try snapshot.foldRead(question.windows, question.selection, threads: threads) {
        FlowFold(question, contexts: $0)
      }
      sums.calls = calls
      var report = try FlowReport(sums, question, reading: CallReading(calls))
      report.age = try request.scope.age(of: snapshot, clock: now, threads: threads)
      return report
    }
  }
}

/// As `translating`; what there is no room for has a way out of its own.
func translatingLimits<Value>(_ body: () throws -> Value) throws(PermlogError) -> Value {
  do { return try body() } catch let error as SumsError where error.code == .tooManyGroups {
    throw PermlogError(.limit, error.sentence, .askForShorterInterval, cause: error)
  } catch { throw PermlogError(error) }
}
