// The report as one page that stands alone: what the text says, with a chart where a picture says it faster.

import PermissionAnalysis

/// The report for a browser, with charts; for these it takes a report that was made for them.
public struct ReportHTML: ReportRenderer {
  /// Panels of a section; with more groups, the rest is in the tables.
  static let mostPanels = 24

  /// Tables get the columns of a wide page.
  private let style: TextStyle

  /// - Parameter hints: what the program that shows it calls what its reader may do.
  public init(hints: @escaping HintWords = Hint.neutral) { style = TextStyle(width: 120, hints: hints) }

  public func render(_ report: Report) -> [UInt8] {
    let scope = ReportScope(report)
    return Page.render(title: HeaderSection.title(report)) { page in
      guard report.asOf != nil else { return }
      page.facts(HeaderSection.fields(scope))
      if !report.rows.isEmpty { navigation(scope, on: &page) }
    } main: { page in
      guard report.asOf != nil else {
        let (words, command) = HeaderSection.emptyLog(style.hints)
        page.element("p", text: words.joined(separator: " "))
        if let command { page.element("pre") { $0.element("code", text: command) } }
        return
      }
      page.write(ReportDocument.sections(scope, style, .page))
    }
  }

  private func navigation(_ scope: ReportScope, on page: inout Markup) {
    page.element("nav", ["aria-label": "Sections"]) { page in
      page.element("ul") { page in
        for section in ReportPage.sections(scope, style) {
          page.element("li") { $0.element("a", ["href": "#" + section.id], text: section.shortTitle) }
        }
      }
    }
  }
}
