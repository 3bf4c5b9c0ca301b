// The sums of a question in one reading of calls and answers, whatever its kind.

import Folding
import PermissionAnalysis

/// What was counted for a saved question, in one reading.
package enum CountedSums: Sendable {
  case report(ReportSums)
  case compare(ComparisonSums)
  case flow(FlowSums)
  case audit(AuditSums)

  /// Sums of no users.
  package init(_ kind: Question.Kind) {
    switch kind {
    case .report: self = .report(ReportSums())
    case .compare: self = .compare(ComparisonSums())
    case .flow: self = .flow(FlowSums())
    case .audit: self = .audit(AuditSums())
    }
  }

  /// Reads back what `tables` gave. They may come from a file that anybody wrote.
  package init(_ kind: Question.Kind, tables: [SumTable]) throws(SumsError) {
    switch kind {
    case .report: self = .report(try ReportSums(tables: tables))
    case .compare: self = .compare(try ComparisonSums(tables: tables))
    case .flow: self = .flow(try FlowSums(tables: tables))
    case .audit: self = .audit(try AuditSums(tables: tables))
    }
  }

  package var kind: Question.Kind {
    switch self {
    case .report: .report
    case .compare: .compare
    case .flow: .flow
    case .audit: .audit
    }
  }

  /// How fast prompts were answered: of a comparison, those of its permission.
  var calls: CallSums {
    switch self {
    case .report(let sums): sums.calls
    case .compare(let sums): sums.calls
    case .flow(let sums): sums.calls
    case .audit(let sums): sums.calls
    }
  }

  /// Leaves out what is known of sessions: their ids of users may be in two shards.
  mutating func forgetSessions() {
    guard case .audit(var sums) = self else { return }
    sums.ingests?.sessions = 0
    sums.ingests?.changedSessions = 0
    self = .audit(sums)
  }

  /// The sums as tables: of the same users always the same.
  package var tables: [SumTable] {
    switch self {
    case .report(let sums): sums.tables
    case .compare(let sums): sums.tables
    case .flow(let sums): sums.tables
    case .audit(let sums): sums.tables
    }
  }

  /// Adds the sums of other users. If it throws, what these hold is no sum any more.
  /// - Throws: `otherFold` for sums of another kind.
  package mutating func add(_ other: CountedSums) throws(SumsError) {
    // Taken out of `self` first: what two hold would be copied.
    switch self {
    case .report(var sums):
      guard case .report(let more) = other else { throw unlike(other) }
      self = .report(ReportSums())
      try sums.add(more)
      self = .report(sums)
    case .compare(var sums):
      guard case .compare(let more) = other else { throw unlike(other) }
      self = .compare(ComparisonSums())
      try sums.add(more)
      self = .compare(sums)
    case .flow(var sums):
      guard case .flow(let more) = other else { throw unlike(other) }
      self = .flow(FlowSums())
      try sums.add(more)
      self = .flow(sums)
    case .audit(var sums):
      guard case .audit(let more) = other else { throw unlike(other) }
      self = .audit(AuditSums())
      try sums.add(more)
      self = .audit(sums)
    }
  }

  private func unlike(_ other: CountedSums) -> SumsError {
    SumsError(.otherFold, "sums of \(other.kind.fold) do not add up with sums of \(kind.fold)")
  }
}
