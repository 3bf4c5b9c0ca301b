// Small multiples: a chart for each permission, or property value of one, its table below it.

import PermissionAnalysis

struct Panels {
  /// Charts of a section, and of one permission in a breakdown; the rest is in the tables.
  static let most = 24
  static let mostValues = 12

  /// What is drawn, in the order of the report.
  let shown: [RowGroup]
  private let scope: ReportScope
  private let groups: [RowGroup]
  /// Why some are not drawn, with their names.
  private let leftOut: [String]
  private let tables: (ReportScope) -> [ReportSection]

  /// - Parameters:
  ///   - why: some groups are not drawn, and only named.
  ///   - canDraw: false for these.
  ///   - tables: the sections whose tables hold what the chart shows, of a report of one group.
  init(
    _ scope: ReportScope, _ groups: [RowGroup],
    unless why: String = "Fewer than \(Drawable.leastBase) users are too few to draw",
    where canDraw: (RowGroup) -> Bool, tables: @escaping (ReportScope) -> [ReportSection]
  ) {
    // The others together are no value: the tables have them.
    let drawable = groups.filter { canDraw($0) && !$0.all.by.isOther }
    let few = groups.filter { !canDraw($0) && !$0.all.by.isOther }
    let chosen = Self.chosen(drawable)
    (self.scope, self.groups, self.shown, self.tables) = (scope, groups, chosen, tables)
    var leftOut: [String] = []
    if !few.isEmpty {
      let names = few.prefix(6).map { RowNames.full($0.all) }.joined(separator: "; ")
      let more = few.count > 6 ? "; and \(few.count - 6) more" : ""
      leftOut.append("\(why): \(names)\(more).")
    }
    if drawable.count > chosen.count {
      leftOut.append("The charts are of the \(chosen.count) with the most exposures, of \(drawable.count).")
    }
    if groups.contains(where: { $0.all.by.isOther }) {
      leftOut.append(
        "The other values together, “\(RowNames.other)”, are in no chart: their numbers are in the tables.")
    }
    self.leftOut = leftOut
  }

  /// - Parameter empty: said if there are no groups.
  func write(empty: String, on page: inout Markup, chart: (inout Markup, RowGroup) -> Void) {
    guard !groups.isEmpty else { return page.element("p", text: empty) }
    if !shown.isEmpty {
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
    }
    guard !leftOut.isEmpty else { return }
    for words in leftOut { page.write(.note(words)) }
    guard !shown.isEmpty else {
      let others = groups.dropFirst(Self.most).filter { $0.all.by.isOther }
      for group in groups.prefix(Self.most) + others { tables(of: group, on: &page) }
      return
    }
    page.details("Numbers of all \(groups.count)") { page in
      for group in groups { tables(of: group, on: &page) }
    }
  }

  private func tables(of group: RowGroup, on page: inout Markup) {
    for section in tables(scope.only(group)) where !section.table.isEmpty {
      var table = section.table
      // The caution is beside the chart already.
      table.entries.removeAll { entry in
        switch entry {
        case .note, .caution: true
        case .heading, .row: false
        }
      }
      page.table(table, caption: section.title + ", " + RowNames.full(group.all))
    }
  }

  /// The groups with the most exposures: no more than some values of one permission, and some in all.
  private static func chosen(_ groups: [RowGroup]) -> [RowGroup] {
    var values = 0
    var places: [Int] = []
    let byExposures = groups.indices.sorted { a, b in
      let (first, second) = (groups[a].all, groups[b].all)
      guard RowNames.isSame(first.permission, second.permission) else { return a < b }
      return (second.grants.exposed, a) < (first.grants.exposed, b)
    }
    // Groups of one permission follow one another.
    var permission: String?
    for place in byExposures {
      let row = groups[place].all
      if permission.map({ !RowNames.isSame($0, row.permission) }) ?? true { values = 0 }
      permission = row.permission
      values += 1
      if row.by.isEmpty || values <= mostValues { places.append(place) }
    }
    guard places.count > most else { return places.map { groups[$0] } }
    let largest = places.sorted { groups[$0].all.grants.exposed > groups[$1].all.grants.exposed }.prefix(most)
    return places.filter(largest.contains).map { groups[$0] }
  }
}
