// The sums of a question, whatever its kind.

public import Folding
public import PermissionAnalysis

/// What was counted for a saved question.
public enum AnySums: Sendable {
  case report(ReportSums)
  case compare(ComparisonSums)
  case flow(FlowSums)
  case audit(AuditSums)

  /// Sums of no users.
  public init(_ kind: Question.Kind) {
    switch kind {
    case .report: self = .report(ReportSums())
    case .compare: self = .compare(ComparisonSums())
    case .flow: self = .flow(FlowSums())
    case .audit: self = .audit(AuditSums())
    }
  }

  /// Reads back what `tables` gave. They may come from a file that anybody wrote.
  public init(_ kind: Question.Kind, tables: [SumTable]) throws(SumsError) {
    switch kind {
    case .report: self = .report(try ReportSums(tables: tables))
    case .compare: self = .compare(try ComparisonSums(tables: tables))
    case .flow: self = .flow(try FlowSums(tables: tables))
    case .audit: self = .audit(try AuditSums(tables: tables))
    }
  }

  public var kind: Question.Kind {
    switch self {
    case .report: .report
    case .compare: .compare
    case .flow: .flow
    case .audit: .audit
    }
  }

  /// The fold and the version of what it counts, like `report 4`.
  public var name: String { kind.fold }

  /// Leaves out what is known of sessions: their ids of users may be in two shards.
  mutating func forgetSessions() {
    guard case .audit(var sums) = self else { return }
    sums.ingests?.sessions = 0
    sums.ingests?.changedSessions = 0
    self = .audit(sums)
  }

  /// The sums as tables: of the same users always the same.
  public var tables: [SumTable] {
    switch self {
    case .report(let sums): sums.tables
    case .compare(let sums): sums.tables
    case .flow(let sums): sums.tables
    case .audit(let sums): sums.tables
    }
  }

  /// Adds the sums of other users. If it throws, what these hold is no sum any more.
  /// - Throws: `otherFold` for sums of another kind.
  public mutating func add(_ other: AnySums) throws(SumsError) {
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

  private func unlike(_ other: AnySums) -> SumsError {
    SumsError(.otherFold, "sums of \(other.name) do not add up with sums of \(name)")
  }
}
