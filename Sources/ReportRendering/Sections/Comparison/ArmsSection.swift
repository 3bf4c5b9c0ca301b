// The messages and their users.

import PermissionAnalysis

enum ArmsSection {
  static func section(_ set: ComparisonSet, _ style: TextStyle) -> Section {
    let cells = FigureCells(style: style)
    let isPlain = set.pairs.first?.metric == .grantRate
    let hasBest = set.pairs.count > 1
    var titles = ["exposed", "pending", "restr.", "base", "granted", "denied", "skipped", "left"]
    if !isPlain { titles += ["trials"] }
    titles.append(isPlain ? "grant rate" : "rate")
    if hasBest { titles.append("P(best)") }
    var table = Table("message", titles)
    for (place, arm) in set.arms.enumerated() {
      let counts = arm.counts
      var row = [
        counts.exposed, counts.pending, counts.restricted, counts.base, counts[.granted], counts[.denied],
        counts[.skipped], counts[.droppedOff],
      ].map { cells.count($0) }
      if !isPlain { row.append(cells.count(arm.trials)) }
      row.append(cells.rate(arm.rate))
      if hasBest { row.append(set.probabilityBest.map { TableCell(fixed($0[place], 3)) } ?? cells.unknown) }
      table.row(arm.variant, row)
    }
    return Section("", "Messages", heading: .onPages, [.gap, .table(table)])
  }
}
