// The weekly report as text: the last complete week first, the reasons behind it after, then week by week.

import PermissionAnalysis

package enum ReportText {
  /// The report as UTF-8, or ASCII where the style asks for it; no line is wider than the style's width.
  package static func render(_ report: Report, _ style: TextStyle) -> [UInt8] {
    var page = TextPage(style)
    guard report.asOf != nil else {
      page.line("The log is empty: there is nothing to report yet.")
      page.line("Fill it with an export of your events, for example:")
      page.line("  permlog ingest export.ndjson")
      return page.bytes
    }
    let scope = ReportScope(report)
    HeaderSection.write(scope, on: &page)
    if report.rows.isEmpty {
      page.blank()
      page.paragraph(HeaderSection.nothing(report))
      guard report.events > 0 else { return page.bytes }
    } else {
      LeadSection.write(scope, on: &page)
      if scope.allRows.contains(where: { $0.base > 0 }) {
        GrantSection.write(scope, on: &page)
        StepsSection.write(scope, on: &page)
        ReturnSection.write(scope, on: &page)
        EngagementSection.write(scope, on: &page)
      } else {
        page.blank()
        page.paragraph(
          "No exposure has an outcome yet: all are pending or restricted. Rates, steps, times and returns follow when "
            + "the first of them is decided.")
      }
    }
    ReachSection.write(scope, on: &page)
    ActivitySection.write(scope, on: &page)
    if !report.rows.isEmpty { WeeksSection.write(scope, on: &page) }
    return page.bytes
  }
}
