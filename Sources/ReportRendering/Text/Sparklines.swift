// Grant rates of the last complete weeks, a small line for each permission.

import PermissionAnalysis
import PermissionEvents

enum Sparklines {
  /// The last complete weeks up to the one that the report leads with, gaps included; none where fewer than two
  /// have rows, as one point is no line.
  static func weeks(_ scope: ReportScope, last most: Int64) -> [ISOWeek] {
    guard let lead = scope.leadWeek else { return [] }
    let known = scope.groups.flatMap(\.weeks).compactMap(\.week).filter { $0 <= lead && scope.isWhole($0) }
    guard let first = known.min(), first < lead else { return [] }
    return (max(first.index, lead.index - most + 1)...lead.index).map { ISOWeek(index: $0) }
  }

  static func shares(_ group: RowGroup, _ weeks: [ISOWeek]) -> [Double?] {
    weeks.map { group.row(in: $0)?.grants.grantRate?.value }
  }

  static func line(_ group: RowGroup, _ weeks: [ISOWeek], _ style: TextStyle) -> String {
    Sparkline.draw(shares(group, weeks), isASCII: style.isASCII)
  }

  /// A drawn column of them; nil if there is nothing to draw.
  static func cells(_ scope: ReportScope) -> Block.MoreCells? {
    let weeks = weeks(scope, last: 12)
    guard !weeks.isEmpty else { return nil }
    let groups = scope.leadGroups
    return Block.MoreCells(titles: ["last \(weeks.count) weeks"]) { page, number in
      page.element("td") { page in
        if number < groups.count { SparklineDrawing.draw(shares(groups[number], weeks), on: &page) }
      }
    }
  }

  /// The block of lines for narrow pages; nil where there is nothing to draw.
  static func table(_ scope: ReportScope, _ style: TextStyle) -> Table? {
    let weeks = weeks(scope, last: 12)
    guard let first = weeks.first, let last = weeks.last else { return nil }
    var table = Table("grant rate by week", ["\(first.text) to \(last.text)", "lowest", "highest"])
    let cells = FigureCells(style: style)
    var groups = scope.leadGroups.makeIterator()
    table.add(scope.leadRows) { _ in
      guard let group = groups.next() else { return nil }
      let known = shares(group, weeks).compactMap { $0 }
      return [
        TableCell(line(group, weeks, style)),
        known.min().map { TableCell(NumberText.percent($0)) } ?? cells.unknown,
        known.max().map { TableCell(NumberText.percent($0)) } ?? cells.unknown,
      ]
    }
    return table
  }
}
