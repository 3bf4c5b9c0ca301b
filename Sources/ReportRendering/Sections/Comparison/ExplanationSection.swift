// Where each number comes from.

import PermissionAnalysis

enum ExplanationSection {
  private static let label = 11

  static func section(_ set: ComparisonSet, _ style: TextStyle) -> Section {
    var blocks: [Block] = []
    for (place, entry) in ComparisonExplanation.entries(set, style.hints).enumerated() {
      if place > 0 { blocks.append(.gap) }
      blocks.append(.strong("\(entry.figure): \(entry.value)"))
      blocks.append(
        .facts(
          [
            ("  method", entry.method), ("  formula", entry.formula), ("  source", entry.source),
            ("  limits", entry.limits),
          ], width: label))
    }
    return Section("", "Where each number comes from", blocks)
  }
}
