// Made-up days of two arms.

import Statistics

/// How made-up days are drawn.
struct MadeUpDays {
  var count = 30
  /// New users of an arm on a day, at most.
  var users = 60
  var rateA = 0.4
  var rateB = 0.4
  /// Of the users of an arm, the share that B gets of a day, from 0 to 1.
  var splits = [0.5]

  /// Cumulative counts, oldest first.
  func drawn(_ numbers: inout SeededGenerator) throws -> [ArmsAtLook] {
    var (a, b) = (BinomialSample.empty, BinomialSample.empty)
    return try (0..<count).map { _ in
      let all = Int.random(in: 0...2 * users, using: &numbers)
      let share = splits.randomElement(using: &numbers) ?? 0.5
      let inB = (0..<all).reduce(0) { sum, _ in sum + (numbers.isDrawn(share) ? 1 : 0) }
      a += try sample((0..<(all - inB)).reduce(0) { sum, _ in sum + (numbers.isDrawn(rateA) ? 1 : 0) }, all - inB)
      b += try sample((0..<inB).reduce(0) { sum, _ in sum + (numbers.isDrawn(rateB) ? 1 : 0) }, inB)
      return ArmsAtLook(a: a, b: b)
    }
  }

  /// Rates, sizes and splits of all kinds, exact phases and handovers among them.
  static func any(_ numbers: inout SeededGenerator) -> MadeUpDays {
    let base = [0.001, 0.01, 0.1, 0.4, 0.97].randomElement(using: &numbers) ?? 0.4
    let gaps: [Double] = [0, 0, 0.005, 0.02, 0.15]
    let gap = gaps.randomElement(using: &numbers) ?? 0
    return MadeUpDays(
      count: Int.random(in: 1...40, using: &numbers),
      users: [3, 15, 60, 150].randomElement(using: &numbers) ?? 60,
      rateA: base, rateB: min(1, base + gap),
      splits: [[0.5], [0.1, 0.5], [0.02], [0.9, 0.3, 0.5]].randomElement(using: &numbers) ?? [0.5])
  }
}

extension SeededGenerator {
  mutating func isDrawn(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}

extension ArmsAtLook {
  var swapped: ArmsAtLook { ArmsAtLook(a: b, b: a) }
}
