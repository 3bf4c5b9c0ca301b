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
    page.write(ReportDocument.sections(scope, style, .markdown))
    return page.bytes
  }
}
