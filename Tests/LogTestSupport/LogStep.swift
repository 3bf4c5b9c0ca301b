// A command that writes, as data: done to a log, and to the model of one.

import EventLog
import PermissionEvents

/// One thing that a writer can be asked to do.
package enum LogStep: Sendable {
  /// Rounds of events, committed as one.
  case ingest([[TestEvent]])
  case erase([[UInt8]])
  case readmit([[UInt8]])
  case expire(before: Milliseconds)
  case readmitExpired
  case compact

  /// What is told to the user.
  package enum Outcome: Equatable, Sendable {
    case ingested(IngestCounts)
    /// Without the number of parts, which a model does not have.
    case removed(ErasureCounts)
    case readmitted(Int)
    case readmittedExpired(Milliseconds?)
    case compacted

    fileprivate static func removed(withoutParts counts: ErasureCounts) -> Outcome {
      var counts = counts
      counts.parts = 0
      return .removed(counts)
    }
  }
}

extension LogModel {
  package mutating func perform(_ step: LogStep) -> LogStep.Outcome {
    switch step {
    case .ingest(let rounds):
      let before = counts
      for round in rounds { ingest(round) }
      return .ingested(counts - before)
    case .erase(let users): return .removed(erase(users))
    case .readmit(let users): return .readmitted(readmit(users))
    case .expire(let time): return .removed(expire(before: time))
    case .readmitExpired: return .readmittedExpired(readmitExpired())
    case .compact: return .compacted
    }
  }
}

extension LogDirectory {
  /// Opens the log for writing, does the step, and closes it. Each commit is two hours after the one before.
  /// - Parameter onDone: called when the step has returned, before the log is closed.
  @discardableResult
  package func perform(
    _ step: LogStep, threads: Int = 1, memory: Int = 0, batch: Int = 5, onDone: () -> Void = {}
  ) throws -> LogStep.Outcome {
    var isIngest = false
    if case .ingest = step { isIngest = true }
    let generation = (try? readManifest().generation) ?? 0
    let writer = try EventLogWriter(
      self, threads: threads, memory: memory, mayCreate: isIngest,
      clock: { 1_700_000_000_000 + Milliseconds(generation) * 7_200_000 })
    defer { writer.close() }
    let outcome: LogStep.Outcome
    switch step {
    case .ingest(let rounds):
      for round in rounds { try writer.write(round, batch: batch, threads: threads) }
      try writer.commit()
      outcome = .ingested(writer.counts)
    case .erase(let users): outcome = .removed(withoutParts: try writer.erase(users))
    case .readmit(let users): outcome = .readmitted(try writer.readmit(users))
    case .expire(let time): outcome = .removed(withoutParts: try writer.expire(before: time))
    case .readmitExpired: outcome = .readmittedExpired(try writer.readmitExpired())
    case .compact:
      try writer.compact()
      outcome = .compacted
    }
    onDone()
    return outcome
  }
}

extension IngestCounts {
  fileprivate static func - (a: IngestCounts, b: IngestCounts) -> IngestCounts {
    var difference = a
    difference.new -= b.new
    difference.duplicates -= b.duplicates
    difference.conflicts -= b.conflicts
    difference.erased -= b.erased
    difference.expired -= b.expired
    return difference
  }
}
