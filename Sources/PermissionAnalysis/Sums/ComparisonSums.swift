// The sums of a comparison: all its numbers come from these.

public import Folding
import PermissionEvents

/// What a comparison counted of some users, by arm and by whether the user saw several variants.
public struct ComparisonSums: FoldSums, NamedSums {
  public static let name = "comparison 6"

  /// The arms in their order; nil is an arm of all variants. Empty before anything was counted.
  var variants: [[UInt8]?] = []
  /// `ArmCounter.places` integers for each number of `ArmPlace`.
  var arms: [Int64] = []
  /// `ArmCounter.count` integers for each number of `ArmPlace`, by calendar day of the exposure.
  var days: [DayNumber: [Int64]] = [:]
  /// The same by value of a property of the exposure.
  var strata: [StratumKey: [Int64]] = [:]
  /// By the day by whose end a journey is settled.
  var settled = SettledSums()
  /// Times to answer, by number of `ArmPlace`, then by `TimeSeries`.
  var times: [BucketCounts] = []
  /// Exposures of all arms.
  var versions = VersionSums()
  /// Of all users, whatever messages they saw.
  var evidence = EvidenceSums()
  /// Of the arms' messages, whoever saw them and whatever conditions there are; empty unless messages are compared.
  var screens = ScreenSums()
  /// Of the question, that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()
  /// By arm: users who are not exposed, because all calls with its message returned at once.
  var notAsked: [Int64] = []

  struct StratumKey: Hashable, Sendable {
    var property: StringField
    /// Nil if the exposure has none.
    var value: [UInt8]?
  }

  public init() {}

  /// Adds counts of one walk, which cannot overflow.
  mutating func addStratum(of property: StringField, _ value: [UInt8], _ integers: [Int64]) {
    let key = StratumKey(property: property, value: value.isEmpty ? nil : value)
    guard var sums = strata[key] else {
      strata[key] = integers
      return
    }
    for i in sums.indices { sums[i] += integers[i] }
    strata[key] = sums
  }

  public mutating func add(_ other: ComparisonSums) throws(SumsError) {
    // In place: sums may have many parts, each of which is added to the same counts.
    try calls.add(other.calls)
    if variants.isEmpty {
      let sum = calls
      adopt(other)
      calls = sum
      return
    }
    known.add(other.known)
    if notAsked.count < other.notAsked.count { notAsked = [Int64](repeating: 0, count: other.notAsked.count) }
    for arm in other.notAsked.indices { notAsked[arm] = try CheckedSum.add(notAsked[arm], other.notAsked[arm]) }
    try evidence.add(other.evidence)
    guard !other.variants.isEmpty else { return }
    guard variants == other.variants else {
      throw SumsError(.otherQuestion, "these sums are of different messages")
    }
    var arms: [Int64]? = self.arms
    try SumKeys.add(other.arms, to: &arms)
    self.arms = arms ?? []
    for (day, integers) in other.days { try SumKeys.add(integers, to: &days[day]) }
    for (key, integers) in other.strata { try SumKeys.add(integers, to: &strata[key]) }
    try screens.add(other.screens)
    try settled.add(other.settled)
    try versions.add(other.versions)
    for i in times.indices { try times[i].add(other.times[i]) }
  }
}

extension ComparisonSums {
  private static let armKeys = ["variant", "messages_seen"]
  private static let emptyVariants = SumTable("variants", keys: ["variant"], columns: ["place"])
  private static let emptyArms = SumTable("arms", keys: armKeys, columns: ArmCounter.armNames)
  private static let emptyDays = SumTable("days", keys: ["day"] + armKeys, columns: ArmCounter.names)
  private static let emptyStrata = SumTable(
    "strata", keys: ["property", "value"] + armKeys, columns: ArmCounter.names)
  private static let emptyTimes = SumTable(
    "times", keys: armKeys + ["series"], columns: .numbered(TimeHistogram.size))
  private static let seen = [Array("one".utf8), Array("several".utf8)]

  /// The part of a key that names an arm, by number of `ArmPlace`.
  private func armKey(_ number: Int) -> SumTable.Key { [variants[number / 2], Self.seen[number % 2]] }

  public var tables: [SumTable] {
    var variants = Self.emptyVariants
    for (place, variant) in self.variants.enumerated() { variants.setRow([variant], SumTable.Row([Int64(place) + 1])) }
    var arms = Self.emptyArms
    var days = Self.emptyDays
    var strata = Self.emptyStrata
    var times = Self.emptyTimes
    let scratch = TimeHistogram()
    for number in 0..<self.variants.count * 2 {
      let arm = armKey(number)
      func row(_ integers: [Int64], _ width: Int) -> SumTable.Row {
        SumTable.Row(Array(integers[number * width..<(number + 1) * width]))
      }
      arms.setRow(arm, row(self.arms, ArmCounter.places))
      for (day, integers) in self.days {
        days.setRow([CivilDate(day).bytes] + arm, row(integers, ArmCounter.count))
      }
      for (key, integers) in self.strata {
        strata.setRow([Array(key.property.name.utf8), key.value] + arm, row(integers, ArmCounter.count))
      }
      for series in TimeSeries.allCases {
        let row = self.times[number * TimeSeries.count + series.rawValue].row(countedIn: scratch)
        times.setRow(arm + [Array("\(series)".utf8)], row)
      }
    }
    return [variants, arms, days, strata] + settled.tables(self.variants) + [
      times, versions.table, evidence.table, screens.table, known.table,
      notAskedTable,
    ] + calls.tables
  }

  public init(tables: [SumTable]) throws(SumsError) {
    let count = 10 + SettledSums.tableCount + CallSums.tableCount
    guard tables.count == count else {
      throw SumsError(.otherFold, "a comparison has \(count) tables, and not \(tables.count)")
    }
    try readVariants(tables.table(like: Self.emptyVariants))
    let width = ArmCounter.count * variants.count * 2
    arms = [Int64](repeating: 0, count: variants.count * 2 * ArmCounter.places)
    for (key, row) in try tables.table(like: Self.emptyArms).orderedRows {
      try Self.read(row, into: &arms, at: try armNumber(key[...]) * ArmCounter.places)
    }
    for (key, row) in try tables.table(like: Self.emptyDays).orderedRows {
      guard let text = key[0], let date = CivilDate(parsing: text) else {
        throw SumsError(.damaged, "table days has a key without a date")
      }
      try Self.read(
        row, into: &days[date.dayNumber, default: [Int64](repeating: 0, count: width)],
        at: try armNumber(key[1...]) * ArmCounter.count)
    }
    for (key, row) in try tables.table(like: Self.emptyStrata).orderedRows {
      guard let property = StringField.allCases.first(where: { key[0] == Array($0.name.utf8) }) else {
        throw SumsError(.damaged, "table strata has a key without a property")
      }
      let stratum = StratumKey(property: property, value: key[1] == nil ? nil : try SumKeys.present(key[1]))
      try Self.read(
        row, into: &strata[stratum, default: [Int64](repeating: 0, count: width)],
        at: try armNumber(key[2...]) * ArmCounter.count)
    }
    settled = try SettledSums(tables, variants)
    versions = try VersionSums(tables)
    evidence = try EvidenceSums(tables)
    screens = try ScreenSums(tables, variants)
    known = try NameSums(tables)
    calls = try CallSums(tables: tables)
    try readNotAsked(tables.table(like: Self.emptyNotAsked))
    try readTimes(tables.table(like: Self.emptyTimes))
    try check()
  }

  private static let emptyNotAsked = SumTable("not_asked", keys: ["variant"], columns: ["users"])

  private var notAskedTable: SumTable {
    var table = Self.emptyNotAsked
    for (variant, count) in zip(variants, notAsked) where count > 0 { table.setRow([variant], SumTable.Row([count])) }
    return table
  }

  private mutating func readNotAsked(_ table: SumTable) throws(SumsError) {
    notAsked = [Int64](repeating: 0, count: variants.count)
    for (key, row) in table.orderedRows {
      guard let arm = variants.firstIndex(of: key[0]) else {
        throw SumsError(.damaged, "table not_asked has a variant that is not compared")
      }
      notAsked[arm] = try SumKeys.journeys(row[0])
    }
  }

  private mutating func readVariants(_ table: SumTable) throws(SumsError) {
    let rows = table.rows.sorted { $0.value[0] < $1.value[0] }
    guard rows.count <= ComparisonQuestion.mostVariants,
      rows.map({ $0.value[0] }).elementsEqual(1..<Int64(rows.count) + 1)
    else { throw SumsError(.damaged, "the places of the variants are not 1 to their number") }
    variants = rows.map { $0.key[0] }
  }

  private func armNumber(_ key: ArraySlice<[UInt8]?>) throws(SumsError) -> Int {
    guard let first = key.first, let arm = variants.firstIndex(of: first),
      let seen = Self.seen.firstIndex(where: { $0 == key[key.startIndex + 1] })
    else { throw SumsError(.damaged, "a key names no arm") }
    return ArmPlace.number(arm, isContaminated: seen == 1)
  }

  private static func read(_ row: SumTable.Row, into integers: inout [Int64], at start: Int) throws(SumsError) {
    for (column, value) in zip(row.columns, row.values) {
      integers[start + column] = try SumKeys.journeys(value)
    }
  }

  private mutating func readTimes(_ table: SumTable) throws(SumsError) {
    times = [BucketCounts](repeating: BucketCounts(), count: variants.count * 2 * TimeSeries.count)
    for (key, row) in table.orderedRows {
      guard let series = TimeSeries.allCases.first(where: { key[2] == Array("\($0)".utf8) }) else {
        throw SumsError(.damaged, "table times has a key without a series")
      }
      times[try armNumber(key[...2]) * TimeSeries.count + series.rawValue] = try BucketCounts(
        columns: row.columns, values: row.values)
    }
  }

  /// The counters of the arms, without the survivals; empty if all are 0.
  private func armCounts() -> [Int64] {
    let counts = stride(from: 0, to: arms.count, by: ArmCounter.places).flatMap { arms[$0..<$0 + ArmCounter.count] }
    return counts.contains { $0 != 0 } ? counts : []
  }

  private static func total(_ rows: some Sequence<[Int64]>) -> [Int64] {
    var total: [Int64] = []
    for row in rows { total = total.isEmpty ? row : zip(total, row).map { $0 &+ $1 } }
    return total
  }

  /// Sums that a file brought may be of other messages than the question that the file says.
  package func check(of question: ComparisonQuestion) throws(SumsError) {
    guard variants.isEmpty || variants == question.armNames else {
      throw SumsError(.otherQuestion, "the sums are of other messages than the question")
    }
  }

  /// What figures take for granted: outcomes add up, and no share is above 1.
  private func check() throws(SumsError) {
    // Sums of no arms are those of nobody, to which others are added in any order.
    var nobody = ComparisonSums()
    nobody.known = known
    guard !variants.isEmpty || nobody.tables == tables else {
      throw SumsError(.damaged, "there are no variants, and something was counted")
    }
    func check(_ integers: [Int64], width: Int) throws(SumsError) {
      for start in stride(from: 0, to: integers.count, by: width) {
        let counts = ArmCounts(integers[start..<start + ArmCounter.count])
        let answered = Outcome.base.reduce(0) { $0 + counts[$1] }
        let isWhole = ComparisonMetric.allCases.allSatisfy { metric in
          let sample = counts.sample(metric)
          return sample.successes >= 0 && sample.successes <= sample.trials && sample.trials <= counts.exposed
        }
        guard answered == counts.base, isWhole else {
          throw SumsError(.damaged, "the counts of an arm contradict each other")
        }
      }
    }
    try check(arms, width: ArmCounter.places)
    guard Self.total(days.values) == armCounts() else {
      throw SumsError(.damaged, "the days do not add up to the arms")
    }
    for property in Set(strata.keys.map(\.property)) {
      guard Self.total(strata.lazy.filter { $0.key.property == property }.map(\.value)) == armCounts() else {
        throw SumsError(.damaged, "the values of \(property.name) do not add up to the arms")
      }
    }
    try settled.check(arms)
    for integers in days.values { try check(integers, width: ArmCounter.count) }
    for integers in strata.values { try check(integers, width: ArmCounter.count) }
  }
}
