// What a comparison knew at the end of each day: journeys by the day that settles them.

import Folding
import PermissionEvents

/// Journeys of the base by stratum, by arm and by day. What was counted at the end of a day is the sum of all days up to it, at
/// whatever later moment the log is looked at.
struct SettledSums: Sendable {
  struct Stratum: Hashable, Sendable {
    /// By `ComparisonQuestion.adjustable`; nil for those that the exposure has not, and those not adjusted for.
    var values: [[UInt8]?]

    /// The one stratum of a comparison that is not adjusted.
    static let whole = Stratum(values: ComparisonQuestion.adjustable.map { _ in nil })
  }

  struct Cell: Hashable, Sendable {
    var day: DayNumber
    /// `SettledPlace.number`.
    var place: Int
  }

  private(set) var strata: [Stratum: [Cell: SettledCounts]] = [:]
  /// There were more strata than can be adjusted for. They are one then, so that memory stays within bounds.
  private(set) var hasTooManyStrata = false

  /// What one walk counted, in strata that are within bounds.
  init(_ table: borrowing SettledTable, _ codes: borrowing StratumCodes, values: (Int) -> Stratum) {
    hasTooManyStrata = codes.areTooMany
    var byNumber: [[Cell: SettledCounts]] = []
    for (slot, key) in table.keys.enumerated() {
      let number = hasTooManyStrata ? 0 : key.stratum
      while byNumber.count <= number { byNumber.append([:]) }
      byNumber[number][Cell(day: key.day, place: key.place), default: SettledCounts()] += table.counts(slot: slot)
    }
    for (number, cells) in byNumber.enumerated() { strata[values(number)] = cells }
  }

  init() {}

  mutating func add(_ other: SettledSums) throws(SumsError) {
    for (stratum, cells) in other.strata { try Self.add(cells, to: &strata[stratum, default: [:]]) }
    hasTooManyStrata = hasTooManyStrata || other.hasTooManyStrata || strata.count > AdjustmentError.mostStrata
    guard hasTooManyStrata else { return }
    var all: [Cell: SettledCounts] = [:]
    for cells in strata.values { try Self.add(cells, to: &all) }
    strata = [.whole: all]
  }

  private static func add(_ cells: [Cell: SettledCounts], to sums: inout [Cell: SettledCounts]) throws(SumsError) {
    for (cell, counts) in cells {
      var sum = sums[cell] ?? SettledCounts()
      for place in SettledCounts.places { sum[place] = try CheckedSum.add(sum[place], counts[place]) }
      sums[cell] = sum
    }
  }
}

// MARK: Tables

extension SettledSums {
  private static let dayKeys = ["day"] + ComparisonQuestion.adjustable.map(\.name)
  private static let columns = SettledCounts.counters.map { ArmCounter.names[$0.rawValue] }
  private static let emptySettled = SumTable("settled", keys: dayKeys + ["variant", "messages_seen"], columns: columns)
  private static let emptyLeft = SumTable("left", keys: dayKeys + ["variant"], columns: columns)
  private static let emptyStrata = SumTable("adjustment", keys: [], columns: ["too_many_strata"])
  private static let seen = [SettledPlace.one: Array("one".utf8), .several: Array("several".utf8)]
  static let tableCount = 3

  /// - Parameter variants: of the arms.
  func tables(_ variants: [[UInt8]?]) -> [SumTable] {
    var settled = Self.emptySettled
    var left = Self.emptyLeft
    var adjustment = Self.emptyStrata
    if hasTooManyStrata { adjustment.setRow([], SumTable.Row([1])) }
    for (stratum, cells) in strata {
      for (cell, counts) in cells {
        let key = [CivilDate(cell.day).bytes] + stratum.values + [variants[cell.place / SettledPlace.count]]
        let row = SumTable.Row(SettledCounts.places.map { counts[$0] })
        if let seen = SettledPlace(rawValue: cell.place % SettledPlace.count).flatMap({ Self.seen[$0] }) {
          settled.setRow(key + [seen], row)
        } else {
          left.setRow(key, row)
        }
      }
    }
    return [settled, left, adjustment]
  }

  init(_ tables: [SumTable], _ variants: [[UInt8]?]) throws(SumsError) {
    for (key, row) in try tables.table(like: Self.emptySettled).orderedRows {
      guard let last = key.last, let seen = Self.seen.first(where: { $0.value == last }) else {
        throw SumsError(.damaged, "table settled has a key without the messages seen")
      }
      try read(row, key.dropLast(), seen.key, variants)
    }
    for (key, row) in try tables.table(like: Self.emptyLeft).orderedRows { try read(row, key[...], .left, variants) }
    for (_, row) in try tables.table(like: Self.emptyStrata).orderedRows {
      guard row[0] == 1 else { throw SumsError(.damaged, "table adjustment has a number that is not 1") }
      hasTooManyStrata = true
    }
    guard strata.count <= (hasTooManyStrata ? 1 : AdjustmentError.mostStrata) else {
      throw SumsError(.damaged, "there are more strata than can be adjusted for")
    }
  }

  /// - Parameter key: the day, the values of the stratum, the variant.
  private mutating func read(
    _ row: SumTable.Row, _ key: ArraySlice<[UInt8]?>, _ place: SettledPlace, _ variants: [[UInt8]?]
  ) throws(SumsError) {
    guard let first = key.first, let text = first, let last = key.last, let date = CivilDate(parsing: text) else {
      throw SumsError(.damaged, "a settled day has a key without a date")
    }
    guard let arm = variants.firstIndex(of: last) else { throw SumsError(.damaged, "a key names no arm") }
    let stratum = Stratum(values: Array(key.dropFirst().dropLast()))
    for value in stratum.values where value != nil { _ = try SumKeys.present(value) }
    guard !hasTooManyStrata || stratum == .whole else {
      throw SumsError(.damaged, "sums of too many strata have strata")
    }
    var counts = SettledCounts()
    for (column, value) in zip(row.columns, row.values) { counts[column] = try SumKeys.journeys(value) }
    strata[stratum, default: [:]][Cell(day: date.dayNumber, place: place.number(arm))] = counts
  }
}
