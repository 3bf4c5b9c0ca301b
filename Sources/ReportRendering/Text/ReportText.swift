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
    page.write(ReportDocument.sections(scope, style, .text))
    return page.bytes
  }
}
