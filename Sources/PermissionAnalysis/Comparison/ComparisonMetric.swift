// What arms are compared by, and the counts of an arm that metrics are made of.

import Statistics

/// A metric of a comparison: a share of the journeys of one arm. Raw values are the names in JSON.
public enum ComparisonMetric: String, CaseIterable, Sendable {
  case grantRate = "grant_rate"
  case grantedByDay28 = "granted_by_day_28"
  case denyRate = "deny_rate"
  case skipRate = "skip_rate"
  case dropOffRate = "drop_off_rate"
  case promptGrantRate = "prompt_grant_rate"
  case retentionDay7 = "retention_day_7"

  /// True if more is better.
  public var isGoodWhenHigh: Bool {
    switch self {
    case .grantRate, .grantedByDay28, .promptGrantRate, .retentionDay7: true
    case .denyRate, .skipRate, .dropOffRate: false
    }
  }

  /// True for a share of those who got that far, whom the variant itself has selected.
  public var isDescriptive: Bool { self == .promptGrantRate }

  /// What a log must hold before it is known.
  public var evidence: [Evidence] {
    switch self {
    case .retentionDay7: [.activity, .answers]
    case .dropOffRate: [.answers, .screens]
    default: [.answers]
    }
  }
}

/// What a journey adds 0 or 1 to. Metrics are made of these, so that any of them can be looked at afterwards.
enum ArmCounter: Int, CaseIterable {
  case exposed, pending, restricted
  // By `Outcome` of the base.
  case granted, denied, skipped, droppedOff
  case followUpEligible, followUpGranted
  /// Day 7 after the exposure.
  case retentionEligible, retained

  static let count = retained.rawValue + 1
  /// By returning outcome (denied, skipped, dropped off); of whole arms alone.
  static let survival = count
  /// Of a whole arm: the counters and the survivals.
  static let places = survival + 3 * Survival.stride

  static let names = allCases.map { CounterNames.snakeCase("\($0)") }
  static let armNames = names + ["denied", "skipped", "dropped_off"].flatMap { Survival.names($0) }
}

/// Journeys of one arm, in part or as a whole.
package struct ArmCounts: Sendable, Equatable {
  /// Those of `ArmCounter`, with the survivals or without them: a piece of the sums, not copied.
  private var integers: ArraySlice<Int64>

  package init() { integers = [Int64](repeating: 0, count: ArmCounter.places)[...] }

  init(_ integers: ArraySlice<Int64>) { self.integers = integers }

  package var exposed: Int { count(.exposed) }
  package var pending: Int { count(.pending) }
  package var restricted: Int { count(.restricted) }
  package var base: Int { exposed - pending - restricted }

  private func count(_ place: Int) -> Int { Int(integers[integers.startIndex + place]) }
  private func count(_ counter: ArmCounter) -> Int { count(counter.rawValue) }

  static func + (a: Self, b: Self) -> Self { Self(zip(a.integers, b.integers).map { $0 + $1 }[...]) }

  package subscript(_ outcome: Outcome) -> Int {
    Outcome.base.contains(outcome) ? count(ArmCounter.granted.rawValue + outcome.rawValue) : 0
  }

  /// Successes and trials of a metric.
  package func sample(_ metric: ComparisonMetric) -> (successes: Int, trials: Int) {
    switch metric {
    case .grantRate: (self[.granted], base)
    case .denyRate: (self[.denied], base)
    case .skipRate: (self[.skipped], base)
    case .dropOffRate: (self[.droppedOff], base)
    case .promptGrantRate: (self[.granted], self[.granted] + self[.denied])
    case .grantedByDay28: (count(.followUpGranted), count(.followUpEligible))
    case .retentionDay7: (count(.retained), count(.retentionEligible))
    }
  }

  /// Throws if sums that a file brought contradict themselves.
  func binomial(_ metric: ComparisonMetric) throws(StatisticsError) -> BinomialSample {
    let sample = sample(metric)
    return try BinomialSample(successes: sample.successes, trials: sample.trials)
  }

  func tally(_ metric: ComparisonMetric) -> Comparison.Tally {
    let sample = sample(metric)
    return Comparison.Tally(exposed: exposed, trials: sample.trials, successes: sample.successes)
  }

  /// Enabled later than a denied, skipped or unanswered screen: by whole day since, those who did and those no longer
  /// followed, and those followed longer than all days.
  func survival(_ outcome: Outcome) -> (events: [Int], censored: [Int], beyond: Int) {
    let start = ArmCounter.survival + (outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    let days = Survival.days
    return (
      (start..<start + days).map { count($0) }, (start + days..<start + 2 * days).map { count($0) },
      count(start + 2 * days)
    )
  }
}
