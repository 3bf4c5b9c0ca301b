// The sections of the page after the first: those of the report, some of them drawn, some put together.

import PermissionAnalysis

enum ReportPage {
  static func sections(_ scope: ReportScope, _ style: TextStyle) -> [Section] {
    let all = ReportSection.all(scope, style)
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

  /// A section of words and a drawing.
  private static func drawn(
    _ name: ReportSection.Name, _ title: String, _ words: String, _ draw: @escaping (inout Markup) -> Void
  ) -> Section {
    Section(name.rawValue, title, [.words(words), .drawing(draw)])
  }

  private static func byWeek(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let words =
      section.words + " The band is the 95\u{A0}% interval; an open point is a week that is partial or cut."
    return drawn(section.name, "Grant rate by week", words) { page in
      let panels = Panels(scope, scope.groups) { [WeeksSection.section($0, style)] }
      panels.write(section, on: &page) { page, group in GrantRateChart.draw(group, scope, on: &page) }
    }
  }

  private static func funnel(
    _ explanation: ReportSection, _ prompt: ReportSection, _ scope: ReportScope, _ style: TextStyle
  ) -> Section {
    let words =
      "From the first screen to the grant: each line is a share of the base, and begins where the one above it ends. "
      + explanation.words + " " + prompt.words
    return drawn(.explanation, "Where people leave, " + scope.leadName, words) { page in
      let groups = scope.leadGroups.filter { leadRow($0, scope).grants.base > 0 }
      let panels = Panels(scope, groups) { one in
        Array(StepsSection.sections(one, style).prefix(2))
      }
      panels.write(prompt, on: &page) { page, group in FunnelChart.draw(leadRow(group, scope), on: &page) }
    }
  }

  private static func time(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let words = section.words + " The axis is logarithmic; the dashed line is the median."
    return drawn(section.name, section.title, words) { page in
      let groups = scope.leadGroups.filter { leadRow($0, scope).times.toAnswer.count > 0 }
      guard let bins = TimeChart.bins(groups.map { leadRow($0, scope) }) else {
        return page.element("p", text: section.empty)
      }
      let panels = Panels(scope, groups) { [StepsSection.time($0, style)] }
      panels.write(section, on: &page) { page, group in TimeChart.draw(leadRow(group, scope), bins: bins, on: &page) }
    }
  }

  private static func returning(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let words = section.words + " The band is the 95\u{A0}% interval."
    return drawn(section.name, section.title, words) { page in
      let groups = scope.groups.filter { $0.all.grants.denied + $0.all.grants.skipped > 0 }
      let top = ReturnChart.top(groups.map(\.all))
      let panels = Panels(scope, groups) { [ReturnSection.returning($0, style)] }
      panels.write(section, on: &page) { page, group in ReturnChart.draw(group.all, top: top, on: &page) }
    }
  }

  private static func retention(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    drawn(section.name, section.title, section.words) { page in
      let groups = scope.groups.filter { $0.all.grants.base > 0 }
      let top = RetentionChart.top(groups.map(\.all))
      let panels = Panels(scope, groups) { [EngagementSection.retention($0, style)] }
      panels.write(section, on: &page) { page, group in RetentionChart.draw(group.all, top: top, on: &page) }
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

  /// The row of a group in the week that the report leads with, or of all weeks.
  private static func leadRow(_ group: RowGroup, _ scope: ReportScope) -> ReportRow {
    scope.leadWeek.flatMap { group.row(in: $0) } ?? group.all
  }
}
