// Exposures by version and day: sums in any order, bounded, and safe to read from anybody's file.

import Folding
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct VersionSumsTests {
  private static let day: DayNumber = 20_500

  private func sums(_ cells: [(version: String, day: DayNumber, count: Int64)]) throws -> DaySums {
    var sums = DaySums.versions
    for cell in cells { try sums.add(cell.count, Array(cell.version.utf8), on: cell.day) }
    return sums
  }

  private func sum(_ parts: [DaySums]) throws -> DaySums {
    var total = DaySums.versions
    for part in parts { try total.add(part) }
    return total
  }

  private func read(_ tables: [SumTable]) throws -> DaySums {
    var sums = DaySums.versions
    try sums.read(tables)
    return sums
  }

  @Test func sumsAddUpInAnyOrderAndTravelAsATable() throws {
    let a = try sums([("3.1", Self.day, 5), ("3.1", Self.day + 1, 2)])
    let b = try sums([("3.1", Self.day + 1, 3), ("3.2", Self.day + 9, 1)])
    let c = try sums([("3.1", Self.day - 40, 1)])
    let total = try sum([a, b, c])
    for parts in [[c, b, a], [b, a, c]] { #expect(try sum(parts) == total) }
    #expect(total.counts[Array("3.1".utf8)] == [Self.day - 40: 1, Self.day: 5, Self.day + 1: 5])
    #expect(try read(total.tables) == total)
    #expect(total.appearances.map(\.version) == ["3.1", "3.2"])
    #expect(total.appearances.map(\.firstDay) == [Self.day - 40, Self.day + 9])
  }

  /// Past the bound none is counted, wherever it was passed, and no sum brings them back.
  @Test func tooManyVersionsAreNoneInAnyOrder() throws {
    let many = (0..<DaySums.mostVersions).map { ("\($0)", Self.day, Int64(1)) }
    let full = try sums(many)
    #expect(!full.areTooMany && full.counts.count == DaySums.mostVersions)
    let more = try sums([("one more", Self.day, 1)])
    let known = try sums([("7", Self.day, 1)])
    #expect(try !sum([full, known]).areTooMany)
    let expected = try sum([full, more])
    #expect(expected.areTooMany && expected.counts.isEmpty && expected.appearances.isEmpty)
    for parts in [[more, full], [more, known, full], [expected, known], [known, expected], [full, known, more]] {
      let total = try sum(parts)
      #expect(total.areTooMany && total.tables == expected.tables)
    }
    #expect(try read(expected.tables).areTooMany)
  }

  @Test func tablesOfAnybodyAreChecked() throws {
    func table(_ rows: [([[UInt8]?], Int64)]) -> SumTable {
      var table = SumTable("versions", keys: ["app_version", "day"], columns: ["exposures"])
      for (key, value) in rows { table.setRow(key, SumTable.Row([value])) }
      return table
    }
    let (name, date) = (Array("3.1".utf8), Array("2026-03-02".utf8))
    _ = try read([table([([name, date], 4)])])
    for rows: [([[UInt8]?], Int64)] in [
      [([name, date], -1)], [([name, date], .max)], [([nil, date], 1)], [([[], date], 1)], [([name, nil], 1)],
      [([name, Array("soon".utf8)], 1)], [([nil, nil], 2)], [([nil, nil], 1), ([name, date], 1)],
      [([Array(repeating: 0x61, count: 300), date], 1)],
    ] {
      #expect(throws: SumsError.self, "\(rows)") { try read([table(rows)]) }
    }
    #expect(throws: SumsError.self) { try read([]) }
    // As large as can be: nothing overflows.
    let largest = try read([table([([name, date], 1 << 40), ([Array("3.2".utf8), date], 1 << 40)])])
    #expect(largest.appearances.count == 2)
  }

  /// The fold's table grows, and counts what a dictionary counts.
  @Test func theTableOfAWalkCountsLikeADictionary() throws {
    let names = (0..<300).map { $0 == 0 ? [UInt8]() : Array("v\($0)".utf8) }
    let contexts = HistoryContexts(
      contexts: [], permissions: [[]], variants: [[]], experiments: [[]], properties: [[]],
      attributes: (0..<300).map { [UInt32($0)] }, attributeValues: [names])
    let selection = HistorySelection(attributes: [.appVersion])
    var table = VersionDayTable(isWanted: true, selection, contexts)
    var state: UInt64 = 99
    var expected: [[UInt8]: [DayNumber: Int64]] = [:]
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let (code, day) = (Int(state >> 33) % 300, DayNumber(state >> 20 & 63) - 20)
      table.add(code: code, day: day)
      if code > 0 { expected[names[code], default: [:]][day, default: 0] += 1 }
    }
    #expect(table.sums(selection, contexts).counts == expected)
    let none = VersionDayTable(isWanted: false, selection, contexts)
    #expect(!none.isCounting && none.sums(selection, contexts).counts.isEmpty)
  }
}
