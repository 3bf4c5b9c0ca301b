// The metrics beside the primary one.

import PermissionAnalysis

enum OtherMetricsSection {
  static func sections(_ c: Comparison, _ title: String?, _ style: TextStyle) -> [Section] {
    let name = title.map { ": " + $0 } ?? ""
    let others =
      "By which way the difference came about. For one look; p adjusted together (Benjamini–Hochberg). Times are of those who "
      + "answered: a description."
    let observations =
      "Of users whom the message has already chosen: descriptions, not effects, and unadjusted. Enabled later: Kaplan–Meier "
      + "within 28 days, log-rank."
    return [
      Section(
        "", "Other metrics" + name,
        [.words(others), .gap, .table(table(c, c.secondary, style, title: "p (BH)") { $0.adjustedPValue })]),
      Section(
        "", "Observations" + name,
        [.words(observations), .gap, .table(table(c, c.observations, style, title: "p") { $0.pValue })]),
    ]
  }

  private static func table(
    _ c: Comparison, _ rows: [Comparison.Secondary], _ style: TextStyle, title: String,
    _ p: (Comparison.Secondary) -> Double?
  ) -> Table {
    var table = Table("metric", [c.a, c.b].map { ComparisonWords.title($0, style) } + ["difference", title])
    for row in rows {
      table.row(
        row.measure.title,
        [value(row.a, row), value(row.b, row), difference(row), TableCell(ComparisonWords.pValue(p(row)))])
    }
    return table
  }

  private static func value(_ value: Double?, _ row: Comparison.Secondary) -> TableCell {
    guard let value else { return TableCell("–") }
    return TableCell(row.measure.isTime ? NumberText.duration(value) : NumberText.percent(value))
  }

  private static let units: [(name: String, milliseconds: Double)] = [
    ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  private static func difference(_ row: Comparison.Secondary) -> TableCell {
    guard let difference = row.difference else { return TableCell("–") }
    if !row.measure.isTime {
      return TableCell(
        ComparisonWords.points(difference.value), NumberText.signedInterval(difference, scale: 100, 2))
    }
    // Value and interval stand in one unit, that of the longest of them.
    let longest = [difference.value, difference.low ?? 0, difference.high ?? 0].map(abs).max() ?? 0
    let unit = units.last { longest >= $0.milliseconds * 2 } ?? units[0]
    return TableCell(
      NumberText.signed(difference.value / unit.milliseconds, 2) + "\u{A0}" + unit.name,
      NumberText.signedInterval(difference, scale: 1 / unit.milliseconds, 2))
  }
}
