// Settled days as sums: they add up in any order, stay within bounds however many strata there are, and are refused if
// they contradict themselves.

import Folding
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

@Suite struct SettledSumsTests {
  private func question(_ log: OracleLog, _ variants: [String], adjust: [StringField]) -> ComparisonQuestion {
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: log.newest), zone: .utc, permission: "notifications", variants: variants,
      experiment: nil)
    question.adjust = adjust
    return question
  }

  private func parts(_ log: OracleLog, _ question: ComparisonQuestion, _ ranges: Int) throws -> [ComparisonSums] {
    try log.parts(question.selection, ranges: ranges, threads: 1) { ComparisonFold(question, contexts: $0) }
  }

  private func total(_ parts: [ComparisonSums]) throws -> ComparisonSums {
    var sums = ComparisonSums()
    for part in parts { try sums.add(part) }
    return sums
  }

  // MARK: Adding up

  @Test(arguments: [3200, 3201, 3202, 3203] as [UInt64]) func theOrderOfAddingChangesNothing(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let log = try OracleLog(HistoryGenerator(seed: seed).history(users: 60), parts: 2)
    let question = question(log, ["A", "B", "e\u{301}"], adjust: [.country, .platform])
    let whole = try total(try parts(log, question, 1))
    #expect(whole.shown.settled.strata.count > 1, "seed \(seed): only one stratum")
    for ranges in [3, 16] {
      let shuffled = try total(try parts(log, question, ranges).shuffled(using: &random))
      #expect(shuffled.tables == whole.tables, "seed \(seed), \(ranges) ranges")
      #expect(try ComparisonSums(tables: shuffled.tables).tables == whole.tables, "seed \(seed)")
    }
    // The strata of the settled days add up to what is counted without them.
    var plain = question
    plain.adjust = []
    let unadjusted = try total(try parts(log, plain, 1))
    for policy in ContaminationPolicy.allCases {
      for treatment in 1...2 {
        let days = [question, plain].map { asked in
          var asked = asked
          asked.policy = policy
          return ComparisonTallies(asked.adjust.isEmpty ? unadjusted : whole, asked).settledDays(
            .init(control: 0, treatment: treatment))
        }
        #expect(days[0] == days[1], "seed \(seed), \(policy), \(treatment)")
      }
    }
  }

  @Test func theOrderOfThePropertiesChangesNothing() throws {
    let log = try OracleLog(HistoryGenerator(seed: 3204).history(users: 40), parts: 1)
    let questions = [[StringField.country, .appVersion, .locale], [.locale, .country, .appVersion]].map {
      question(log, ["A", "B"], adjust: $0)
    }
    #expect(try total(try parts(log, questions[0], 1)).tables == total(try parts(log, questions[1], 2)).tables)
    // Nobody is assigned to messages by the message: what cannot be adjusted for divides nobody.
    let other = question(log, ["A", "B"], adjust: [.variant])
    #expect(try total(try parts(log, other, 1)).shown.settled.strata.count == 1)
  }

  // MARK: Bounds

  /// One user in each stratum.
  private func log(strata: Int) throws -> OracleLog {
    try OracleLog(
      (0..<strata).flatMap { number in
        [("prompt_shown", 0), ("granted", 4000), ("app_active", 3 * 86_400_000)].map { event, later in
          OracleEvent(
            userID: "user-\(number)", eventID: event, timestamp: 1_780_000_000_000 + later, event: event,
            permission: "notifications", variant: number % 2 == 0 ? "A" : "B", locale: "locale-\(number)")
        }
      }, parts: 1)
  }

  @Test func moreStrataThanCanBeAdjustedForAreRefused() throws {
    let most = AdjustmentError.mostStrata
    let enough = try log(strata: most)
    let within = try total(try parts(enough, question(enough, ["A", "B"], adjust: [.locale]), 4))
    #expect(within.shown.settled.strata.count == most)
    #expect(try ComparisonSet(within, question(enough, ["A", "B"], adjust: [.locale])).pairs.count == 1)

    let log = try log(strata: most + 1)
    let question = question(log, ["A", "B"], adjust: [.locale])
    // One walk that finds too many, and several that find few each.
    let sums = try [1, 4].map { try total(try parts(log, question, $0)) }
    for sums in sums {
      #expect(sums.shown.settled.strata.count == 1 && sums.shown.settled.hasTooManyStrata)
      #expect(sums.tables == (try ComparisonSums(tables: sums.tables)).tables)
      #expect(throws: AdjustmentError.tooManyStrata(properties: [.locale])) { try ComparisonSet(sums, question) }
    }
    #expect(sums[0].tables == sums[1].tables)
  }

  // MARK: Damage

  /// A table's rows changed: a new key and row for each, or none.
  private func changed(
    _ tables: [SumTable], _ name: String, _ change: (SumTable.Key, SumTable.Row) -> (SumTable.Key, SumTable.Row)?
  ) -> [SumTable] {
    tables.map { table in
      guard table.name == name else { return table }
      var changed = SumTable(table.name, keys: table.keys, columns: table.columns)
      for (key, row) in table.orderedRows {
        if let (key, row) = change(key, row) { changed.setRow(key, row) }
      }
      return changed
    }
  }

  @Test func sumsThatContradictThemselvesAreRefused() throws {
    let log = try OracleLog(HistoryGenerator(seed: 3205).history(users: 80), parts: 1)
    let tables = try total(try parts(log, question(log, ["A", "B"], adjust: [.platform]), 1)).tables
    _ = try ComparisonSums(tables: tables)
    var count = 0
    func refuse(
      _ name: String, _ message: String,
      _ change: (SumTable.Key, SumTable.Row) -> (SumTable.Key, SumTable.Row)?
    ) {
      let wrong = changed(tables, name, change)
      #expect(wrong != tables, "\(name): nothing was changed")
      do {
        _ = try ComparisonSums(tables: wrong)
        Issue.record("\(name): sums that are wrong were read")
      } catch {
        #expect(error.code == .damaged && error.sentence.contains(message), "\(name): \(error)")
      }
      count += 1
    }
    func row(_ row: SumTable.Row, _ change: (inout [Int64]) -> Void) -> SumTable.Row {
      var values = (0..<8).map { row[$0] }
      change(&values)
      return SumTable.Row(values)
    }
    func day(_ text: String, _ key: SumTable.Key) -> SumTable.Key { [Array(text.utf8)] + key.dropFirst() }
    var isFirst = true
    func once<Value>(_ value: Value, else other: Value) -> Value {
      defer { isFirst = false }
      return isFirst ? value : other
    }

    refuse("settled", "add up") { $0[8] == Array("one".utf8) ? nil : ($0, $1) }
    isFirst = true
    refuse("settled", "add up") { ($0, once(row($1) { $0[3] += 1 }, else: $1)) }
    isFirst = true
    refuse("settled", "2^40") { ($0, once(row($1) { $0[0] = 1 << 41 }, else: $1)) }
    isFirst = true
    refuse("settled", "contradict") { ($0, once(row($1) { $0[5] += 1 }, else: $1)) }
    isFirst = true
    refuse("settled", "contradict") { ($0, once(row($1) { $0[6] += 500 }, else: $1)) }
    isFirst = true
    refuse("settled", "below 0") { ($0, once(row($1) { $0[1] = -1 }, else: $1)) }
    isFirst = true
    refuse("settled", "date") { (once(day("2026-02-30", $0), else: $0), $1) }
    refuse("settled", "arm") { ($0.dropLast(2) + [Array("Z".utf8), $0[8]], $1) }
    refuse("settled", "period") { ($0[..<6] + [Array("01".utf8)] + $0[7...], $1) }
    refuse("settled", "messages seen") { ($0.dropLast() + [Array("left".utf8)], $1) }
    refuse("settled", "with no name") { ([$0[0], []] + $0.dropFirst(2), $1) }
    // Gone before they came, and never gone.
    refuse("left", "contradict") { (day("2019-01-01", $0), $1) }
    refuse("left", "add up") { _, _ in nil }
    let marked = tables.map { table in
      var table = table
      if table.name == "adjustment" { table.setRow([], SumTable.Row([1])) }
      return table
    }
    #expect(throws: SumsError(.damaged, "there are more strata than can be adjusted for")) {
      try ComparisonSums(tables: marked)
    }
    #expect(count == 13)
  }

  @Test func daysFarAwayAreReadAndNotLookedAt() throws {
    let log = try OracleLog(HistoryGenerator(seed: 3206).history(users: 40), parts: 1)
    let question = question(log, ["A", "B"], adjust: [])
    let tables = try total(try parts(log, question, 1)).tables
    let late = tables.map { table in
      guard ["settled", "left"].contains(table.name) else { return table }
      var moved = SumTable(table.name, keys: table.keys, columns: table.columns)
      for (key, row) in table.rows {
        for (column, value) in zip(row.columns, row.values) {
          try? moved.add(value, column, of: [Array("9999-12-31".utf8)] + key.dropFirst())
        }
      }
      return moved
    }
    let sums = try ComparisonSums(tables: late)
    #expect(sums.tables == late)
    #expect(ComparisonTallies(sums, question).settledDays(.init(control: 0, treatment: 1)).isEmpty)
    #expect(try ComparisonSet(sums, question).pairs.count == 1)
  }
}
