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
      if report.rows.isEmpty {
        page.element("p", text: HeaderSection.nothing(report, style.hints))
        guard report.events > 0 else { return }
      } else {
        lead(scope, on: &page)
      }
      for part in ReportPart.all(scope, style) { part.write(on: &page) }
    }
  }

  private func navigation(_ scope: ReportScope, on page: inout Markup) {
    page.element("nav", ["aria-label": "Sections"]) { page in
      page.element("ul") { page in
        for part in ReportPart.all(scope, style) {
          page.element("li") { $0.element("a", ["href": "#" + part.id], text: part.shortTitle) }
        }
      }
    }
  }

  private func lead(_ scope: ReportScope, on page: inout Markup) {
    page.section("lead", LeadSection.title(scope), "") { page in
      page.element("p", ["class": "headline"], text: Headline.text(scope))
      let weeks = Sparklines.weeks(scope, last: 12)
      let groups = scope.leadGroups
      page.table(
        LeadSection.table(scope, style, sparkline: false), caption: LeadSection.title(scope),
        extraTitles: weeks.isEmpty ? [] : ["last \(weeks.count) weeks"]
      ) { page, number in
        guard !weeks.isEmpty else { return }
        page.element("td") { page in
          if number < groups.count { SparklineDrawing.draw(Sparklines.shares(groups[number], weeks), on: &page) }
        }
      }
      for note in LeadSection.notes(scope) { page.element("p", ["class": "note"], text: note) }
      page.element("p", ["class": "note"], text: LeadSection.legend(scope, style))
      if !scope.hasBase { page.element("p", text: ReportSection.undecided(style.hints)) }
    }
  }
}
