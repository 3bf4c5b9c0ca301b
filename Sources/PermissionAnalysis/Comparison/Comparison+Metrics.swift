// The primary metric of a comparison: its arms, and the result of each method for their difference.

import PermissionEvents
import Statistics

extension Comparison {
  /// The users who were shown one variant.
  public struct Arm: Sendable {
    public let variant: String
    /// Under the contamination policy.
    package let counts: ArmCounts
    /// Of the primary metric. Successes are the users that it counts.
    public let successes, trials: Int
    /// With Wilson's 95 % interval; nil without trials.
    public let rate: Estimate?
    /// Users who are not exposed, because all calls with the message returned at once: no dialog was shown.
    public let notAsked: Int
    /// Whether it is known who did not answer. False if the log has no screens.
    package let isDropOffKnown: Bool

    /// Journeys under the contamination policy: all, the ones with an open window, the ones without a choice, and the rest.
    public var exposed: Int { counts.exposed }
    public var pending: Int { counts.pending }
    public var restricted: Int { counts.restricted }
    public var base: Int { counts.base }

    var tally: Tally { Tally(trials: trials, successes: successes) }

    /// None of the users granted, denied or skipped.
    var isSilent: Bool { counts[.granted] + counts[.denied] + counts[.skipped] == 0 }
    /// No answer among at least 50 users: no rate can be believed.
    var hasNoAnswers: Bool { isSilent && base >= 50 }

    init(_ tallies: ComparisonTallies, _ arm: Int, _ variant: String, _ sample: BinomialSample) {
      self.variant = variant
      counts = tallies.counted[arm]
      notAsked = tallies.notAsked[arm]
      isDropOffKnown = tallies.missing.hasDropOff
      (successes, trials) = (sample.successes, sample.trials)
      rate = Estimate.rate(successes, trials)
    }
  }

  /// The interval of the asymptotic confidence sequence, valid at every look.
  public struct AlwaysValid: Sendable {
    public let pValue, log10PValue: Double
    public let low, high: Double
  }

  /// A second view, from flat priors. It never decides.
  public struct Bayes: Sendable {
    /// P(rate of B > rate of A).
    public let probabilityBGreater: Double
    /// The average loss of choosing A or B, in the metric's good direction.
    public let expectedLossA, expectedLossB: Double
    /// Posterior mean and 95 % credible interval.
    public let difference: Estimate
  }

  /// Exposures, and of those the trials and successes of a metric.
  public struct Tally: Sendable, Equatable {
    public internal(set) var exposed = 0, trials = 0, successes = 0

    package init(exposed: Int = 0, trials: Int = 0, successes: Int = 0) {
      (self.exposed, self.trials, self.successes) = (exposed, trials, successes)
    }

    public static func + (a: Self, b: Self) -> Self {
      Tally(exposed: a.exposed + b.exposed, trials: a.trials + b.trials, successes: a.successes + b.successes)
    }

    static func += (a: inout Self, b: Self) { a = a + b }

    static func - (a: Self, b: Self) -> Self {
      Tally(exposed: a.exposed - b.exposed, trials: a.trials - b.trials, successes: a.successes - b.successes)
    }

    /// Successes over trials; nil without trials.
    public var rate: Double? { trials > 0 ? Double(successes) / Double(trials) : nil }

    var sample: BinomialSample? { try? binomial() }

    /// Throws if sums that a file brought contradict themselves.
    func binomial() throws(StatisticsError) -> BinomialSample {
      try BinomialSample(successes: successes, trials: trials)
    }
  }

  /// B's rate over A's; nil if A's is 0 or unknown. No upper limit is a bound of nil.
  static func ratio(_ b: BinomialSample, _ a: BinomialSample, confidence: Double) -> Estimate? {
    guard let rateA = a.rate, let rateB = b.rate, rateA > 0 else { return nil }
    var estimate = Estimate(rateB / rateA, MiettinenNurminen.ratioInterval(b, a, confidence: confidence))
    if estimate.high?.isFinite == false { estimate.high = nil }
    return estimate
  }

  static func exactSequence(_ b: BinomialSample, _ a: BinomialSample, planned: Int, alpha: Double) throws -> Interval? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    return try BernoulliConfidenceSequence.differenceInterval(b, a, tuningTrials: max(1, planned / 2), alpha: alpha)
  }

  static func bayes(_ a: BinomialSample, _ b: BinomialSample, _ metric: ComparisonMetric) -> Bayes? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    let lossOfLowA = BetaBinomial.expectedLoss(choosing: a, over: b)
    let lossOfLowB = BetaBinomial.expectedLoss(choosing: b, over: a)
    // If less is better, the loss is turned round too: that of choosing A when B's rate is lower.
    return Bayes(
      probabilityBGreater: BetaBinomial.probabilityGreater(b, than: a),
      expectedLossA: metric.isGoodWhenHigh ? lossOfLowA : lossOfLowB,
      expectedLossB: metric.isGoodWhenHigh ? lossOfLowB : lossOfLowA,
      difference: Estimate(BetaBinomial.meanDifference(b, a), BetaBinomial.differenceInterval(b, a)))
  }

  // MARK: The other metrics of a comparison

  /// A metric other than the primary one.
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

      /// The evidence that the log must have for the metric to be known.
      var evidence: [Evidence] {
        switch self {
        case .metric(let metric): metric.evidence
        case .enabledAfterDenial: [.enabledLater]
        case .timeToAnswer: [.promptTimes, .screens]
        case .enabledAfterSkip: []
        case .enabledAfterNoAnswer: [.screens]
        }
      }

      /// Whether its values are milliseconds, and not shares of 1.
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
    /// Whether it depends on a step that the variant changes.
    public let isDescriptive: Bool
    /// How finely its times are known, in milliseconds.
    package var timeStep: Milliseconds = 1
    /// The events that the log lacks, so all of this is unknown. Nil if none are missing.
    public internal(set) var noEvidence: Evidence?
  }

  /// The metrics other than the primary one, adjusted together.
  static func secondary(_ tallies: ComparisonTallies, _ pair: Pair) -> [Secondary] {
    let isOfSettings = tallies.question.screen == .settings
    let metrics: [ComparisonMetric] =
      isOfSettings
      ? [.settingsEnabled, .settingsOpened, .retentionDay7]
      : [.grantRate, .skipRate, .denyRate, .dropOffRate, .grantedByDay28, .retentionDay7, .keptByDay28]
    var rows = metrics.filter { $0 != tallies.question.metric }.compactMap { rate($0, tallies, pair) }
    if !isOfSettings { rows.append(timeToAnswer(tallies, pair)) }
    rows = rows.map { known($0, tallies) }
    let adjusted = MultipleTesting.benjaminiHochberg(rows.map(\.pValue))
    for (i, p) in adjusted.enumerated() { rows[i].adjustedPValue = p }
    return rows
  }

  /// Measures conditional on a step that the variant changes. A Settings message changes none: all who saw it were denied.
  static func observations(_ tallies: ComparisonTallies, _ pair: Pair) -> [Secondary] {
    guard tallies.question.screen == .permission else { return [] }
    let rates = [ComparisonMetric.promptGrantRate].filter { $0 != tallies.question.metric }
    let returning: [Secondary.Measure] = [.enabledAfterDenial, .enabledAfterSkip, .enabledAfterNoAnswer]
    let rows =
      rates.compactMap { rate($0, tallies, pair) }
      + zip([Outcome.denied, .skipped, .droppedOff], returning).map { enabledLater($0, $1, tallies, pair) }
    return rows.map { known($0, tallies) }
  }

  /// Returns the row. If the log lacks the events that it needs, all its numbers are unknown.
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
    let medians = zip(histograms, counts).map { $1 > 0 ? TimeHistogram.quantiles([50], of: $1, in: [$0])[0] : nil }
    let samples = histograms.map { try? Histogram($0.bins.map { (TimeBucket.middle($0.bucket), Int($0.count)) }) }
    var row = Secondary(
      measure: .timeToAnswer, a: medians[0], b: medians[1], usersA: counts[0], usersB: counts[1], isDescriptive: true)
    row.timeStep = tallies.timeStep
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
