// Gaps of time as symbols and remaining bits: the coding is part of the format.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct TimeCodingTests {
  private func roundTrip(_ value: UInt64) -> Bool {
    let (symbol, rest, bits) = TimeCoding.split(value)
    return Int(symbol) < TimeCoding.symbolCount && UInt64(TimeCoding.restBits[Int(symbol)]) == bits
      && rest >> bits == 0 && TimeCoding.bases[Int(symbol)] + rest == value
  }

  @Test func everySmallValueAndEveryEdgeComesBack() {
    for value in UInt64(0)..<4096 { #expect(roundTrip(value), "\(value)") }
    for exponent in UInt64(2)..<42 {
      for mantissa in UInt64(4)..<8 {
        let edge = mantissa << (exponent - 2)
        for value in [edge - 1, edge, edge + 1] where value < 1 << 42 { #expect(roundTrip(value), "\(value)") }
      }
    }
    #expect(roundTrip(1 << 42 - 1))
  }

  @Test func randomValuesComeBack() {
    let seed: UInt64 = 5
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let value = generator.next() >> UInt64.random(in: 22...63, using: &generator)
      #expect(roundTrip(value), "seed \(seed): \(value)")
    }
  }

  @Test func theCodingIsFixed() {
    #expect(TimeCoding.split(3).symbol == 3)
    #expect(TimeCoding.split(4).symbol == 4)
    #expect(TimeCoding.split(1000).symbol == 35 && TimeCoding.split(1000).rest == 104)
    #expect(TimeCoding.split(1 << 42 - 1).symbol == 163 && TimeCoding.split(1 << 42 - 1).bits == 39)
    #expect(TimeCoding.restBits[164...].allSatisfy { $0 == 255 })
  }

  @Test func symbolsGrowWithTheirValues() {
    for symbol in 1..<TimeCoding.symbolCount {
      let before = TimeCoding.bases[symbol - 1] + 1 << UInt64(TimeCoding.restBits[symbol - 1])
      #expect(TimeCoding.bases[symbol] > TimeCoding.bases[symbol - 1])
      #expect(TimeCoding.bases[symbol] <= before)
    }
  }
}
