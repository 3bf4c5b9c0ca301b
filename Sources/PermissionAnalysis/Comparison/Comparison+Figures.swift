// One message against the control: all figures of a comparison from its sums.

import PermissionEvents
import Statistics

extension Comparison {
  /// - Parameter treatment: number of the message among the arms; 0 is the control.
  init(_ sums: ComparisonSums, _ names: ComparisonNames, treatment: Int) throws {
    let question = sums.question
    let metric = question.metric
    let counted = sums.counted
    let pair = Pair(control: 0, treatment: treatment)
    let a = try counted[pair.control].binomial(metric)
    let b = try counted[pair.treatment].binomial(metric)
    let family = max(1, question.arms - 1)
    let alpha = 0.05 / Double(family)

    permission = names.permission
    experiment = names.experiment
    self.metric = metric
    zone = question.zone
    windows = question.windows
    familySize = family
    confidence = 1 - alpha
    plannedUsers = question.plannedUsers
    self.a = Arm(names.variants[pair.control], counted[pair.control], a)
    self.b = Arm(names.variants[pair.treatment], counted[pair.treatment], b)

    difference = Estimate.difference(b, a, confidence: 1 - alpha)
    ratio = Self.ratio(b, a, confidence: 1 - alpha)
    test = EqualityTest.primary(b, a)
    adjustedPValue = test?.pValue
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: question.plannedUsers, alpha: alpha)
    switch sequence.evaluate(b, a) {
    case .success(let result):
      alwaysValid = AlwaysValid(
        pValue: result.pValue, log10PValue: result.log10PValue, low: result.interval.low, high: result.interval.high)
      alwaysValidRefused = nil
    case .failure(let refusal):
      alwaysValid = nil
      alwaysValidRefused = Refusal(refusal, a: self.a.variant, b: self.b.variant)
    }
    exactSequence = try Self.exactSequence(b, a, planned: question.plannedUsers, alpha: alpha)
    let series = Self.series(sums, pair, sequence)
    self.series = series
    looks = try question.looks.map { try Self.looks($0, series, sequence) }
    bayes = Self.bayes(a, b, metric)

    sampleRatio = try Self.sampleRatio(sums)
    contamination = try Self.contamination(sums, pair)
    strata = []
    novelty = Self.novelty(series, a, b)
    guardrails = try question.guardrails.map { try Self.guardrail($0, sums, pair) }
    needed = Self.needed(a, b, sums, alpha: alpha)
    secondary = Self.secondary(sums, pair)
    observations = Self.observations(sums, pair)
    segments = nil
    decision = .keepRunning
    reasons = []
    cautions = []
    let isDecided = headline.map { $0.kind != .oneLook && ($0.low > 0 || $0.high < 0) } ?? false
    strata = try Self.propertyChecks(sums, pair, isDecided: isDecided)
    segments = Self.segments(sums, pair, strata)
    (decision, reasons) = decide(
      exposureDays: sums.days.filter { _, row in row.all[pair.control].exposed + row.all[pair.treatment].exposed > 0 }
        .count)
    cautions = findCautions()
  }

  /// The arms of one comparison among all.
  struct Pair {
    var control: Int
    var treatment: Int
  }

  /// B's rate over A's; nil if A's is 0 or unknown. No upper limit is a bound of nil.
  private static func ratio(_ b: BinomialSample, _ a: BinomialSample, confidence: Double) -> Estimate? {
    guard let rateA = a.rate, let rateB = b.rate, rateA > 0 else { return nil }
    var estimate = Estimate(rateB / rateA, MiettinenNurminen.ratioInterval(b, a, confidence: confidence))
    if estimate.high?.isFinite == false { estimate.high = nil }
    return estimate
  }

  private static func exactSequence(
    _ b: BinomialSample, _ a: BinomialSample, planned: Int, alpha: Double
  ) throws -> Interval? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    return try BernoulliConfidenceSequence.differenceInterval(
      b, a, tuningTrials: max(1, planned / 2), alpha: alpha)
  }

  private static func bayes(_ a: BinomialSample, _ b: BinomialSample, _ metric: ComparisonMetric) -> Bayes? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    let lossOfLowA = BetaBinomial.expectedLoss(choosing: a, over: b)
    let lossOfLowB = BetaBinomial.expectedLoss(choosing: b, over: a)
    // With the outcome turned round, what is lost is too: choosing A where B's rate is lower.
    return Bayes(
      probabilityBGreater: BetaBinomial.probabilityGreater(b, than: a),
      expectedLossA: metric.isGoodWhenHigh ? lossOfLowA : lossOfLowB,
      expectedLossB: metric.isGoodWhenHigh ? lossOfLowB : lossOfLowA,
      difference: Estimate(BetaBinomial.meanDifference(b, a), BetaBinomial.differenceInterval(b, a)))
  }
}

extension Comparison.Arm {
  fileprivate init(_ variant: String, _ counts: ArmCounts, _ sample: BinomialSample) {
    self.variant = variant
    self.counts = counts
    successes = sample.successes
    trials = sample.trials
    rate = Estimate.rate(sample.successes, sample.trials)
  }
}
