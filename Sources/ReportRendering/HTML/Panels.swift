// Small multiples: a chart for each permission, or property value of one, its table below it.

import PermissionAnalysis

struct Panels {
  private let scope: ReportScope
  private let groups: [RowGroup]
  private let tables: (ReportScope) -> [ReportSection]

  /// - Parameter tables: the sections whose tables hold what the chart shows, of a report of one group.
  init(_ scope: ReportScope, _ groups: [RowGroup], tables: @escaping (ReportScope) -> [ReportSection]) {
    (self.scope, self.groups, self.tables) = (scope, groups, tables)
  }

  /// - Parameter section: of all groups: what is said where there are none, and their cautions.
  func write(_ section: ReportSection, on page: inout Markup, chart: (inout Markup, RowGroup) -> Void) {
    guard !groups.isEmpty else { return page.element("p", text: section.empty) }
    page.element("div", ["class": "panels"]) { page in
      for group in shown {
        page.newLine()
        page.element("figure") { page in
          page.element("h3") { $0.name(RowNames.full(group.all)) }
          chart(&page, group)
          if let caution = RowNames.caution(group.all.permission) { page.cautions([caution]) }
          page.details("Numbers") { page in
            for section in tables(scope.only(group)) where !section.table.isEmpty {
              page.table(section.table.withoutNotes, caption: section.title + ", " + RowNames.full(group.all))
            }
          }
        }
      }
    }
    guard groups.count > shown.count else { return }
    let words = "Drawn are the \(shown.count) with the most exposures of \(groups.count)."
    page.element("p", ["class": "note"], text: words)
    page.details("Numbers of all \(groups.count)") { page in
      for group in groups {
        for section in tables(scope.only(group)) where !section.table.isEmpty {
          page.table(section.table.withoutNotes, caption: section.title + ", " + RowNames.full(group.all))
        }
      }
    }
  }

  /// The groups with the most exposures, in their own order.
  private var shown: [RowGroup] {
    guard groups.count > ReportHTML.mostPanels else { return groups }
    let chosen = groups.indices.sorted { groups[$0].all.grants.exposed > groups[$1].all.grants.exposed }
    return chosen.prefix(ReportHTML.mostPanels).sorted().map { groups[$0] }
  }
}

extension Table {
  /// The caution stands beside the chart already.
  fileprivate var withoutNotes: Table {
    var table = self
    table.entries.removeAll {
      if case .note = $0 { true } else { false }
    }
    return table
  }
}
