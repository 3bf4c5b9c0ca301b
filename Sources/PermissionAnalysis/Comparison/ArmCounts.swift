// The integers of one arm of a comparison; two halves of the users add up.

/// Journeys of one arm.
package struct ArmCounts: Sendable, Equatable {
  package var exposed = 0
  package var pending = 0
  package var restricted = 0
  /// By `Outcome` of the base.
  package var outcomes = [0, 0, 0, 0]
  package var followUpEligible = 0
  package var followUpGranted = 0
  package var retentionEligible = 0
  package var retained = 0

  package var base: Int { exposed - pending - restricted }

  static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.exposed += b.exposed
    sum.pending += b.pending
    sum.restricted += b.restricted
    for i in sum.outcomes.indices { sum.outcomes[i] += b.outcomes[i] }
    sum.followUpEligible += b.followUpEligible
    sum.followUpGranted += b.followUpGranted
    sum.retentionEligible += b.retentionEligible
    sum.retained += b.retained
    return sum
  }

  package subscript(_ outcome: Outcome) -> Int { outcomes[outcome.rawValue] }

  /// Successes and trials of a metric.
  package func sample(_ metric: ComparisonMetric) -> (successes: Int, trials: Int) {
    switch metric {
    case .grantRate: (self[.granted], base)
    case .denyRate: (self[.denied], base)
    case .skipRate: (self[.skipped], base)
    case .dropOffRate: (self[.droppedOff], base)
    case .promptGrantRate: (self[.granted], self[.granted] + self[.denied])
    case .grantedByDay28: (followUpGranted, followUpEligible)
    case .retentionDay7: (retained, retentionEligible)
    }
  }
}
