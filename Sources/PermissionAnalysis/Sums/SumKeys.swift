// Keys and counts of tables of sums, checked: a table may come from a file that anybody wrote.

import Folding
import PermissionEvents

enum SumKeys {
  /// More journeys than there will be: figures made of counts up to this do not overflow.
  static let mostUsers: Int64 = 1 << 40

  /// Adds a row's counts to those of the same key, column by column.
  static func add(_ counts: [Int64], to sums: inout [Int64]?) throws(SumsError) {
    guard var known = sums else {
      sums = counts
      return
    }
    for i in known.indices { known[i] = try CheckedSum.add(known[i], counts[i]) }
    sums = known
  }

  /// A count that a figure is made of.
  static func count(_ value: Int64) throws(SumsError) -> Int64 {
    guard value >= 0 else { throw SumsError(.damaged, "a count is below 0") }
    return value
  }

  /// A count of journeys.
  static func journeys(_ value: Int64) throws(SumsError) -> Int64 {
    guard try count(value) <= mostUsers else { throw SumsError(.damaged, "a count of journeys is above 2^40") }
    return value
  }

  /// The counts of a row, those that are 0 included.
  static func counts(_ row: SumTable.Row, _ columns: Int) throws(SumsError) -> [Int64] {
    var counts = [Int64](repeating: 0, count: columns)
    for (column, value) in zip(row.columns, row.values) { counts[column] = try count(value) }
    return counts
  }

  static func present(_ part: [UInt8]?) throws(SumsError) -> [UInt8] {
    guard let part, !part.isEmpty, part.count <= StringField.maximumLength else {
      throw SumsError(.damaged, "a key has no name, or too long a one")
    }
    return part
  }

  /// An ISO week as it is written, like `2026-W14`.
  static func week(_ index: Int64) -> [UInt8] { ISOWeek(index: index).bytes }

  static func week(_ part: [UInt8]?) throws(SumsError) -> Int64 {
    guard let part, let week = ISOWeek(parsing: part) else {
      throw SumsError(.damaged, "a key has no ISO week")
    }
    return week.index
  }
}

/// Names in the order in which they come, and their places. The first is that of none.
struct NameList {
  private(set) var names: [[UInt8]] = [[]]
  private var places: [[UInt8]: UInt32] = [[]: 0]

  mutating func place(of name: [UInt8]) -> UInt32 {
    if let place = places[name] { return place }
    let place = UInt32(truncatingIfNeeded: names.count)
    places[name] = place
    names.append(name)
    return place
  }
}
