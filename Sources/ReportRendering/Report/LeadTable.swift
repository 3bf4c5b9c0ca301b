// The table that a report leads with: a row for each permission, with as many columns as the width has room for.

import PermissionAnalysis

struct LeadTable {
  let scope: ReportScope
  let style: TextStyle
  /// The rows shown, each with the place of its line among the sparklines.
  let rows: [(row: ReportRow, line: Int)]
  /// To be a column of its own.
  let sparklines: Sparklines?
  /// Columns go before names are cut to less.
  var leastName = usualName
  /// The table of some columns.
  let make: ([TableColumn<(row: ReportRow, line: Int)>]) -> Table

  /// The longest name of the taxonomy.
  static let usualName = 20

  /// How much of the table is shown: what can be missed goes first.
  private enum Size: CaseIterable {
    case all, withoutLines, withoutTime, withoutWays, withoutIntervals
  }

  /// The table with the most columns that fit side by side.
  var fitting: Table {
    for size in Size.allCases where size == .all || sparklines != nil || size != .withoutLines {
      let table = make(columns(size))
      if size == .withoutIntervals || TableLayout.fits(table, style, leastName: leastName) { return table }
    }
    return whole
  }

  /// With all columns: for forms without a width.
  var whole: Table { make(columns(.all)) }

  private func columns(_ size: Size) -> [TableColumn<(row: ReportRow, line: Int)>] {
    let cells = FigureCells(style: style)
    let place = Size.allCases.firstIndex(of: size) ?? 0
    func shows(_ first: Size) -> Bool { place < Size.allCases.firstIndex(of: first) ?? 0 }
    func column(_ title: String, _ cell: @escaping (ReportRow) -> TableCell) -> TableColumn<(row: ReportRow, line: Int)>
    {
      TableColumn(title) { cell($0.row) }
    }
    func way(_ title: String, _ estimate: KeyPath<GrantFigures, Estimate?>) -> TableColumn<(row: ReportRow, line: Int)>
    {
      column(title) { row in
        let estimate = row.grants[keyPath: estimate]
        guard let estimate, !style.isWide else { return cells.share(estimate) }
        return TableCell(fixed(estimate.value * 100, 1))
      }
    }
    var columns = [
      column("exposed") { cells.count($0.grants.exposed) },
      column("grant rate") {
        shows(.withoutIntervals) ? cells.rate($0.grants.grantRate) : cells.share($0.grants.grantRate)
      },
    ]
    if scope.leadWeek != nil { columns.append(column("change") { cells.change($0.trend) }) }
    if shows(.withoutWays) {
      columns += [way("skip", \.skipRate), way("deny", \.denyRate), way("no answer", \.dropOffRate)]
    }
    if shows(.withoutTime) { columns.append(column("median") { cells.time($0.times.toAnswer.p50) }) }
    if let sparklines, shows(.withoutLines) {
      columns.append(
        TableColumn(sparklines.title) { TableCell(Sparkline.draw(sparklines.lines[$0.line], isASCII: style.isASCII)) })
    }
    return columns
  }
}

extension TableLayout {
  /// True if all columns of a table have room side by side without cutting names to less.
  static func fits(_ table: Table, _ style: TextStyle, leastName: Int) -> Bool {
    var layout = TableLayout(table.legible(style))
    let name = min(layout.name, leastName)
    layout.fit(style.width)
    return layout.total <= style.width && layout.name >= name
  }
}
