// The rows of a report by permission, and the week that it leads with.

import PermissionAnalysis
import PermissionEvents
import Threads

/// The rows of one permission, or of one property value of it.
struct RowGroup {
  var all: ReportRow
  /// Oldest first; weeks without exposures are missing.
  var weeks: [ReportRow] = []

  func row(in week: CalendarWeek) -> ReportRow? { weeks.first { $0.week == week } }
}

struct ReportScope {
  /// The part of the report in tables and charts.
  let report: Report
  /// The whole report, for sentences.
  let whole: ReportOverview
  /// By permission; the values of the properties by exposures, then bytes.
  let groups: [RowGroup]
  private(set) var leftOut: [RowGroup] = []
  /// Values of a permission that are shown.
  private(set) var mostValues = Int.max
  /// What others published.
  var references: [PublishedRates] = []

  /// - Parameter whole: the report that this is a part of.
  init(_ report: Report, of whole: ReportOverview? = nil) {
    self.report = report
    self.whole = whole ?? ReportOverview(report)
    // A group begins with its all-weeks row. Names cannot separate groups: names are bytes, Strings are not.
    var groups: [RowGroup] = []
    for row in report.rows {
      if row.week == nil {
        groups.append(RowGroup(all: row))
      } else if !groups.isEmpty {
        groups[groups.count - 1].weeks.append(row)
      }
    }
    self.groups = Self.byExposures(groups)
  }

  var names: RowNames { whole.names }
  var leadWeek: CalendarWeek? { whole.leadWeek }

  /// The newest complete week with a row that is entirely in the requested interval.
  static func leadWeek(_ report: Report) -> CalendarWeek? {
    report.rows.weeks.filter { report.isComplete($0) == true && report.isWhole($0) }.max()
  }

  /// Rows of one week: by permission, by exposures.
  static func inOrder(_ rows: [ReportRow]) -> [ReportRow] { byExposures(rows.map { RowGroup(all: $0) }).map(\.all) }

  /// Groups with a row in the week that the report leads with. Without such a week, all groups.
  var leadGroups: [RowGroup] {
    guard let leadWeek else { return groups }
    return groups.filter { $0.row(in: leadWeek) != nil }
  }

  /// The rows of these groups: of that week, else of all weeks.
  var leadRows: [ReportRow] {
    guard let leadWeek else { return allRows }
    return groups.compactMap { $0.row(in: leadWeek) }
  }

  var allRows: [ReportRow] { groups.map(\.all) }

  func only(_ group: RowGroup) -> ReportScope {
    ReportScope(report: report, whole: whole, groups: [group], references: references)
  }

  private init(report: Report, whole: ReportOverview, groups: [RowGroup], references: [PublishedRates]) {
    (self.report, self.whole, self.groups, self.references) = (report, whole, groups, references)
  }

  /// Each permission's values with the most exposures first; permissions stay in their order.
  private static func byExposures(_ groups: [RowGroup]) -> [RowGroup] {
    permissions(groups).flatMap { values in
      values.sorted { a, b in
        // The others together are no value, and come last.
        let others = (a.all.by.isOther, b.all.by.isOther)
        if others.0 != others.1 { return others.1 }
        let (left, right) = (a.all.grants.exposed, b.all.grants.exposed)
        guard left == right else { return left > right }
        return a.all.by.isBefore(b.all.by)
      }
    }
  }

  /// The groups of each permission, which follow one another.
  static func permissions(_ groups: [RowGroup]) -> [ArraySlice<RowGroup>] {
    groups.runs { RowNames.isSame($0.all.permission, $1.all.permission) }
  }

  /// Returns the same report with only the first values of each permission. Missing values and the joined others are kept.
  func limited(to most: Int) -> ReportScope {
    var (shown, leftOut): ([RowGroup], [RowGroup]) = ([], [])
    for part in Self.permissions(groups) {
      var values = 0
      for group in part {
        values += group.all.by.hasValue ? 1 : 0
        if group.all.by.hasValue, values > most { leftOut.append(group) } else { shown.append(group) }
      }
    }
    var scope = ReportScope(report: report, whole: whole, groups: shown, references: references)
    scope.leftOut = leftOut
    scope.mostValues = most
    return scope
  }

  /// How many permissions the report has, if people are shown only those with the most exposures.
  var allPermissions: Int? {
    let shown = Self.permissions(groups).count
    return report.permissions > shown && shown >= Report.mostDrawn ? report.permissions : nil
  }

  /// The sentence about values without their own row: `the 1,000 …`. Nil if all have one.
  var joinedValues: String? {
    guard let properties = propertyWords, let limit = report.valueLimit, let values = report.values, values > limit
    else { return nil }
    let name = (report.properties.count > 1 ? "combinations of " : "of ") + properties
    let largest = limit == 1 ? "the one" : "the \(NumberText.count(limit))"
    return "of the \(NumberText.count(values)) \(name), \(largest) with the most exposures"
  }

  /// The properties that the report is split by, as the title of a column: `country, app_version`; nil without any.
  var properties: String? {
    report.properties.isEmpty ? nil : report.properties.map(\.name).joined(separator: ", ")
  }

  /// The same in a sentence: `country and app_version`.
  var propertyWords: String? { report.properties.isEmpty ? nil : Sentence.list(report.properties.map(\.name)) }

  var isBounded: Bool { report.from != nil || report.to != nil }

  /// Why a week cannot be compared with others: `partial` or `cut`; nil if it is whole.
  func state(_ row: ReportRow) -> String? {
    if row.isComplete == false { return "partial" }
    return row.isComplete == true && row.week.map { !report.isWhole($0) } ?? false ? "cut" : nil
  }

  /// The row of a group in the week that the report leads with, or of all weeks.
  func leadRow(_ group: RowGroup) -> ReportRow { leadWeek.flatMap { group.row(in: $0) } ?? group.all }

  /// The follow-up in words: `day 28`, or the window if it is not of whole days.
  var followUpName: String {
    let days = report.followUp / millisecondsPerDay
    return report.followUp % millisecondsPerDay == 0 ? "day\u{A0}\(days)" : NumberText.window(report.followUp)
  }
}

extension Report {
  /// Whether the whole week is in the requested interval.
  func isWhole(_ week: CalendarWeek) -> Bool {
    from ?? .min <= zone.firstMoment(of: week.firstDay) && to ?? .max >= zone.firstMoment(of: week.firstDay + 7)
  }
}

// MARK: The rows of a report in pieces, made by several threads and written in their order: never are all of many rows in memory

enum RowPieces {
  /// Rows of a piece, and pieces that a thread makes before they are written.
  private static let size = 32
  private static let pieces = 8

  /// - Parameters:
  ///   - make: one piece, on any thread.
  ///   - body: takes the pieces in their order.
  static func forEach<Piece: Sendable>(
    _ rows: ReportRows, threads: Int, make: @escaping @Sendable (ReportRows.Maker, Range<Int>) -> Piece,
    _ body: (Piece) throws -> Void
  ) rethrows {
    let window = max(1, threads) * pieces * size
    for start in stride(from: 0, to: rows.count, by: window) {
      let end = min(rows.count, start + window)
      let ranges = stride(from: start, to: end, by: size).map { $0..<min(end, $0 + size) }
      let made = Mutex([Piece?](repeating: nil, count: ranges.count))
      let tasks = Workers.Tasks(count: ranges.count)
      Workers.run(threads: min(threads, ranges.count)) { _ in
        let maker = ReportRows.Maker(rows)
        while let task = tasks.claim() {
          let piece = make(maker, ranges[task])
          made.withLock { $0[task] = piece }
        }
      }
      for piece in made.withLock({ $0 }) { if let piece { try body(piece) } }
    }
  }
}
