// From the sums of a comparison to its figures: each variant against the control.

import Folding
import Statistics

extension ComparisonSet {
  /// - Parameter sums: of all users.
  package init(_ sums: ComparisonSums, _ question: ComparisonQuestion) throws {
    // A file of sums may name other variants than its question.
    guard sums.variants.isEmpty || sums.variants == question.armNames else {
      throw SumsError(.otherQuestion, "the sums are of other messages than the question")
    }
    guard !sums.settled.hasTooManyStrata else { throw AdjustmentError.tooManyStrata(properties: question.adjust) }
    let tallies = ComparisonTallies(sums, question)
    pairs = try (1..<max(1, question.arms)).map { try Comparison(tallies, treatment: $0) }
    let adjusted = MultipleTesting.holm(pairs.map { $0.test?.pValue })
    for (i, p) in adjusted.enumerated() { pairs[i].adjustedPValue = p }
    let metric = question.metric
    let samples = try tallies.counted.map { counts in
      let sample = try counts.binomial(metric)
      return metric.isGoodWhenHigh ? sample : sample.complement
    }
    probabilityBest = samples.allSatisfy { $0.trials > 0 } ? BetaBinomial.probabilityBest(samples) : nil
  }
}

extension Comparison {
  /// The arms of one comparison among all.
  struct Pair {
    var control: Int
    var treatment: Int
  }

  /// - Parameter treatment: number of the arm that is compared; 0 is the control.
  init(_ tallies: ComparisonTallies, treatment: Int) throws {
    let question = tallies.question
    let metric = question.metric
    let counted = tallies.counted
    let pair = Pair(control: 0, treatment: treatment)
    let a = try counted[pair.control].binomial(metric)
    let b = try counted[pair.treatment].binomial(metric)
    let variants = question.variants ?? []
    let family = max(1, question.arms - 1)
    let alpha = 0.05 / Double(family)

    permission = question.permission
    experiment = question.experiment
    self.metric = metric
    zone = question.zone
    windows = question.windows
    familySize = family
    confidence = 1 - alpha
    plannedUsers = question.plannedUsers
    self.a = Arm(variants[pair.control], counted[pair.control], a)
    self.b = Arm(variants[pair.treatment], counted[pair.treatment], b)

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
      alwaysValidRefused = AlwaysValidRefusal(refusal, a: self.a.variant, b: self.b.variant)
    }
    exactSequence = try Self.exactSequence(b, a, planned: question.plannedUsers, alpha: alpha)
    let series = Self.series(tallies, pair, sequence)
    self.series = series
    if case .looks(let count) = question.rule {
      looks = try Self.looks(count, series, sequence)
    } else {
      looks = nil
    }
    bayes = Self.bayes(a, b, metric)

    sampleRatio = try Self.sampleRatio(tallies)
    contamination = try Self.contamination(tallies, pair)
    strata = []
    novelty = Self.novelty(series, a, b)
    guardrails = try question.guardrails.map { try Self.guardrail($0, tallies, pair) }
    needed = Self.needed(a, b, tallies, alpha: alpha)
    secondary = Self.secondary(tallies, pair)
    observations = Self.observations(tallies, pair)
    segments = nil
    decision = .keepRunning
    reasons = []
    cautions = []
    let isDecided = headline.map { $0.kind != .oneLook && ($0.low > 0 || $0.high < 0) } ?? false
    strata = try Self.propertyChecks(tallies, pair, isDecided: isDecided)
    segments = Self.segments(tallies, pair, strata)
    let days = tallies.days.filter {
      $0.arms.all[pair.control].exposed + $0.arms.all[pair.treatment].exposed > 0
    }
    (decision, reasons) = decide(exposureDays: days.count)
    cautions = findCautions()
  }
}
