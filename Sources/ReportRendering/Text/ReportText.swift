// The weekly report as text: the last complete week first, the reasons behind it after, then week by week.

import PermissionAnalysis

/// The report for people: text of lines no wider than the style's width.
public struct ReportText: ReportRenderer {
  private let style: TextStyle

  public init(_ style: TextStyle) { self.style = style }

  /// The report as UTF-8, or ASCII where the style asks for it; no line is wider than the style's width.
  public func render(_ report: Report) -> [UInt8] {
    var page = TextPage(style)
    guard report.asOf != nil else {
      let (words, command) = HeaderSection.emptyLog(style.hints)
      for line in words { page.line(line) }
      if let command { page.line("  " + command) }
      return page.bytes
    }
    let scope = ReportScope(report)
    page.line(HeaderSection.title(report), tone: .strong)
    for field in HeaderSection.fields(scope) { page.field(field.name, width: 11, field.text) }
    if report.rows.isEmpty {
      page.blank()
      page.paragraph(HeaderSection.nothing(report, style.hints))
      guard report.events > 0 else { return page.bytes }
    } else {
      writeLead(scope, on: &page)
      if !scope.hasBase {
        page.blank()
        page.paragraph(ReportSection.undecided(style.hints))
      }
    }
    for section in ReportSection.all(scope, style) { write(section, on: &page) }
    return page.bytes
  }

  private func writeLead(_ scope: ReportScope, on page: inout TextPage) {
    page.section(LeadSection.title(scope))
    page.paragraph(Headline.text(scope))
    page.blank()
    page.table(LeadSection.table(scope, style, sparkline: style.isWide))
    for note in LeadSection.notes(scope) { page.paragraph(note, hanging: 2) }
    if !style.isWide, let table = Sparklines.table(scope, style) {
      page.blank()
      page.table(table)
    }
    page.blank()
    page.paragraph(LeadSection.legend(scope, style))
  }

  private func write(_ section: ReportSection, on page: inout TextPage) {
    page.section(section.title)
    page.paragraph(section.words)
    page.blank()
    if section.table.isEmpty {
      page.paragraph(section.empty)
    } else if section.table.isList {
      page.list(section.table)
    } else {
      page.table(section.table)
    }
    for caution in section.cautions { page.paragraph("! " + caution, hanging: 2) }
  }
}
