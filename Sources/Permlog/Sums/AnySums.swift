// Sums of a question of any kind.

public import Folding
public import PermissionAnalysis

/// What was counted for a question.
public enum AnySums: Sendable {
  case report(ReportSums)
  case compare(ComparisonSums)
  case flow(FlowSums)
  case audit(AuditSums)

  /// The sums as tables.
  public var tables: [SumTable] {
    switch self {
    case .report(let sums): sums.tables
    case .compare(let sums): sums.tables
    case .flow(let sums): sums.tables
    case .audit(let sums): sums.tables
    }
  }

  /// The name of the fold and the version of what it counts, like `report 3`.
  public var name: String {
    switch self {
    case .report: ReportSums.name
    case .compare: ComparisonSums.name
    case .flow: FlowSums.name
    case .audit: AuditSums.name
    }
  }

  /// Reads back what `tables` gave. Tables may come from a file that anybody wrote.
  public init(_ kind: Question.Kind, tables: [SumTable]) throws(SumsError) {
    switch kind {
    case .report: self = .report(try ReportSums(tables: tables))
    case .compare: self = .compare(try ComparisonSums(tables: tables))
    case .flow: self = .flow(try FlowSums(tables: tables))
    case .audit: self = .audit(try AuditSums(tables: tables))
    }
  }

  /// Adds the sums of other users to the same question.
  public mutating func add(_ other: AnySums) throws(SumsError) {
    switch (self, other) {
    case (.report(var sums), .report(let others)):
      try sums.add(others)
      self = .report(sums)
    case (.compare(var sums), .compare(let others)):
      try sums.add(others)
      self = .compare(sums)
    case (.flow(var sums), .flow(let others)):
      try sums.add(others)
      self = .flow(sums)
    case (.audit(var sums), .audit(let others)):
      try sums.add(others)
      self = .audit(sums)
    default: throw SumsError(.otherFold, "sums of \(name) and of \(other.name) do not add up")
    }
  }
}
