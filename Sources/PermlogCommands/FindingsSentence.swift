// What `audit --fail-on` says when there is such a finding.

import Permlog
import ReportRendering

enum FindingsSentence {
  private static let shown = 4

  /// How many findings are that bad or worse, and which they are; nil if there is none.
  static func text(_ report: AuditReport, from severity: AuditSeverity) -> String? {
    let findings = report.findings.filter { $0.severity <= severity }
    guard !findings.isEmpty else { return nil }
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count > 0 ? counted(count, severity.name, severity.name + "s") : nil
    }
    let names = findings.prefix(shown).map { finding in
      finding.check.rawValue + (finding.permission.map { " (\($0))" } ?? "")
    }
    let more = findings.count > shown ? " and \(findings.count - shown) more" : ""
    return "the audit found \(counts.joined(separator: " and ")): \(names.joined(separator: ", "))\(more)"
  }
}
