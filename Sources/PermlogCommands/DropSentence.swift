// What `report --fail-on-drop` says when a grant rate has dropped.

import Permlog
import ReportRendering

enum DropSentence {
  private static let shown = 4

  /// Which grant rates of the newest complete week dropped significantly, and by how much; nil if none did.
  static func text(_ report: Report) -> String? {
    let drops = report.significantDrops
    guard let week = drops.first?.week else { return nil }
    let parts = drops.prefix(shown).map { row in
      let points = row.trend?.change.map { " by \(fixed(-$0.value * 100, 1)) points" } ?? ""
      return name(row) + points
    }
    let more = drops.count > shown ? " and \(drops.count - shown) more" : ""
    return "in week \(week.text) the grant rate dropped significantly: \(parts.joined(separator: ", "))\(more)"
  }

  private static func name(_ row: ReportRow) -> String {
    guard !row.by.isEmpty else { return row.permission }
    let values = row.by.map { "\($0.property.name) \($0.value ?? "unknown")" }
    return "\(row.permission) (\(values.joined(separator: ", ")))"
  }
}
