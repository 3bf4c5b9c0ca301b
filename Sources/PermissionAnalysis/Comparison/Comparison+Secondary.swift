// The other metrics of a comparison.

import PermissionEvents
import Statistics

extension Comparison {
  /// A metric beside the primary one.
  public struct Secondary: Sendable {
    /// What is compared.
    public enum Measure: Sendable, Hashable {
      case metric(ComparisonMetric)
      /// The median, in milliseconds.
      case timeToAnswer
      /// Shares by Kaplan and Meier, within 28 days.
      case enabledAfterDenial, enabledAfterSkip, enabledAfterNoAnswer

      /// Its name in JSON.
      public var name: String {
        switch self {
        case .metric(let metric): metric.rawValue
        case .timeToAnswer: "time_to_answer_ms"
        case .enabledAfterDenial: "enabled_later_denied"
        case .enabledAfterSkip: "enabled_later_skipped"
        case .enabledAfterNoAnswer: "enabled_later_dropped_off"
        }
      }

      /// What a log must hold before it is known.
      var evidence: [Evidence] {
        switch self {
        case .metric(let metric): metric.evidence
        case .enabledAfterDenial: [.enabledLater]
        case .timeToAnswer: [.promptTimes, .screens]
        case .enabledAfterSkip: []
        case .enabledAfterNoAnswer: [.screens]
        }
      }

      /// True if its values are milliseconds, and not shares of 1.
      public var isTime: Bool { self == .timeToAnswer }
    }

    public let measure: Measure
    public let a, b: Double?
    /// Users that `a` and `b` are over; nil for a share that is estimated over those still followed.
    public internal(set) var usersA, usersB: Int?
    public internal(set) var difference: Estimate?
    public internal(set) var pValue, log10PValue, adjustedPValue: Double?
    /// `z`, `fisher_mid_p`, `mann_whitney` or `log_rank`.
    public internal(set) var test: String?
    /// P(a value of B is greater) + ½ P(equal), of Mann and Whitney.
    public internal(set) var probabilityBGreater: Double?
    /// Conditioned on something that the variant changes.
    public let isDescriptive: Bool
    /// What the log does not hold, so that all of this is unknown; nil if nothing is missing.
    public internal(set) var noEvidence: Evidence?
  }
}

extension Comparison {
  /// The metrics beside the primary one, adjusted together.
  static func secondary(_ tallies: ComparisonTallies, _ pair: Pair) -> [Secondary] {
    let metrics: [ComparisonMetric] = [.grantRate, .skipRate, .denyRate, .dropOffRate, .grantedByDay28, .retentionDay7]
    var rows = metrics.filter { $0 != tallies.question.metric }.compactMap { rate($0, tallies, pair) }
    rows.append(timeToAnswer(tallies, pair))
    rows = rows.map { known($0, tallies) }
    let adjusted = MultipleTesting.benjaminiHochberg(rows.map(\.pValue))
    for (i, p) in adjusted.enumerated() { rows[i].adjustedPValue = p }
    return rows
  }

  /// What is conditioned on a step that the variant changes.
  static func observations(_ tallies: ComparisonTallies, _ pair: Pair) -> [Secondary] {
    let rates = [ComparisonMetric.promptGrantRate].filter { $0 != tallies.question.metric }
    let returning: [Secondary.Measure] = [.enabledAfterDenial, .enabledAfterSkip, .enabledAfterNoAnswer]
    let rows =
      rates.compactMap { rate($0, tallies, pair) }
      + zip([Outcome.denied, .skipped, .droppedOff], returning).map { enabledLater($0, $1, tallies, pair) }
    return rows.map { known($0, tallies) }
  }

  /// The row, or one of which all is unknown if the log lacks what it rests on.
  private static func known(_ row: Secondary, _ tallies: ComparisonTallies) -> Secondary {
    guard let evidence = row.measure.evidence.first(where: tallies.missing.contains) else { return row }
    return Secondary(measure: row.measure, a: nil, b: nil, isDescriptive: row.isDescriptive, noEvidence: evidence)
  }

  private static func rate(_ metric: ComparisonMetric, _ tallies: ComparisonTallies, _ pair: Pair) -> Secondary? {
    guard let a = try? tallies.counted[pair.control].binomial(metric),
      let b = try? tallies.counted[pair.treatment].binomial(metric)
    else { return nil }
    let test = EqualityTest.primary(b, a)
    return Secondary(
      measure: .metric(metric), a: a.rate, b: b.rate, usersA: a.trials, usersB: b.trials,
      difference: Estimate.difference(b, a), pValue: test?.pValue, log10PValue: test?.log10PValue,
      test: test?.method.rawValue, isDescriptive: metric.isDescriptive)
  }

  /// Medians in milliseconds, their difference, and Mann–Whitney on the recorded histogram. Only those who answered have
  /// a time, so this describes and decides nothing.
  private static func timeToAnswer(_ tallies: ComparisonTallies, _ pair: Pair) -> Secondary {
    let histograms = [pair.control, pair.treatment].map { tallies.times[$0] }
    let counts = histograms.map { $0.bins.reduce(0) { $0 + Int($1.count) } }
    let medians = zip(histograms, counts).map { $1 > 0 ? $0.quantiles([50], of: $1)[0] : nil }
    let samples = histograms.map { try? Histogram($0.bins.map { (TimeBucket.middle($0.bucket), Int($0.count)) }) }
    var row = Secondary(
      measure: .timeToAnswer, a: medians[0], b: medians[1], usersA: counts[0], usersB: counts[1], isDescriptive: true)
    if let a = samples[0], let b = samples[1], let test = MannWhitney.test(b, a) {
      row.pValue = test.pValue
      row.log10PValue = test.log10PValue
      row.probabilityBGreater = test.probabilityFirstGreater
      row.test = "mann_whitney"
      if let medianA = medians[0], let medianB = medians[1] {
        row.difference = Estimate(medianB - medianA)
        if case .success(let of) = Quantiles.estimate(b, 0.5), case .success(let minus) = Quantiles.estimate(a, 0.5) {
          row.difference = Estimate(
            medianB - medianA,
            standardError: (of.standardError * of.standardError + minus.standardError * minus.standardError)
              .squareRoot())
        }
      }
    }
    return row
  }

  /// The share enabled within 28 days by Kaplan and Meier, and the log-rank test of the two curves.
  private static func enabledLater(
    _ outcome: Outcome, _ measure: Secondary.Measure, _ tallies: ComparisonTallies, _ pair: Pair
  ) -> Secondary {
    let curves = [pair.control, pair.treatment].map { tallies.counted[$0].survival(outcome) }
    let shares = curves.map { curve in
      KaplanMeier.steps(events: curve.events, censored: curve.censored, beyond: curve.beyond).last?.eventProbability
    }
    let times = curves.map { SurvivalTimes(events: $0.events, censored: $0.censored, beyond: $0.beyond) }
    let test = LogRank.test(times[1], times[0])
    return Secondary(
      measure: measure, a: shares[0], b: shares[1],
      difference: shares[0].flatMap { a in shares[1].map { Estimate($0 - a) } }, pValue: test?.pValue,
      test: test == nil ? nil : "log_rank", isDescriptive: true)
  }
}
