// Names of one and two values: any bytes come back, and the order is that of the values.

import LogTestSupport
import Testing

@testable import PermissionAnalysis

@Suite struct ValueNameTests {
  @Test func namesHaveTheirValuesAndTheirOrder() {
    var random = SeededGenerator(seed: 7)
    // The bytes that have a meaning within a name, and one that has none.
    func value() -> [UInt8] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in [0, 1, 0x41, 0xFF].randomElement(using: &random) ?? 0 }
    }
    func isBefore(_ a: [[UInt8]], _ b: [[UInt8]]) -> Bool {
      a[0] == b[0] ? a[1].lexicographicallyPrecedes(b[1]) : a[0].lexicographicallyPrecedes(b[0])
    }
    for number in 0..<5000 {
      let (a, b) = ([value(), value()], [value(), value()])
      #expect(ValueName.values(ValueName.of(a)) == a, "seed 7, pair \(number)")
      #expect(ValueName.of([a[0]]) == ValueName.of([a[0], []]), "seed 7, pair \(number)")
      let (first, second) = (ValueName.of(a), ValueName.of(b))
      #expect(first.lexicographicallyPrecedes(second) == isBefore(a, b), "seed 7, pair \(number): \(a) \(b)")
      // What a file brings need be no name.
      _ = ValueName.values(a[0] + b[1])
    }
  }

  @Test func mostValuesAreTheirOwnNames() {
    #expect(ValueName.of([[0x44, 0x45]]) == [0x44, 0x45] && ValueName.of([[], []]).isEmpty)
  }
}
