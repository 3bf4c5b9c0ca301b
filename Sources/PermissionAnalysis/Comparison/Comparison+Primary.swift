// The primary metric of a comparison: its arms, and what each method says of their difference.

import Statistics

extension Comparison {
  /// The users who were shown one variant.
  public struct Arm: Sendable {
    public let variant: String
    /// Under the contamination policy.
    package let counts: ArmCounts
    /// Of the primary metric; successes are those that count for it.
    public let successes, trials: Int
    /// With Wilson's 95 % interval; nil without trials.
    public let rate: Estimate?
    /// Users who are not exposed, because all calls with the message returned at once: no dialog was shown.
    public let notAsked: Int
    /// False if the log has no screens: then nobody is known not to have answered.
    package let isDropOffKnown: Bool

    /// Journeys under the contamination policy: all, those whose window is open, those without a say, and the rest.
    public var exposed: Int { counts.exposed }
    public var pending: Int { counts.pending }
    public var restricted: Int { counts.restricted }
    public var base: Int { counts.base }

    /// Of the primary metric.
    var tally: Tally { Tally(trials: trials, successes: successes) }

    init(_ variant: String, _ counts: ArmCounts, _ sample: BinomialSample, notAsked: Int, isDropOffKnown: Bool) {
      self.variant = variant
      self.isDropOffKnown = isDropOffKnown
      self.notAsked = notAsked
      self.counts = counts
      (successes, trials) = (sample.successes, sample.trials)
      rate = Estimate.rate(successes, trials)
    }
  }

  /// What the asymptotic confidence sequence says of the difference, at every look.
  public struct AlwaysValid: Sendable {
    public let pValue, log10PValue: Double
    public let low, high: Double
  }

  /// A second lens, from flat priors; it never decides.
  public struct Bayes: Sendable {
    /// P(rate of B > rate of A).
    public let probabilityBGreater: Double
    /// What is lost on average by choosing A or B, in the metric's good direction.
    public let expectedLossA, expectedLossB: Double
    /// Posterior mean and 95 % credible interval.
    public let difference: Estimate
  }

  /// Exposures, and of those the trials and successes of a metric.
  public struct Tally: Sendable, Equatable {
    public internal(set) var exposed = 0
    public internal(set) var trials = 0
    public internal(set) var successes = 0

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

    var sample: BinomialSample? { try? BinomialSample(successes: successes, trials: trials) }

    /// Throws if sums that a file brought contradict themselves.
    func binomial() throws(StatisticsError) -> BinomialSample {
      try BinomialSample(successes: successes, trials: trials)
    }
  }
}

extension Comparison {
  /// B's rate over A's; nil if A's is 0 or unknown. No upper limit is a bound of nil.
  static func ratio(_ b: BinomialSample, _ a: BinomialSample, confidence: Double) -> Estimate? {
    guard let rateA = a.rate, let rateB = b.rate, rateA > 0 else { return nil }
    var estimate = Estimate(rateB / rateA, MiettinenNurminen.ratioInterval(b, a, confidence: confidence))
    if estimate.high?.isFinite == false { estimate.high = nil }
    return estimate
  }

  static func exactSequence(
    _ b: BinomialSample, _ a: BinomialSample, planned: Int, alpha: Double
  ) throws -> Interval? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    return try BernoulliConfidenceSequence.differenceInterval(
      b, a, tuningTrials: max(1, planned / 2), alpha: alpha)
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
}
