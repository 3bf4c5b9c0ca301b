// A table's rows have one order, whatever the order in which they came.

import Testing

@testable import Folding

@Suite struct SumTableTests {
  /// The order of two keys, part by part: none first, then bytewise.
  private static func precedes(_ a: SumTable.Key, _ b: SumTable.Key) -> Bool {
    for (left, right) in zip(a, b) where left != right {
      guard let left else { return true }
      guard let right else { return false }
      return left.lexicographicallyPrecedes(right)
    }
    return false
  }

  /// Parts that are hard to tell apart: short ones, with zeros, and with one beginning.
  private static func part(_ numbers: inout some RandomNumberGenerator) -> [UInt8]? {
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0: nil
    case 1: [UInt8](repeating: 0, count: Int.random(in: 0...3, using: &numbers))
    case 2: [0, 1, 0, 0xFF].prefix(Int.random(in: 0...4, using: &numbers)) + [UInt8.random(in: 0...1, using: &numbers)]
    case 3: Array("notifications".utf8) + [UInt8.random(in: 0...2, using: &numbers)]
    default:
      (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
        [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &numbers) ?? 0
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func rowsAreInOneOrder(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    let keys = Set((0..<200).map { _ in [Self.part(&numbers), Self.part(&numbers)] })
    let rows = keys.map { (key: $0, row: SumTable.Row(ascending: [0], [Int64.random(in: 1...9, using: &numbers)])) }
    let table = SumTable("t", keys: ["a", "b"], columns: .numbered(1), rows: rows.shuffled(using: &numbers))
    let expected = rows.sorted { Self.precedes($0.key, $1.key) }
    #expect(table.orderedRows.map(\.key) == expected.map(\.key), "seed \(seed)")
    #expect(table.orderedRows.map(\.row) == expected.map(\.row), "seed \(seed)")
    // As rows that were put in one by one.
    var single = SumTable("t", keys: ["a", "b"], columns: .numbered(1))
    for (key, row) in rows { try single.add(row.values[0], 0, of: key) }
    #expect(single.orderedRows.map(\.key) == expected.map(\.key) && single == table, "seed \(seed)")
  }
}
