// Whether the values of the property that a report is split by differ in their grant rates.

import PermissionAnalysis

extension ReportSection {
  static func values(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let others = scope.joinedValues == nil ? "" : "The others together are no value and are left out. "
    let words =
      "Could the grant rates of the values be one and the same? Pearson's chi-square over the values with a base of "
      + "\(ValueTest.leastBase) or more; a small p speaks against it. " + others
      + "Not corrected for the number of permissions. An "
      + "observation, not an effect, unless chance decided who got which value."
    let columns: [TableColumn<ValueTest>] = [
      TableColumn("values") { cells.count($0.values) }, TableColumn("tested") { cells.count($0.tested) },
      TableColumn("chi-square") { cells.number($0.result?.statistic) },
      TableColumn("df") { test in test.result.map { cells.count($0.degreesOfFreedom) } ?? cells.unknown },
      TableColumn("p") { test in test.result.map { TableCell(ComparisonWords.pValue($0.pValue)) } ?? cells.unknown },
      TableColumn("differ?") { test in
        test.result.map { TableCell($0.pValue < 0.05 ? "yes" : "not shown") } ?? cells.unknown
      },
    ]
    let table = Table("permission", scope.report.valueTests, columns) { RowNames.permission($0.permission) }
    let name = scope.propertyWords.map { " of " + $0 } ?? ""
    return ReportSection(
      .values, "Values\(name), \(scope.allName)", words, table, empty: "The report is not split by a property.")
  }
}
