// The weekly report: names resolved, one fold over the log, figures.

import EventLog
import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// The weekly report; that of an empty log has no rows.
  /// - Throws: `usage` if the log does not have the permission, or the interval is empty.
  public func report(_ request: ReportRequest = ReportRequest()) throws(PermlogError) -> Report {
    try translating {
      let snapshot = try LogSnapshot(directory)
      guard let times = snapshot.timeRange else { return try Self.empty(request) }
      var question = try request.question(times)
      let scan = try HistoryScan(snapshot, selection: HistorySelection(property: request.property))
      question.permission = try request.permission.map { try KnownNames.permission($0, scan, snapshot) }
      let folds = (0..<threads).map { _ in ReportFold(question, contexts: scan.contexts) }
      try scan.run(folds)
      for other in folds.dropFirst() { folds[0].merge(other) }
      return Report(folds[0], threads: threads, isForCharts: request.hasCharts)
    }
  }

  private static func empty(_ request: ReportRequest) throws(PermlogError) -> Report {
    let scope = request.scope
    let zone = try SystemZones.table(scope.timeZone, over: Timestamp.earliest...Timestamp.earliest)
    return .empty(timeZone: zone.name, responseWindow: scope.responseWindow, followUp: scope.followUp)
  }
}

extension ReportRequest {
  /// Everything but names, which the log has to resolve.
  func question(_ times: ClosedRange<Milliseconds>) throws(PermlogError) -> ReportQuestion {
    let (first, last) = (try from?.checkedDay(), try to?.checkedDay())
    var question = try scope.question(times, dates: [first, last].compactMap { $0 })
    question.from = first.map { question.zone.firstMoment(of: $0) }
    question.to = last.map { question.zone.firstMoment(of: $0) }
    if let from = question.from, let to = question.to, from >= to {
      throw PermlogError(.usage, "the interval is empty: it ends before it begins")
    }
    question.property = property
    return question
  }
}
