// The tables of an audit: findings of one check, and what was looked at and is no finding.

import PermissionAnalysis

enum AuditTables {
  /// - Parameter isIndented: below a title.
  static func findings(_ findings: [AuditFinding], isIndented: Bool) -> Table {
    var table = Table("of", ["finding"], isList: true)
    for finding in findings {
      let name = DisplayWidth.cutMiddle(AuditQuote.name(AuditSentences.subject(finding)), to: 24, mark: "…")
      table.row((isIndented ? "  " : "") + name, [TableCell(words(finding))])
    }
    return table
  }

  /// The sentence below its permission, its cost, and users to look at.
  static func words(_ finding: AuditFinding) -> String {
    let examples = finding.examples.map(AuditQuote.id).joined(separator: ", ")
    return [
      AuditSentences.body(finding), AuditCosts.sentence(finding), examples.isEmpty ? nil : "Examples: \(examples)",
    ].compactMap { $0 }.joined(separator: " ")
  }

  /// By check, those that matter most first.
  static func others(_ report: AuditReport, _ style: TextStyle) -> Section {
    let cells = FigureCells(style: style)
    var table = Table("check", ["users", "of", "share", "reported from", "reason"])
    let shown = report.others.prefix(AuditDocument.mostOthers)
    for check in AuditCheck.allCases {
      let others = shown.filter { $0.check == check }
      guard !others.isEmpty else { continue }
      table.heading(check.rawValue)
      let threshold = report.threshold(check).map { TableCell(AuditNumbers.threshold($0)) } ?? cells.unknown
      for other in others {
        table.row(
          "  " + AuditQuote.name(AuditSentences.subject(other)),
          [
            cells.count(other.users.map { Int(clamping: $0) }), cells.count(other.of.map { Int(clamping: $0) }),
            cells.rate(other.share), threshold, TableCell(other.leftOut.map { reason($0, check) } ?? style.unknown),
          ])
      }
    }
    let left = report.others.count - shown.count
    let more: [Block] = left > 0 ? [.paragraph("and \(NumberText.count(left)) more" + style.words(.readJSON))] : []
    return Section(
      "others", "What was looked at and is no finding", short: "No finding",
      [.table(table, empty: "Everything that was looked at is a finding.")] + more)
  }

  private static func reason(_ leftOut: AuditFinding.LeftOut, _ check: AuditCheck) -> String {
    switch leftOut {
    case .belowThreshold: "below"
    case .tooFew: "under \(check.least)"
    case .nothingToSee: "nothing seen"
    case .tooMany: "too many"
    }
  }
}

extension AuditReport {
  /// The share from which on a check is reported; nil if it is reported whenever it holds.
  func threshold(_ check: AuditCheck) -> AuditThreshold? { thresholds[check] ?? check.threshold }
}
