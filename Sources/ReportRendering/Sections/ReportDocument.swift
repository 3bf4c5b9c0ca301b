// The report as sections: the answer first, then where it comes from.

import PermissionAnalysis

enum ReportDocument {
  enum Form { case text, markdown, page }

  /// All sections below the head of a report that looks from some moment.
  static func sections(_ scope: ReportScope, _ style: TextStyle, _ form: Form) -> [Section] {
    let report = scope.report
    let rest = form == .page ? ReportPage.sections(scope, style) : ReportSection.all(scope, style).map(\.section)
    guard report.rows.isEmpty else { return [LeadSection.section(scope, style, form)] + rest }
    let nothing = Section.untitled([.gap, .paragraph(HeaderSection.nothing(report, style.hints))])
    return report.events > 0 ? [nothing] + rest : [nothing]
  }
}
