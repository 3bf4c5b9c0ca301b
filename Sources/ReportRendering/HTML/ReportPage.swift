// The sections of the report's page after the first: those of the text, some of them drawn, some put together.

import PermissionAnalysis

enum ReportPage {
  /// - Parameter all: the sections as text has them.
  static func sections(_ all: [ReportSection], _ scope: ReportScope, _ style: TextStyle) -> [Section] {
    func find(_ name: ReportSection.Name) -> ReportSection? { all.first { $0.name == name } }
    var sections: [Section] = []
    if let weeks = find(.weeks) { sections.append(byWeek(weeks, scope, style)) }
    if let explanation = find(.explanation), let prompt = find(.prompt) {
      sections.append(funnel(explanation, prompt, scope, style))
    }
    if let time = find(.time) { sections.append(self.time(time, scope, style)) }
    for section in all {
      switch section.name {
      case .weeks, .explanation, .prompt, .time: break
      case .returning: sections.append(returning(section, scope, style))
      case .retention: sections.append(retention(section, scope, style))
      case .reach: sections.append(reach(section, scope))
      default: sections.append(section.section)
      }
    }
    return sections
  }

  /// A section of words and charts.
  private static func drawn(
    _ section: ReportSection, title: String? = nil, words: String = "", _ draw: @escaping (inout Markup) -> Void
  ) -> Section {
    Section(section.name.rawValue, title ?? section.title, [.words(section.words + words), .drawing(draw)])
  }

  private static func byWeek(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let words = " The band is the 95\u{A0}% interval; an open point is a week that is partial or cut."
    return drawn(section, title: "Grant rate by week", words: words) { page in
      Panels(scope, scope.groups) { [.weeks($0, style)] }
        .write(empty: section.empty, on: &page) { page, group in GrantRateChart.draw(group, scope, on: &page) }
    }
  }

  private static func funnel(
    _ explanation: ReportSection, _ prompt: ReportSection, _ scope: ReportScope, _ style: TextStyle
  ) -> Section {
    var section = explanation
    section.words =
      "From the first screen to the grant: each line is a share of the base, and begins where the one above it ends. "
      + explanation.words + " " + prompt.words
    return drawn(section, title: "Where people leave, " + scope.leadName) { page in
      let groups = scope.leadGroups.filter { scope.leadRow($0).grants.base > 0 }
      Panels(scope, groups) { [.explanation($0, style), .prompt($0, style)] }
        .write(empty: prompt.empty, on: &page) { page, group in FunnelChart.draw(scope.leadRow(group), on: &page) }
    }
  }

  private static func time(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    drawn(section, words: " The axis is logarithmic; the dashed line is the median.") { page in
      let groups = scope.leadGroups.filter { scope.leadRow($0).times.toAnswer.count > 0 }
      guard let bins = TimeChart.bins(groups.map { scope.leadRow($0) }) else {
        return page.element("p", text: section.empty)
      }
      Panels(scope, groups) { [.time($0, style)] }.write(empty: section.empty, on: &page) { page, group in
        TimeChart.draw(scope.leadRow(group), bins: bins, on: &page)
      }
    }
  }

  private static func returning(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    drawn(section, words: " The band is the 95\u{A0}% interval.") { page in
      let groups = scope.groups.filter { $0.all.grants.denied + $0.all.grants.skipped > 0 }
      let top = ReturnChart.top(groups.map(\.all))
      Panels(scope, groups) { [.returning($0, style)] }
        .write(empty: section.empty, on: &page) { page, group in ReturnChart.draw(group.all, top: top, on: &page) }
    }
  }

  private static func retention(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    drawn(section) { page in
      let groups = scope.groups.filter { $0.all.grants.base > 0 }
      let top = RetentionChart.top(groups.map(\.all))
      Panels(scope, groups) { [.retention($0, style)] }
        .write(empty: section.empty, on: &page) { page, group in RetentionChart.draw(group.all, top: top, on: &page) }
    }
  }

  private static func reach(_ section: ReportSection, _ scope: ReportScope) -> Section {
    let rows = scope.report.reach
    let bars = Block.MoreCells(titles: ["active users"]) { page, number in
      page.element("td", ["class": "wide"]) { page in
        if number < rows.count { ReachBar.draw(rows[number], on: &page) }
      }
    }
    let legend: [Block] = section.table.isEmpty ? [] : [.drawing { ReachBar.legend(on: &$0) }]
    let blocks = [.words(section.words)] + legend + section.blocks(more: bars)
    return Section(section.name.rawValue, section.title, short: "Reach", blocks)
  }
}
