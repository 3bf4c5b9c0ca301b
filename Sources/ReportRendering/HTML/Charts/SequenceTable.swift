// The days of a comparison in numbers, below their chart.

import PermissionAnalysis
import PermissionEvents

extension SequenceChart {
  /// All days, for those who want the numbers.
  static func table(_ c: Comparison) -> Table {
    var table = Table(
      "day",
      [
        "users \(ChartName.short(c.a.variant))", "users \(ChartName.short(c.b.variant))", "difference so far",
        "interval of the rule", "z", "bound", "always valid",
      ])
    var (a, b) = (0, 0)
    for point in c.series {
      a += point.a.trials
      b += point.b.trials
      table.row(
        CivilDate(point.day).text + (point.day == c.decidedOn ? (c.isOfMessages ? ", decided" : ", found") : ""),
        [
          NumberText.count(a), NumberText.count(b), ComparisonWords.points(point.difference),
          point.look.map { ComparisonWords.range($0.estimate) } ?? "–",
          point.look?.z.map { NumberText.signed($0, 2) } ?? "–", point.look.map { bound($0) } ?? "–",
          point.interval.map { ComparisonWords.range($0.low, $0.high) } ?? "–",
        ].map { TableCell($0) })
    }
    return table
  }

  private static func bound(_ look: Comparison.Look) -> String {
    switch look.boundary {
    case .score(let bound): fixed(bound, 2)
    case .events(let lower, let upper): "\(look.b.successes): \(ComparisonNumbers.events(lower, upper))"
    case .interval: "–"
    }
  }
}
