// The sentence that sums up the week that the report leads with.

import PermissionAnalysis
import PermissionEvents

enum Headline {
  static func text(_ scope: ReportScope) -> String {
    ([main(scope)] + [running(scope), silence(scope)].compactMap { $0 }).joined(separator: " ")
  }

  private static func main(_ scope: ReportScope) -> String {
    guard scope.leadWeek != nil else {
      let place = scope.isBounded ? "in the interval asked for" : "yet"
      return "There is no complete week with exposures \(place), so this counts all weeks together, without a trend."
    }
    let trends = scope.leadRows.compactMap { row in row.trend.map { (row, $0) } }
    guard let previous = trends.first?.1.previousWeek else {
      return "There is no complete week just before it to compare with."
    }
    let changed = trends.filter { $0.1.isSignificant }
    guard !changed.isEmpty else {
      return "No grant rate differs significantly from that of \(previous.text)."
    }
    let parts = changed.prefix(4).map { row, trend in
      let change = trend.change?.value ?? 0
      return "\(RowNames.full(row)) \(change < 0 ? "down" : "up") \(fixed(abs(change) * 100, 1))\u{A0}points"
    }
    let more = changed.count > 4 ? " and \(changed.count - 4) more" : ""
    return "Significant against \(previous.text): " + parts.joined(separator: "; ") + more + "."
  }

  private static func running(_ scope: ReportScope) -> String? {
    guard let week = scope.runningWeek else { return nil }
    return "\(week.text) is still running (partial): see the weeks below."
  }

  /// Says so where the newest complete week with exposures is not the newest complete week.
  private static func silence(_ scope: ReportScope) -> String? {
    guard let lead = scope.leadWeek, let asOf = scope.report.asOf, scope.report.to == nil else { return nil }
    let running = ISOWeek(day: scope.report.zone.lastBegunDay(at: asOf))
    let silent = running.index - lead.index - 1
    guard silent > 0 else { return nil }
    return silent == 1
      ? "The complete week since then has no exposures." : "The \(silent) complete weeks since then have no exposures."
  }
}
