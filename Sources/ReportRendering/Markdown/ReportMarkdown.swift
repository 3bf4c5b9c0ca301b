// The report as Markdown, for a pull request or a chat: compact tables, without HTML.

import PermissionAnalysis

/// The report for a pull request or a chat.
public struct ReportMarkdown: ReportRenderer {
  private let hints: HintWords

  /// - Parameter hints: what the program that shows it calls what its reader may do.
  public init(hints: @escaping HintWords = Hint.neutral) { self.hints = hints }

  public func render(_ report: Report) -> [UInt8] {
    let style = TextStyle(width: 80, hints: hints)
    var page = MarkdownPage()
    page.heading(2, HeaderSection.title(report))
    guard report.asOf != nil else {
      let (words, command) = HeaderSection.emptyLog(hints)
      page.paragraph(words.joined(separator: " "))
      if let command { page.code(command) }
      return page.bytes
    }
    let scope = ReportScope(report)
    page.list(HeaderSection.fields(scope))
    if report.rows.isEmpty {
      page.paragraph(HeaderSection.nothing(report, hints))
      guard report.events > 0 else { return page.bytes }
    } else {
      page.heading(3, LeadSection.title(scope))
      page.paragraph(Headline.text(scope))
      page.table(LeadSection.table(scope, style, sparkline: true))
      for note in LeadSection.notes(scope) { page.paragraph(note) }
      page.paragraph(LeadSection.legend(scope, style))
      if !scope.hasBase { page.paragraph(ReportSection.undecided(hints)) }
    }
    for section in ReportSection.all(scope, style) {
      page.heading(3, section.title)
      page.paragraph(section.words)
      if section.table.isEmpty { page.paragraph(section.empty) } else { page.table(section.table) }
      for caution in section.cautions { page.paragraph("! " + caution) }
    }
    return page.bytes
  }
}
