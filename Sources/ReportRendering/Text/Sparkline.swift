// Grant rates of the last complete weeks, a line of small bars for each permission.

import PermissionAnalysis
import PermissionEvents

enum Sparkline {
  private static let bars = Array("▁▂▃▄▅▆▇█")
  /// Without bars: the height as a digit from 1 to 8.
  private static let digits = Array("12345678")
  /// The scale spans at least 20 percentage points, so that noise does not look like a mountain range.
  private static let leastSpan = 0.2

  /// - Parameter shares: one a week, oldest first; nil is a gap.
  static func draw(_ shares: [Double?], isASCII: Bool) -> String {
    guard let scale = scale(shares) else { return "" }
    let levels = isASCII ? digits : bars
    return String(
      shares.map { share in
        guard let share else { return isASCII ? "." : "·" }
        let level = Int((share - scale.bottom) / scale.span * Double(levels.count))
        return levels[min(levels.count - 1, max(0, level))]
      })
  }

  /// The scale of a line, within 0 and 1; nil if no share is known.
  static func scale(_ shares: [Double?]) -> (bottom: Double, span: Double)? {
    let known = shares.compactMap { $0 }
    guard let low = known.min(), let high = known.max() else { return nil }
    let span = max(leastSpan, high - low)
    return (max(0, min((low + high - span) / 2, 1 - span)), span)
  }
}

/// The lines of the groups that a report leads with.
struct Sparklines {
  /// The last complete weeks up to the one that the report leads with, gaps included; none if fewer than two have rows, as
  /// one point is no line.
  let weeks: [ISOWeek]
  /// A line for each of `leadRows`: grant rates, nil for a gap; that of the others together is empty.
  let lines: [[Double?]]
  /// The same without shares of a few users.
  let drawn: [[Double?]]

  init(_ scope: ReportScope, last most: Int64 = 12) {
    var weeks: [ISOWeek] = []
    if let lead = scope.leadWeek {
      let known = scope.groups.flatMap(\.weeks).compactMap(\.week).filter { $0 <= lead && scope.isWhole($0) }
      if let first = known.min(), first < lead {
        weeks = (max(first.index, lead.index - most + 1)...lead.index).map { ISOWeek(index: $0) }
      }
    }
    self.weeks = weeks
    func shares(leastBase: Int) -> [[Double?]] {
      scope.leadGroups.map { group in
        // The others together are no value, and in no chart.
        if group.all.by.isOther { return weeks.map { _ in nil } }
        return weeks.map { week in
          group.row(in: week).flatMap { $0.grants.base < leastBase ? nil : $0.grants.grantRate?.value }
        }
      }
    }
    lines = shares(leastBase: 0)
    drawn = shares(leastBase: Drawable.leastBase)
  }

  var title: String { "last \(weeks.count) weeks" }

  /// The lines as a table for narrow pages; nil if there is nothing to draw.
  func table(_ scope: ReportScope, _ style: TextStyle) -> Table? {
    guard let first = weeks.first, let last = weeks.last else { return nil }
    func percent(_ share: Double?) -> TableCell { TableCell(share.map { NumberText.percent($0) } ?? style.unknown) }
    var table = Table(
      scope, scope.leadRows,
      [
        TableColumn(title: "\(first.text) to \(last.text)") { _, i in
          TableCell(Sparkline.draw(lines[i], isASCII: style.isASCII))
        },
        TableColumn(title: "lowest") { _, i in percent(lines[i].compactMap { $0 }.min()) },
        TableColumn(title: "highest") { _, i in percent(lines[i].compactMap { $0 }.max()) },
      ], where: { !$0.by.isOther })
    table.nameTitle = "grant rate by week"
    return table
  }
}
