// Flows of permissions: the fold over the log that answers, and sums that travel.

import EventLog
public import Folding
public import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// What happens when the app asks for several permissions one after the other. That of an empty log has no flows.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: `usage` if the log does not have a permission or a condition's value of the request, a step comes twice, or the interval is empty.
  public func flow(
    _ request: FlowRequest = FlowRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> FlowReport {
    try translatingFlows {
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
      let sums = try snapshot.fold(question.selection, threads: threads) { FlowFold(question, contexts: $0) }
      var report = try FlowReport(sums, question)
      report.age = try request.scope.age(of: snapshot, clock: now, threads: threads)
      return report
    }
  }

  /// What flows are counted of some users, for adding up with those of others. The request must have a moment to look from.
  /// - Parameter hashes: of the ids of the users to count, as for a report.
  public func sums(
    _ request: FlowRequest, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> SumsFile<FlowSums> {
    let question = try request.sharedQuestion()
    return try translatingFlows {
      let snapshot = try LogSnapshot(directory)
      let sums = try snapshot.fold(question.selection, within: hashes, threads: threads) {
        FlowFold(question, contexts: $0)
      }
      try sums.check()
      return SumsFile(question: question.facts, sums: sums)
    }
  }
}

extension FlowReport {
  /// The flows of sums that were counted with the same request. The permission of the tables may differ.
  public init(_ file: SumsFile<FlowSums>, _ request: FlowRequest) throws(PermlogError) {
    let question = try request.sharedQuestion()
    self = try translatingFlows {
      try file.check(question.facts)
      return try FlowReport(file.sums, question)
    }
  }
}

/// As `translating`; what there is no room for has a way out of its own.
private func translatingFlows<Value>(_ body: () throws -> Value) throws(PermlogError) -> Value {
  do { return try body() } catch let error as SumsError where error.code == .tooManyGroups {
    throw PermlogError(.limit, error.sentence, .askForShorterInterval, cause: error)
  } catch { throw PermlogError(error) }
}
