// The integers of one arm of a comparison; two halves of the users add up.

/// Places of an arm's counters in a flat array.
enum ArmCounter {
  static let exposed = 0
  static let pending = 1
  static let restricted = 2
  /// By `Outcome` of the base.
  static let outcome = 3
  static let followUpEligible = 7
  static let followUpGranted = 8
  static let retentionEligible = 9
  static let retained = 10
  /// By returning outcome (denied, skipped, dropped off): 28 days of enablings, 28 of censorings, and those followed
  /// longer, in whole days since the answer.
  static let survival = 11
  static let survivalStride = Counter.survivalStride

  static let count = survival + 3 * survivalStride
}

/// Journeys of one arm.
package struct ArmCounts: Sendable, Equatable {
  private var counters: [Int]

  package init() { counters = [Int](repeating: 0, count: ArmCounter.count) }

  init(_ source: UnsafePointer<Int64>) { counters = (0..<ArmCounter.count).map { Int(source[$0]) } }

  package var exposed: Int { counters[ArmCounter.exposed] }
  package var pending: Int { counters[ArmCounter.pending] }
  package var restricted: Int { counters[ArmCounter.restricted] }
  package var base: Int { exposed - pending - restricted }

  static func + (a: Self, b: Self) -> Self {
    var sum = a
    for i in sum.counters.indices { sum.counters[i] += b.counters[i] }
    return sum
  }

  package subscript(_ outcome: Outcome) -> Int {
    Outcome.base.contains(outcome) ? counters[ArmCounter.outcome + outcome.rawValue] : 0
  }

  /// Successes and trials of a metric.
  package func sample(_ metric: ComparisonMetric) -> (successes: Int, trials: Int) {
    switch metric {
    case .grantRate: (self[.granted], base)
    case .denyRate: (self[.denied], base)
    case .skipRate: (self[.skipped], base)
    case .dropOffRate: (self[.droppedOff], base)
    case .promptGrantRate: (self[.granted], self[.granted] + self[.denied])
    case .grantedByDay28: (counters[ArmCounter.followUpGranted], counters[ArmCounter.followUpEligible])
    case .retentionDay7: (counters[ArmCounter.retained], counters[ArmCounter.retentionEligible])
    }
  }

  /// Enabled later than a denied, skipped or unanswered screen: by whole day since, those who did and those no longer
  /// followed, and those followed longer than all days.
  func survival(_ outcome: Outcome) -> (events: [Int], censored: [Int], beyond: Int) {
    let start = ArmCounter.survival + (outcome.rawValue - Outcome.denied.rawValue) * ArmCounter.survivalStride
    let days = Counter.survivalDays
    return (
      Array(counters[start..<start + days]), Array(counters[start + days..<start + 2 * days]),
      counters[start + 2 * days]
    )
  }
}
