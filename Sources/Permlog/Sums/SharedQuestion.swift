// Answering a question for some users, in each reading that all users may call for.

import EventLog
import Folding
import PermissionAnalysis

/// A question as folds are made for it.
enum SharedQuestion {
  case report(ReportQuestion)
  case compare(ComparisonQuestion)
  case flow(FlowQuestion)
  case audit(AuditQuestion)

  var windows: AnalysisWindows {
    switch self {
    case .report(let question): question.windows
    case .compare(let question): question.windows
    case .flow(let question): question.windows
    case .audit(let question): question.windows
    }
  }

  /// Those of the only permission that is asked about.
  func callsThatMatter(_ calls: CallSums) -> CallSums {
    guard case .compare(let question) = self else { return calls }
    return calls.of(Array(question.permission.utf8))
  }
}

extension Question {
  func shared() throws -> SharedQuestion {
    switch asked {
    case .report(let request): .report(try request.sharedQuestion(in: zone))
    case .compare(let request): .compare(try request.sharedQuestion(in: zone))
    case .flow(let request): .flow(try request.sharedQuestion(in: zone))
    case .audit(let request): .audit(try request.sharedQuestion(in: zone))
    }
  }
}

extension LogSnapshot {
  /// Most assumptions under which some users are counted: each is a walk. n readings that concern all users in every combination are 3ⁿ − 1.
  private static let mostAssumptions = 256

  /// What some users add, in each reading that is open.
  func count(
    _ question: SharedQuestion, _ readings: OpenReadings, within hashes: ClosedRange<UInt64>, threads: Int
  ) throws -> AnySums {
    func count(_ reading: CallReading, _ users: UsersOfReadings?) throws -> CountedSums {
      try self.count(question, reading, users, within: hashes, threads: threads)
    }
    guard !readings.open.isEmpty else { return AnySums(try count(readings.reading(), nil), fixed: readings.fixed) }
    // The walk over those whom none concerns tells what concerns the others.
    let users = UsersOfReadings(readings.open, wanted: 0)
    var sums = AnySums(try count(readings.reading(), users), fixed: readings.fixed)
    let concerned = users.all.subtracting([0])
    guard concerned.reduce(0, { $0 + 1 << min($1.nonzeroBitCount, 16) }) <= Self.mostAssumptions else {
      var fewer = readings
      fewer.fixSome()
      return try self.count(question, fewer, within: hashes, threads: threads)
    }
    for bits in concerned {
      let open = readings.open.enumerated().filter { bits >> UInt64($0.offset) & 1 != 0 }.map(\.element)
      for choice in 0..<1 << open.count {
        let assumption = Dictionary(
          uniqueKeysWithValues: open.enumerated().map { ($0.element, choice >> $0.offset & 1 != 0) })
        let reading = readings.reading(other: open.filter { assumption[$0] == true })
        sums.assume(assumption, try count(reading, UsersOfReadings(readings.open, wanted: bits)))
      }
    }
    return sums
  }

  private func count(
    _ question: SharedQuestion, _ reading: CallReading, _ users: UsersOfReadings?, within hashes: ClosedRange<UInt64>,
    threads: Int
  ) throws -> CountedSums {
    func fold<F: Fold & ~Copyable>(
      _ selection: HistorySelection, _ make: @escaping @Sendable (HistoryContexts) throws -> F
    ) throws -> F.Sums {
      try self.fold(question.windows, selection, reading, users: users, within: hashes, threads: threads, make)
    }
    switch question {
    case .report(let question):
      return .report(try fold(question.selection) { ReportFold(question, contexts: $0) })
    case .compare(let question):
      return .compare(try fold(question.selection) { ComparisonFold(question, contexts: $0) })
    case .flow(let question):
      let sums = try fold(question.selection) { FlowFold(question, contexts: $0) }
      try sums.check()
      return .flow(sums)
    case .audit(let question):
      let origins = SharedOrigins()
      var sums = try fold(question.selection) {
        AuditFold(question, contexts: $0, origins: origins.origins(question.selection, $0))
      }
      try sums.check()
      // They are of the log, and of no user: those who add up parts of the users get them once.
      if hashes.lowerBound == 0, users?.wanted ?? 0 == 0 { sums.ingests = ingestTally }
      return .audit(sums)
    }
  }
}

extension CountedSums {
  /// Sets what is known of all users, whatever the question is narrowed to.
  mutating func complete(_ calls: CallSums, _ names: NameSums) {
    switch self {
    case .report(var sums):
      (sums.calls, sums.known) = (calls, names)
      self = .report(sums)
    case .compare(var sums):
      (sums.calls, sums.known) = (calls, names)
      self = .compare(sums)
    case .flow(var sums):
      (sums.calls, sums.known) = (calls, names)
      self = .flow(sums)
    case .audit(var sums):
      (sums.calls, sums.known) = (calls, names)
      self = .audit(sums)
    }
  }
}
