// Small multiples: a chart for each permission, or property value of one, its table below it.

import PermissionAnalysis

struct Panels {
  /// Charts of a section; with more groups, the rest is in the tables.
  static let most = 24

  private let scope: ReportScope
  private let groups: [RowGroup]
  private let tables: (ReportScope) -> [ReportSection]

  /// - Parameter tables: the sections whose tables hold what the chart shows, of a report of one group.
  init(_ scope: ReportScope, _ groups: [RowGroup], tables: @escaping (ReportScope) -> [ReportSection]) {
    (self.scope, self.groups, self.tables) = (scope, groups, tables)
  }

  /// - Parameter empty: said if there are no groups.
  func write(empty: String, on page: inout Markup, chart: (inout Markup, RowGroup) -> Void) {
    guard !groups.isEmpty else { return page.element("p", text: empty) }
    let shown = shown
    page.element("div", ["class": "panels"]) { page in
      for group in shown {
        page.newLine()
        page.element("figure") { page in
          page.element("h3") { $0.name(RowNames.full(group.all)) }
          chart(&page, group)
          if let caution = RowNames.caution(group.all.permission) { page.write(.caution(caution, .none)) }
          page.details("Numbers") { tables(of: group, on: &$0) }
        }
      }
    }
    guard groups.count > shown.count else { return }
    page.write(.note("The charts are of the \(shown.count) with the most exposures, of \(groups.count)."))
    page.details("Numbers of all \(groups.count)") { page in
      for group in groups { tables(of: group, on: &page) }
    }
  }

  private func tables(of group: RowGroup, on page: inout Markup) {
    for section in tables(scope.only(group)) where !section.table.isEmpty {
      var table = section.table
      // The caution is beside the chart already.
      table.entries.removeAll { if case .note = $0 { true } else { false } }
      page.table(table, caption: section.title + ", " + RowNames.full(group.all))
    }
  }

  /// The groups with the most exposures, in their own order.
  private var shown: [RowGroup] {
    guard groups.count > Self.most else { return groups }
    let chosen = groups.indices.sorted { groups[$0].all.grants.exposed > groups[$1].all.grants.exposed }
    return chosen.prefix(Self.most).sorted().map { groups[$0] }
  }
}
