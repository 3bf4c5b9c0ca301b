// On which days how many exposures were with which version of the app.

import Folding
import PermissionEvents

/// Exposures by version and calendar day. A log may bring any number of versions: from some on none is counted, whatever the
/// order in which sums are added.
struct VersionSums: Sendable, Equatable {
  private(set) var exposures: [[UInt8]: [DayNumber: Int64]] = [:]
  private(set) var areTooMany = false
  private var cells = 0

  /// Versions and days that are kept; an app of a hundred versions over some years has a third of them.
  static let mostCells = 1 << 17

  mutating func giveUp() {
    areTooMany = true
    exposures = [:]
    cells = 0
  }

  /// Adds counts of one walk, which cannot overflow.
  mutating func add(_ count: Int64, _ version: [UInt8], on day: DayNumber) {
    guard !areTooMany, count > 0 else { return }
    if exposures[version]?[day] == nil { cells += 1 }
    exposures[version, default: [:]][day, default: 0] += count
    if cells > Self.mostCells { giveUp() }
  }

  mutating func add(_ other: VersionSums) throws(SumsError) {
    if other.areTooMany { giveUp() }
    for (version, days) in other.exposures {
      for (day, count) in days where !areTooMany {
        _ = try CheckedSum.add(exposures[version]?[day] ?? 0, count)
        add(count, version, on: day)
      }
    }
  }
}

extension VersionSums {
  private static let empty = SumTable("versions", keys: ["app_version", "day"], columns: ["exposures"])

  /// Too many versions are one row without a name.
  var table: SumTable {
    var table = Self.empty
    if areTooMany { table.setRow([nil, nil], SumTable.Row([1])) }
    for (version, days) in exposures {
      for (day, count) in days { table.setRow([version, Array(CivilDate(day).text.utf8)], SumTable.Row([count])) }
    }
    return table
  }

  init(_ tables: [SumTable]) throws(SumsError) {
    let rows = try tables.table(like: Self.empty).rows
    if let none = rows[[nil, nil]] {
      guard rows.count == 1, none[0] == 1 else {
        throw SumsError(.damaged, "table versions says that there are too many, and has some")
      }
      areTooMany = true
      return
    }
    guard rows.count <= Self.mostCells else { throw SumsError(.damaged, "table versions has too many rows") }
    for (key, row) in rows {
      guard let text = key[1], let date = CivilDate(parsing: String(decoding: text, as: UTF8.self)) else {
        throw SumsError(.damaged, "table versions has a key without a date")
      }
      add(try SumKeys.journeys(row[0]), try SumKeys.present(key[0]), on: date.dayNumber)
    }
  }
}
