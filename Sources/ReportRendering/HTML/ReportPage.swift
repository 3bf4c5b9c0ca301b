// The sections of the report's page after the first: the sections of the text, some drawn, some combined.

import PermissionAnalysis

enum ReportPage {
  /// Permissions, or values, with a grant rate that is printed large.
  static let mostCards = 8

  /// The section that leads the page: its sentences, then the grant rates large, then the rest of it.
  static func lead(_ section: Section, _ scope: ReportScope) -> Section {
    var section = section
    let index = section.blocks.lastIndex { if case .headline = $0 { true } else { false } }
    section.blocks.insert(.drawing { rates(scope, on: &$0) }, at: index.map { $0 + 1 } ?? 0)
    return section
  }

  private static func rates(_ scope: ReportScope, on page: inout Markup) {
    let groups = scope.leadGroups
    let rows = groups.map(scope.leadRow)
    // Those with the most exposures, in the order of the table below.
    let order = RowNames.byExposures(rows).prefix(mostCards).sorted()
    page.element("ul", ["class": "rates"]) { page in
      for index in order {
        page.element("li") { page in
          let row = rows[index]
          page.element("span", ["class": "what"]) { $0.name(RowNames.titles.full(row)) }
          page.element("strong") { $0.text(large(row)) }
          page.element("span", ["class": "detail"], text: beside(row))
        }
      }
    }
    if groups.count > mostCards { page.write(.note("And \(groups.count - mostCards) more in the table.")) }
  }

  /// The grant rate; of a few users their number, as a share of them would be chance.
  static func large(_ row: ReportRow) -> String {
    let (granted, base) = (row.grants.granted, row.grants.base)
    guard base > 0, let rate = row.grants.grantRate else { return "–" }
    return base < Drawable.leastBase ? "\(granted)\u{A0}of\u{A0}\(base)" : NumberText.percent(rate.value)
  }

  static func beside(_ row: ReportRow) -> String {
    guard row.grants.base > 0 else {
      return NumberText.counted(row.grants.exposed, "user") + " asked, no outcome yet"
    }
    guard row.grants.base >= Drawable.leastBase, row.grants.grantRate != nil else {
      return NumberText.count(row.grants.exposed) + "\u{A0}exposed"
    }
    var parts = ["\(NumberText.count(row.grants.granted))\u{A0}of\u{A0}\(NumberText.count(row.grants.base))"]
    let points = row.trend?.change.map { NumberText.signed($0.value * 100) + "\u{A0}points" }
    switch row.usual.map(\.outside) {
    case .some(.some(let side)):
      parts.append(
        "\(side.mark)\u{A0}" + [points, "\(side.rawValue) than usual"].compactMap { $0 }.joined(separator: ", "))
    case .some(.none): parts.append([points, "within the usual range"].compactMap { $0 }.joined(separator: ", "))
    case .none: if let points { parts.append("\(points), too few weeks for a usual range") }
    }
    return parts.joined(separator: " · ")
  }

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
      case .timing: sections.append(timing(section, scope, style))
      case .returning: sections.append(returning(section, scope, style))
      case .retention: sections.append(retention(section, scope, style))
      case .reach: sections.append(reach(section, scope))
      case .values: sections.append(values(section, scope))
      default: sections.append(section.section)
      }
    }
    return sections
  }

  /// - Parameters:
  ///   - end: what follows the charts.
  ///   - chart: of a group.
  private static func drawn(
    _ section: ReportSection, title: String? = nil, words: String = "", _ panels: Panels,
    end: @escaping (inout Markup) -> Void = { _ in }, chart: @escaping (inout Markup, RowGroup) -> Void
  ) -> Section {
    let notes = section.notes.map { Block.note($0, hanging: 2) }
    let charts = Block.drawing { page in
      panels.write(empty: section.empty, on: &page, chart: chart)
      end(&page)
    }
    return Section(section.name, title ?? section.title, section.head(with: words) + notes + [charts])
  }

  private static func byWeek(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let panels = Panels(scope, scope.groups, where: { $0.all.grants.base >= Drawable.leastBase }) {
      [.weeks($0, style)]
    }
    let axes = GrantRateChart.Axes(panels.shown, scope)
    let words =
      " The band of the line is the 95\u{A0}% interval, the grey band the usual range of each week; a hollow point is a week that is partial or cut. \(Drawable.fewWords) "
      + (panels.shown.isEmpty ? "" : axes?.rates.words ?? "")
      + (panels.shown.isEmpty || VersionMarks.marked(scope.report.versions).isEmpty ? "" : VersionMarks.words)
    return drawn(section, title: "Grant rate by week", words: words, panels) { page in
      if !panels.shown.isEmpty { VersionMarks.table(scope.report.versions, on: &page) }
    } chart: { page, group in
      if let axes { GrantRateChart.draw(group, axes, scope, on: &page) }
    }
  }

  private static func funnel(
    _ explanation: ReportSection, _ prompt: ReportSection, _ scope: ReportScope, _ style: TextStyle
  ) -> Section {
    var section = explanation
    section.words =
      "From the first screen to the grant: each line is a share of the base, and begins where the one above it ends. "
      + explanation.words + " " + prompt.words
    section.empty = prompt.empty
    let groups = scope.leadGroups.filter { scope.leadRow($0).grants.base > 0 }
    let panels = Panels(
      scope, groups,
      where: { scope.leadRow($0).grants.base >= Drawable.leastBase && FunnelChart.isKnown(scope.leadRow($0)) }
    ) { [.explanation($0, style), .prompt($0, style)] }
    return drawn(section, title: "Where people leave, " + scope.leadName, panels) { page, group in
      FunnelChart.draw(scope.leadRow(group), on: &page)
    }
  }

  private static func time(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let words =
      " Each hill shows all users who gave that answer; its bars are shares of them and add up to 100\u{A0}%. All "
      + "charts have the same two axes, so you can compare shapes; the time axis is logarithmic. The dashed line "
      + "is the median."
    let groups = scope.leadGroups.filter { scope.leadRow($0).times.toAnswer.count > 0 }
    let panels = Panels(scope, groups, where: { TimeChart.canDraw(scope.leadRow($0)) }) { [.time($0, style)] }
    let axes = TimeChart.Axes(panels.shown.map { scope.leadRow($0) })
    return drawn(section, words: words, panels) { page in
      CallChart(scope.report)?.write(on: &page)
    } chart: { page, group in
      if let axes {
        let row = scope.leadRow(group)
        TimeChart.draw(row, axes, step: scope.timeStep(row), on: &page)
      }
    }
  }

  private static func timing(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    func figures(_ group: RowGroup) -> TimingFigures? { scope.timing(group.all.permission) }
    let groups = scope.groups.filter { $0.all.grants.base > 0 }
    let none = "No class of \(Drawable.leastBase) users or more"
    let panels = Panels(scope, groups, unless: none, where: { figures($0).map(TimingChart.canDraw) ?? false }) {
      [.timing($0, style)]
    }
    let axis = TimingChart.axis(panels.shown.compactMap(figures))
    let words =
      " Each line is a 95\u{A0}% interval. " + (panels.shown.isEmpty ? "" : axis.words)
    return drawn(section, words: words, panels) { page, group in
      if let figures = figures(group) { TimingChart.draw(figures, axis, on: &page) }
    }
  }

  private static func returning(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let groups = scope.groups.filter { $0.all.grants.denied + $0.all.grants.skipped > 0 }
    let none = "Not drawn: no users came back, or fewer than \(Drawable.leastBase) users are followed"
    let panels = Panels(scope, groups, unless: none, where: { ReturnChart.canDraw($0.all) }) { [.returning($0, style)] }
    let axis = ReturnChart.axis(panels.shown.map(\.all))
    let words =
      " The band is the 95\u{A0}% interval. A line begins with the first day that has one, and ends where fewer than "
      + "\(Drawable.leastBase) users are still followed. " + (panels.shown.isEmpty ? "" : axis.words)
    return drawn(section, words: words, panels) { page, group in ReturnChart.draw(group.all, axis, on: &page) }
  }

  private static func retention(_ section: ReportSection, _ scope: ReportScope, _ style: TextStyle) -> Section {
    let groups = scope.groups.filter { $0.all.grants.base > 0 }
    let panels = Panels(scope, groups, where: { RetentionChart.canDraw($0.all) }) { [.retention($0, style)] }
    let axis = RetentionChart.axis(panels.shown.map(\.all))
    let words = panels.shown.isEmpty ? "" : axis.map { " \(Drawable.fewWords) " + $0.words } ?? ""
    return drawn(section, words: words, panels) { page, group in
      if let axis { RetentionChart.draw(group.all, axis, on: &page) }
    }
  }

  private static func values(_ section: ReportSection, _ scope: ReportScope) -> Section {
    let shown = scope.report.rankings.flatMap { $0.first(scope.mostValues) }
    let cells = RateCells(shown.compactMap { value in value.rate.map { ($0, value.base) } })
    let drawn = Block.MoreCells(cells.title, shown) { page, value in
      if let rate = value.rate { cells.draw(rate, base: value.base, isBest: value.isBest, on: &page) }
    }
    return Section(section.name, section.title, section.head() + section.blocks(more: drawn))
  }

  private static func reach(_ section: ReportSection, _ scope: ReportScope) -> Section {
    let bars = Block.MoreCells("0 to 100\u{A0}% of the active users", scope.report.reach) { ReachBar.draw($1, on: &$0) }
    let legend: [Block] = section.table.isEmpty ? [] : [.drawing { ReachBar.legend(on: &$0) }]
    let blocks = [.words(section.words)] + legend + section.blocks(more: bars)
    return Section(section.name, section.title, short: "Reach", blocks)
  }
}
