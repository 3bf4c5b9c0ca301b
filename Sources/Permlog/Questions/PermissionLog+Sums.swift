// Questions of one's own, and sums that travel: what several logs, or several machines, counted of disjoint users adds up
// to one report.

import EventLog
public import Folding
public import PermissionAnalysis
public import PermissionEvents

extension PermissionLog {
  /// Asks a question of your own: folds the history of every user, on all threads, and adds up. The fold sees every event of the
  /// log; one that looks from an earlier moment leaves out what is later.
  ///
  /// For example, with a fold named `AskedAgain`:
  ///
  /// ```swift
  /// let sums = try log.ask { contexts in AskedAgain(contexts: contexts) }
  /// ```
  /// - Parameters:
  ///   - selection: what the fold looks at beside kinds, times, statuses and permissions.
  ///   - hashes: of the ids of the users to fold, as docs/log-format.md defines them. Sums of disjoint ranges add up to those of all.
  ///   - make: makes the fold of one thread, for the codes that this log's histories have.
  public func ask<F: Fold & ~Copyable>(
    _ selection: HistorySelection = HistorySelection(), within hashes: ClosedRange<UInt64> = 0...(.max),
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws(PermlogError) -> F.Sums {
    let attributes: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]
    if let other = selection.attributes.first(where: { !attributes.contains($0) }) {
      throw PermlogError(.usage, "\(other.name) is no attribute of the device and the app; select it as the property")
    }
    return try translating {
      try LogSnapshot(directory).fold(selection, within: hashes, threads: threads, make)
    }
  }
}

extension PermissionLog {
  /// What a report counts, for adding up with that of other users. The request must have a moment to look from: sums
  /// of different questions do not add up.
  ///
  /// For example:
  ///
  /// ```swift
  /// var total = try europe.sums(request)
  /// try total.add(america.sums(request))
  /// let report = try Report(total, request)
  /// ```
  /// - Parameter hashes: of the ids of the users to count. The file does not say which they were: whoever divides the users
  ///   sees to it that every part comes once. Names that a log does not have are no error here, since another may.
  public func sums(
    _ request: ReportRequest, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> SumsFile<ReportSums> {
    let question = try request.sharedQuestion()
    let sums = try ask(question.selection, within: hashes) { ReportFold(question, contexts: $0) }
    return SumsFile(question: question.facts, sums: sums)
  }

  /// What a comparison counts; as for a report. The request must name the permission.
  public func sums(
    _ request: ComparisonRequest, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> SumsFile<ComparisonSums> {
    let question = try request.sharedQuestion()
    let sums = try ask(question.selection, within: hashes) { ComparisonFold(question, contexts: $0) }
    return SumsFile(question: question.facts, sums: sums)
  }
}

extension Report {
  /// The report of sums that were counted with the same request.
  public init(_ file: SumsFile<ReportSums>, _ request: ReportRequest, threads: Int = 1) throws(PermlogError) {
    let question = try request.sharedQuestion()
    self = try translating {
      try file.check(question.facts)
      if file.sums.isEmpty {
        return .empty(
          timeZone: question.zone.name, responseWindow: request.scope.responseWindow, followUp: request.scope.followUp,
          where: request.conditions)
      }
      return try Report(file.sums, question, threads: max(1, threads), isForCharts: request.hasCharts)
    }
  }
}

extension ComparisonSet {
  /// The comparison of sums that were counted with the same request. Metric, split, guardrails and the like may differ.
  public init(_ file: SumsFile<ComparisonSums>, _ request: ComparisonRequest) throws(PermlogError) {
    let question = try request.sharedQuestion()
    self = try translating {
      try file.check(question.facts)
      var set = try ComparisonSet(file.sums, question)
      set.plan = request.plan
      return set
    }
  }
}

extension ReportRequest {
  func sharedQuestion() throws(PermlogError) -> ReportQuestion {
    var question = try question(scope.sharedTimes(), oldest: nil, clock: nil)
    // Whoever renders the sums may want charts.
    question.countsVersions = true
    return question
  }
}

extension ComparisonRequest {
  func sharedQuestion() throws(PermlogError) -> ComparisonQuestion {
    try check()
    guard let permission else {
      throw PermlogError(.usage, "sums of several logs are of one permission: name it in the request")
    }
    let base = try scope.question(scope.sharedTimes(), clock: nil)
    var question = ComparisonQuestion(
      windows: base.windows, zone: base.zone, permission: permission, variants: variants, experiment: experiment)
    question.by = property
    apply(to: &question)
    return question
  }
}
