// The parts of the page behind the first: sections of the report, some of them drawn, some put together.

import PermissionAnalysis

struct ReportPart {
  var id: String
  var title: String
  /// For the list of sections.
  var shortTitle: String
  var write: (inout Markup) -> Void

  func write(on page: inout Markup) { write(&page) }

  static func all(_ scope: ReportScope, _ style: TextStyle) -> [ReportPart] {
    let sections = ReportSection.all(scope, style)
    func find(_ name: ReportSection.Name) -> ReportSection? { sections.first { $0.name == name } }
    var parts: [ReportPart] = []
    if let weeks = find(.weeks) { parts.append(byWeek(weeks, scope, style)) }
    if let explanation = find(.explanation), let prompt = find(.prompt) {
      parts.append(funnel(explanation, prompt, scope, style))
    }
    if let time = find(.time) { parts.append(self.time(time, scope, style)) }
    for section in sections {
      switch section.name {
      case .weeks, .explanation, .prompt, .time: break
      case .returning: parts.append(returning(section, scope, style))
      case .retention: parts.append(retention(section, scope, style))
      case .reach: parts.append(reach(section, scope))
      default: parts.append(plain(section))
      }
    }
    return parts
  }

  private init(
    _ name: ReportSection.Name, _ title: String, short: String? = nil, _ words: String,
    _ body: @escaping (inout Markup) -> Void
  ) {
    (id, self.title) = (name.rawValue, title)
    shortTitle = short ?? title.split(separator: ",").first.map(String.init) ?? title
    write = { $0.section(name.rawValue, title, words, body) }
  }

  private static func plain(_ section: ReportSection) -> ReportPart {
    ReportPart(section.name, section.title, section.words) { page in
      if section.table.isEmpty {
        page.element("p", text: section.empty)
      } else {
        page.table(section.table, caption: section.title)
        page.cautions(section.cautions)
      }
    }
  }

  private static func byWeek(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> ReportPart {
    let words =
      section.words + " The band is the 95\u{A0}% interval; an open point is a week that is partial or cut."
    return ReportPart(section.name, "Grant rate by week", words) { page in
      let panels = Panels(scope, scope.groups) { [WeeksSection.section($0, style)] }
      panels.write(section, on: &page) { page, group in GrantRateChart.draw(group, scope, on: &page) }
    }
  }

  private static func funnel(
    _ explanation: ReportSection, _ prompt: ReportSection, _ scope: ReportScope, _ style: TextStyle
  ) -> ReportPart {
    let words =
      "From the first screen to the grant: each line is a share of the base, and begins where the one above it ends. "
      + explanation.words + " " + prompt.words
    return ReportPart(.explanation, "Where people leave, " + scope.leadName, words) { page in
      let groups = scope.leadGroups.filter { leadRow($0, scope).grants.base > 0 }
      let panels = Panels(scope, groups) { one in
        Array(StepsSection.sections(one, style).prefix(2))
      }
      panels.write(prompt, on: &page) { page, group in FunnelChart.draw(leadRow(group, scope), on: &page) }
    }
  }

  private static func time(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> ReportPart {
    let words = section.words + " The axis is logarithmic; the dashed line is the median."
    return ReportPart(section.name, section.title, words) { page in
      let groups = scope.leadGroups.filter { leadRow($0, scope).times.toAnswer.count > 0 }
      guard let bins = TimeChart.bins(groups.map { leadRow($0, scope) }) else {
        return page.element("p", text: section.empty)
      }
      let panels = Panels(scope, groups) { [StepsSection.time($0, style)] }
      panels.write(section, on: &page) { page, group in TimeChart.draw(leadRow(group, scope), bins: bins, on: &page) }
    }
  }

  private static func returning(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> ReportPart {
    let words = section.words + " The band is the 95\u{A0}% interval."
    return ReportPart(section.name, section.title, words) { page in
      let groups = scope.groups.filter { $0.all.grants.denied + $0.all.grants.skipped > 0 }
      let top = ReturnChart.top(groups.map(\.all))
      let panels = Panels(scope, groups) { [ReturnSection.returning($0, style)] }
      panels.write(section, on: &page) { page, group in ReturnChart.draw(group.all, top: top, on: &page) }
    }
  }

  private static func retention(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> ReportPart {
    ReportPart(section.name, section.title, section.words) { page in
      let groups = scope.groups.filter { $0.all.grants.base > 0 }
      let top = RetentionChart.top(groups.map(\.all))
      let panels = Panels(scope, groups) { [EngagementSection.retention($0, style)] }
      panels.write(section, on: &page) { page, group in RetentionChart.draw(group.all, top: top, on: &page) }
    }
  }

  private static func reach(_ section: ReportSection, _ scope: ReportScope) -> ReportPart {
    ReportPart(section.name, section.title, short: "Reach", section.words) { page in
      guard !section.table.isEmpty else { return page.element("p", text: section.empty) }
      ReachBar.legend(on: &page)
      let rows = scope.report.reach
      page.table(section.table, caption: section.title, extraTitles: ["active users"]) { page, number in
        page.element("td", ["class": "wide"]) { page in
          if number < rows.count { ReachBar.draw(rows[number], on: &page) }
        }
      }
      page.cautions(section.cautions)
    }
  }

  /// The row of a group in the week that the report leads with, or of all weeks.
  private static func leadRow(_ group: RowGroup, _ scope: ReportScope) -> ReportRow {
    scope.leadWeek.flatMap { group.row(in: $0) } ?? group.all
  }
}
