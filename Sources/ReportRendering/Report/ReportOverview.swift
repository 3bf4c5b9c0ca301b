// What sentences say is of the whole report, however little of it the tables and charts show.

import PermissionAnalysis
import PermissionEvents

/// The counts of all rows that are of the week that a report leads with, or of all weeks.
struct ReportOverview {
  let report: Report
  /// The newest complete week with a row that lies wholly in the interval asked for; nil if there is none.
  let leadWeek: ISOWeek?
  /// The week that has begun and is not over; nil if the report has no rows of it.
  let runningWeek: ISOWeek?
  let firstWeek: ISOWeek?
  /// By permission, the values with the most exposures first.
  let allRows: [RowCounts]
  /// Of the week that the report leads with, in the same order; `allRows` if there is none.
  let leadRows: [RowCounts]
  /// Exposures of the running week.
  let exposedWhileRunning: Int
  /// Permissions that nobody was asked for in the week that the report leads with.
  let notAsked: [String]

  init(_ report: Report) {
    self.report = report
    let weeks = report.rows.weeks
    let (lead, running) = (ReportScope.leadWeek(report), weeks.filter { report.isComplete($0) == false }.min())
    (leadWeek, runningWeek, firstWeek) = (lead, running, weeks.min())
    var permission = -1
    var all: [Place] = []
    var leading: [Place] = []
    var exposed = 0
    for number in report.rows.indices {
      guard let week = report.rows.week(number) else {
        if all.last.map({ !report.rows.isSamePermission($0.counts.number, number) }) ?? true { permission += 1 }
        let counts = report.rows.counts(number)
        all.append(
          Place(
            permission: permission, isOther: report.rows.isOther(number), exposed: counts.exposed, counts: counts))
        continue
      }
      if week == running { exposed += report.rows.counts(number).exposed }
      if week == lead, var place = all.last {
        place.counts = report.rows.counts(number)
        leading.append(place)
      }
    }
    exposedWhileRunning = exposed
    allRows = Self.inOrder(all)
    leadRows = lead == nil ? allRows : Self.inOrder(leading)
    let asked = Set(leading.map(\.permission))
    var names: [String] = []
    var named = -1
    for place in all where place.permission > named {
      named = place.permission
      if lead != nil, !asked.contains(named) { names.append(report.rows.permission(place.counts.number)) }
    }
    notAsked = names
  }

  /// Where a row is in the order of the report.
  private struct Place {
    var permission: Int
    var isOther: Bool
    /// Over all weeks.
    var exposed: Int
    var counts: RowCounts
  }

  private static func inOrder(_ places: [Place]) -> [RowCounts] {
    places.sorted { a, b in
      if a.permission != b.permission { return a.permission < b.permission }
      // The others together are no value, and come last.
      if a.isOther != b.isOther { return b.isOther }
      return (b.exposed, a.counts.number) < (a.exposed, b.counts.number)
    }.map(\.counts)
  }

  // MARK: What is said

  var exposed: Int { allRows.reduce(0) { $0 + $1.exposed } }

  /// True if any journey has an outcome that counts.
  var hasBase: Bool { allRows.contains { $0.base > 0 } }

  func isUnknown(_ evidence: Evidence) -> Bool { allRows.contains { isUnknown(evidence, of: $0) } }

  func isUnknown(_ evidence: Evidence, of row: RowCounts) -> Bool {
    report.rows.missing(row.number).contains(evidence)
  }

  /// The week that the trends of the lead week are against; nil if no row has one.
  var previousWeek: ISOWeek? {
    leadWeek == nil ? nil : leadRows.lazy.compactMap { report.rows.trend($0.number)?.previousWeek }.first
  }

  /// Rows of the lead week whose grant rate has changed significantly, the surest first.
  var changed: [RowCounts] {
    guard leadWeek != nil else { return [] }
    return leadRows.compactMap { row in
      report.rows.trend(row.number)?.adjustedPValue.flatMap { p in Trend.isSignificant(p) ? (row: row, p: p) : nil }
    }.sorted { $0.p < $1.p }.map(\.row)
  }

  func permission(_ row: RowCounts) -> String { report.rows.permission(row.number) }

  /// Permission and value alone: `notifications A`.
  func shortName(_ row: RowCounts) -> String {
    RowNames.short(permission(row), report.rows.values(row.number))
  }
}
