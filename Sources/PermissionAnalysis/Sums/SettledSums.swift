// What a comparison knew at the end of each day: journeys by the day that settles them.

import Folding
import PermissionEvents

/// Journeys of the base by stratum, by arm and by day. The counts at the end of a day are the sum of all days up to
/// it, whenever the log is read later.
struct SettledSums: SumsPart {
  struct Stratum: Hashable, Sendable {
    /// By `ComparisonQuestion.adjustable`; nil for values that the exposure lacks, and for properties not adjusted for.
    var values: [[UInt8]?] = ComparisonQuestion.adjustable.map { _ in nil }
    /// The number of the period in which the users were exposed, from 0, if the division changes.
    var period = 0

    /// The one stratum of a comparison that is not adjusted.
    static let whole = Stratum()
  }

  struct Cell: Hashable, Sendable {
    var day: DayNumber
    /// `SettledCounter.number`.
    var place: Int
  }

  /// Of the arms, in their order.
  private var variants: [[UInt8]?] = []
  private(set) var strata: [Stratum: [Cell: SettledCounts]] = [:]
  /// Whether there were more strata than can be adjusted for. Then they are joined into one, so memory stays bounded.
  private(set) var hasTooManyStrata = false

  /// What one walk counted, in strata that are within bounds.
  init(
    _ table: borrowing SettledTable, _ codes: borrowing StratumCodes, _ variants: [[UInt8]?],
    values: (Int) -> Stratum
  ) {
    (self.variants, hasTooManyStrata) = (variants, codes.areTooMany)
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
    // The sums of which these are a part have seen to it that they are the same.
    if variants.isEmpty { variants = other.variants }
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
  private static let dayKeys = ["day"] + ComparisonQuestion.adjustable.map(\.name) + ["period"]
  private static let columns = SumTable.Columns.named(SettledCounts.counters.map { ArmCounter.names[$0.rawValue] })
  private static let seen = SumKeys.words(["one", "several"])
  private static let settled = TableShape("settled", keys: dayKeys + ComparisonSums.ArmKey.names, columns: columns)
  private static let left = TableShape("left", keys: dayKeys + ComparisonSums.VariantKey.names, columns: columns)

  var tables: [SumTable] {
    var settled: [(key: SumTable.Key, row: SumTable.Row)] = []
    var left = settled
    for (stratum, cells) in strata {
      for (cell, counts) in cells {
        // The first period has no name: most comparisons have only that.
        let period = stratum.period > 0 ? Array(String(stratum.period).utf8) : nil
        let key =
          [CivilDate(cell.day).bytes] + stratum.values + [period, variants[cell.place / SettledCounter.count]]
        let row = SumTable.Row(SettledCounts.places.map { counts[$0] })
        let place = cell.place % SettledCounter.count
        if place == SettledCounter.left.rawValue {
          left.append((key, row))
        } else {
          settled.append((key + [Self.seen[place]], row))
        }
      }
    }
    return [Self.settled.empty.filled(settled), Self.left.empty.filled(left)] + adjustment.tables
  }

  private var adjustment: CountRow<Int64> {
    CountRow("adjustment", columns: ["too_many_strata"], bound: 1, hasTooManyStrata ? 1 : 0)
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    var list = VariantList()
    try list.read(tables)
    variants = list.variants
    var adjustment = adjustment
    try adjustment.read(tables)
    hasTooManyStrata = adjustment.row == 1
    for (key, row) in try Self.settled.rows(in: tables) {
      guard let seen = Self.seen.firstIndex(where: { key.last == $0 }) else {
        throw Self.settled.damaged("has a key without the messages seen")
      }
      try read(row, key.dropLast(), seen, Self.settled)
    }
    for (key, row) in try Self.left.rows(in: tables) {
      try read(row, key[...], SettledCounter.left.rawValue, Self.left)
    }
    guard strata.count <= (hasTooManyStrata ? 1 : AdjustmentError.mostStrata),
      !hasTooManyStrata || strata.keys.allSatisfy({ $0 == .whole })
    else { throw SumsError(.damaged, "there are more strata than can be adjusted for") }
  }

  /// The number of a period; nil if the part was not written by `SettledSums`.
  private static func period(_ part: [UInt8]?) -> Int? {
    guard let part else { return 0 }
    let text = String(bounded: part)
    return Int(text).flatMap { $0 > 0 && $0 < MessageSplit.mostPeriods && String($0) == text ? $0 : nil }
  }

  /// - Parameter key: the day, the values of the stratum, the period, the variant.
  private mutating func read(
    _ row: SumTable.Row, _ key: ArraySlice<[UInt8]?>, _ place: Int, _ shape: TableShape
  ) throws(SumsError) {
    guard let first = key.first, let day = first.day, let last = key.last else {
      throw shape.damaged("has a key without a date")
    }
    guard let arm = variants.firstIndex(of: last) else { throw shape.damaged("has a key that names no arm") }
    guard let period = Self.period(key[key.endIndex - 2]) else { throw shape.damaged("has a key without a period") }
    let stratum = Stratum(values: Array(key.dropFirst().dropLast(2)), period: period)
    guard stratum.values.allSatisfy({ $0.nameOrNone != nil }) else {
      throw shape.damaged("has a key with no name, or with one that is too long")
    }
    var counts = SettledCounts()
    for (column, value) in zip(row.columns, row.values) { counts[column] = value }
    strata[stratum, default: [:]][Cell(day: day, place: arm * SettledCounter.count + place)] = counts
  }
}

// MARK: Checks

extension SettledSums {
  /// Throws unless every journey of the arms was settled on some day, and at the end of each day no user had left
  /// without entering, and no metric had more successes than trials.
  /// - Parameter arms: `ArmCounter.places` integers for each number of `ArmIndex`.
  func checkCounts(of arms: [Int64]) throws(SumsError) {
    let armCount = arms.count / (2 * ArmCounter.places)
    var totals = [SettledCounts](repeating: SettledCounts(), count: armCount * SettledCounter.count)
    for cells in strata.values {
      // At the end of the day that was gone through last.
      var known = [SettledCounts](repeating: SettledCounts(), count: totals.count)
      let ordered = cells.sorted { $0.key.day < $1.key.day }
      for (i, (cell, counts)) in ordered.enumerated() {
        known[cell.place] += counts
        // Sums of more would be of no use, and might overflow.
        guard Self.isWhole(known[cell.place]) else { throw Self.contradiction }
        guard i + 1 == ordered.count || ordered[i + 1].key.day > cell.day else { continue }
        for arm in 0..<armCount {
          var remaining = known[SettledCounter.several.number(arm)]
          remaining -= known[SettledCounter.left.number(arm)]
          guard Self.isWhole(remaining), Self.isSample(known[SettledCounter.one.number(arm)]),
            Self.isSample(known[SettledCounter.several.number(arm)]), Self.isSample(remaining)
          else { throw Self.contradiction }
        }
      }
      for place in totals.indices { totals[place] += known[place] }
    }
    for arm in 0..<armCount {
      for place in SettledCounter.allCases {
        let start = ArmIndex.number(arm, isContaminated: place != .one) * ArmCounter.places
        let total = totals[place.number(arm)]
        guard SettledCounts.counters.allSatisfy({ total[$0] == arms[start + $0.rawValue] }) else {
          throw SumsError(.damaged, "the settled days do not add up to the arms")
        }
      }
    }
  }

  private static let contradiction = SumsError(.damaged, "the counts of the settled days contradict each other")

  private static func isWhole(_ counts: SettledCounts) -> Bool { counts.areAll(in: 0...SumKeys.mostUsers) }

  /// Successes are among the trials, and trials among the base.
  private static func isSample(_ counts: SettledCounts) -> Bool {
    let base = Outcome.base.reduce(0) { $0 + counts[$1.rawValue] }
    return counts[.followUpGranted] <= counts[.followUpEligible] && counts[.followUpEligible] <= base
      && counts[.kept] <= counts[.keptEligible] && counts[.keptEligible] <= base
      && counts[.retained] <= counts[.retentionEligible] && counts[.retentionEligible] <= base
      && counts[.settingsEnabled] <= counts[.settingsEligible] && counts[.settingsOpened] <= base
  }
}

/// The counters of an arm from `ArmCounter.granted` on: of journeys that count for a metric.
struct SettledCounts: Sendable, Equatable {
  /// The last ones stay 0.
  private var lanes = SIMD16<Int64>.zero

  static let counters = ArmCounter.allCases.dropFirst(ArmCounter.granted.rawValue)
  static let count = ArmCounter.count - ArmCounter.granted.rawValue
  /// Of all counters.
  static let places = 0..<count

  /// The index of a counter. Outcomes have their own numbers.
  @inline(__always)
  static func place(of counter: ArmCounter) -> Int { counter.rawValue - ArmCounter.granted.rawValue }

  subscript(_ place: Int) -> Int64 {
    get { lanes[place] }
    set { lanes[place] = newValue }
  }

  subscript(_ counter: ArmCounter) -> Int64 { lanes[Self.place(of: counter)] }

  static func += (a: inout Self, b: Self) { a.lanes &+= b.lanes }
  static func -= (a: inout Self, b: Self) { a.lanes &-= b.lanes }

  func areAll(in range: ClosedRange<Int64>) -> Bool { range.contains(lanes.min()) && range.contains(lanes.max()) }

  func tally(_ metric: ComparisonMetric) -> Comparison.Tally { metric.tally { Int(self[$0]) } }
}
