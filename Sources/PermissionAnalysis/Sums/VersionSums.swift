// On which days how many exposures were with which version of the app.

import Folding
import PermissionEvents

/// Exposures by version and calendar day.
struct VersionSums: Sendable, Equatable {
  private var days = DaySums(most: mostCells)

  /// Versions and days that are kept; an app of a hundred versions over some years has a third of them.
  static let mostCells = 1 << 17

  init() {}

  var exposures: [[UInt8]: [DayNumber: Int64]] { days.counts }
  var areTooMany: Bool { days.areTooMany }

  /// Adds counts of one walk.
  mutating func add(_ cells: borrowing DayCells, names: [[UInt8]]) { cells.add(to: &days, names: names) }

  mutating func add(_ other: VersionSums) throws(SumsError) { try days.add(other.days) }

  mutating func add(_ count: Int64, _ version: [UInt8], on day: DayNumber) throws(SumsError) {
    try days.add(count, version, on: day)
  }

  private static let empty = DaySums.emptyTable("versions", key: "app_version", column: "exposures")

  var table: SumTable { days.table(Self.empty) }

  init(_ tables: [SumTable]) throws(SumsError) {
    days = try DaySums(tables, like: Self.empty, most: Self.mostCells)
  }
}
