// On which days how much came from where: events of each kind or platform, exposures with each version of the app.

import Folding
import PermissionEvents

/// Counts by name and calendar day. A log may bring any number of names: from some on none is counted, whatever the order in
/// which sums are added.
struct DaySums: Sendable, Equatable {
  /// Names and days that are kept.
  let most: Int
  private(set) var counts: [[UInt8]: [DayNumber: Int64]] = [:]
  private(set) var areTooMany = false
  private var cells = 0

  init(most: Int) { self.most = most }

  mutating func giveUp() {
    areTooMany = true
    counts = [:]
    cells = 0
  }

  /// Adds a count; sums that come from a file may be too large.
  mutating func add(_ count: Int64, _ name: [UInt8], on day: DayNumber) throws(SumsError) {
    guard !areTooMany, count > 0 else { return }
    let before = counts[name]?[day]
    let sum = try CheckedSum.add(before ?? 0, count)
    if before == nil { cells += 1 }
    guard cells <= most else { return giveUp() }
    counts[name, default: [:]][day] = sum
  }

  mutating func add(_ other: DaySums) throws(SumsError) {
    if other.areTooMany { giveUp() }
    for (name, days) in other.counts {
      for (day, count) in days { try add(count, name, on: day) }
    }
  }

  /// Counts of all names by day.
  var all: [DayNumber: Int64] {
    counts.values.reduce(into: [:]) { all, days in
      for (day, count) in days { all[day] = CheckedSum.bounded(all[day] ?? 0, count) }
    }
  }
}

extension DaySums {
  /// - Parameters:
  ///   - key: what a name is, like `platform`.
  ///   - column: what is counted.
  static func emptyTable(_ name: String, key: String, column: String) -> SumTable {
    SumTable(name, keys: [key, "day"], columns: [column])
  }

  /// Too many names are one row without a name.
  func table(_ empty: SumTable) -> SumTable {
    if areTooMany { return empty.filled([(key: [nil, nil], row: SumTable.Row([1]))]) }
    return empty.filled(
      counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { name, days in
        days.sorted { $0.key < $1.key }.map { (key: [name, CivilDate($0).bytes], row: SumTable.Row([$1])) }
      })
  }

  init(_ tables: [SumTable], like empty: SumTable, most: Int) throws(SumsError) {
    self.init(most: most)
    let rows = try tables.table(like: empty).orderedRows
    // A row without a name is the first.
    if let none = rows.first, none.key == [nil, nil] {
      guard rows.count == 1, none.row[0] == 1 else {
        throw SumsError(.damaged, "table \(empty.name) says that there are too many, and has some")
      }
      areTooMany = true
      return
    }
    guard rows.count <= most else { throw SumsError(.damaged, "table \(empty.name) has too many rows") }
    for (key, row) in rows {
      guard let text = key[1], let date = CivilDate(parsing: text) else {
        throw SumsError(.damaged, "table \(empty.name) has a key without a date")
      }
      try add(try SumKeys.journeys(row[0]), try SumKeys.present(key[0]), on: date.dayNumber)
    }
  }
}

extension CheckedSum {
  /// A sum of counts that stays at the limit.
  static func bounded(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, isOver) = a.addingReportingOverflow(b)
    return isOver ? limit : min(sum, limit)
  }
}
