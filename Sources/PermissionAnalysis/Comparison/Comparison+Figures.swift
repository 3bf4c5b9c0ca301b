// From the sums of a comparison to its figures: each variant against the control.

import Folding
import Statistics

extension ComparisonSet {
  /// - Parameter sums: of all users.
  package init(_ sums: ComparisonSums, _ question: ComparisonQuestion) throws {
    try sums.check(of: question)
    guard !sums.settled.hasTooManyStrata else { throw AdjustmentError.tooManyStrata(properties: question.adjust) }
    let tallies = ComparisonTallies(sums, question)
    try tallies.requireEvidence()
    pairs = try (1..<max(1, question.arms)).map { try Comparison(tallies, treatment: $0) }
    versions = sums.versions.appearances
    let adjusted = MultipleTesting.holm(pairs.map { $0.test?.pValue })
    for (i, p) in adjusted.enumerated() { pairs[i].adjustedPValue = p }
    adjustHeterogeneity()
    let metric = question.metric
    let samples = try tallies.counted.map { counts in
      let sample = try counts.binomial(metric)
      return metric.isGoodWhenHigh ? sample : sample.complement
    }
    probabilityBest = samples.allSatisfy { $0.trials > 0 } ? BetaBinomial.probabilityBest(samples) : nil
  }

  /// All properties of all pairs are one family.
  private mutating func adjustHeterogeneity() {
    let places = pairs.indices.flatMap { pair in pairs[pair].strata.indices.map { (pair, $0) } }
    let adjusted = MultipleTesting.benjaminiHochberg(places.map { pairs[$0].strata[$1].heterogeneity?.pValue })
    for ((pair, property), p) in zip(places, adjusted) {
      guard let p else { continue }
      pairs[pair].strata[property].heterogeneity?.adjustedPValue = p
      if pairs[pair].segments?.property == pairs[pair].strata[property].property {
        pairs[pair].segments?.heterogeneity?.adjustedPValue = p
      }
    }
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
    comparedProperty = question.comparedProperty
    experiment = question.experiment
    conditions = question.conditions
    self.metric = metric
    zone = question.zone
    windows = question.windows
    familySize = family
    confidence = 1 - alpha
    plan = question.plan
    isMisread = tallies.isMisread
    isOfAnswersAlone = tallies.missing.contains(.screens)
    let notAsked = [pair.control, pair.treatment].map {
      tallies.notAsked.indices.contains($0) ? tallies.notAsked[$0] : 0
    }
    let isDropOffKnown = tallies.missing.hasDropOff
    self.a = Arm(
      variants[pair.control], counted[pair.control], a, notAsked: notAsked[0], isDropOffKnown: isDropOffKnown)
    self.b = Arm(
      variants[pair.treatment], counted[pair.treatment], b, notAsked: notAsked[1], isDropOffKnown: isDropOffKnown)

    difference = Estimate.difference(b, a, confidence: 1 - alpha)
    ratio = Self.ratio(b, a, confidence: 1 - alpha)
    test = EqualityTest.primary(b, a)
    adjustedPValue = test?.pValue
    let planned = question.plan?.plannedUsers ?? question.plannedUsers
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: planned, alpha: alpha)
    switch sequence.evaluate(b, a) {
    case .success(let result):
      alwaysValid = AlwaysValid(
        pValue: result.pValue, log10PValue: result.log10PValue, low: result.interval.low, high: result.interval.high)
      alwaysValidRefused = nil
    case .failure(let refusal):
      alwaysValid = nil
      alwaysValidRefused = AlwaysValidRefusal(refusal, a: self.a.variant, b: self.b.variant)
    }
    exactSequence = try Self.exactSequence(b, a, planned: planned, alpha: alpha)
    let exposureDays = tallies.days.filter {
      $0.arms.all[pair.control].exposed + $0.arms.all[pair.treatment].exposed > 0
    }.map(\.day)
    let recorded = question.recorded?.first { $0.variant == variants[pair.treatment] }
    let looks = LookPlan(tallies, pair, alpha: alpha, exposureDays: exposureDays, recorded: recorded)
    var monitoring = try Self.monitoring(looks, question, sequence)
    monitoring.compareOneLook(looks?.oneLook)
    if recorded != nil {
      let fromLog = LookPlan(tallies, pair, alpha: alpha, exposureDays: exposureDays, recorded: nil)
      monitoring.compareRecord(with: try Self.monitoring(fromLog, question, sequence))
    }
    self.monitoring = monitoring
    firstExposureDay = exposureDays.first
    series = Self.series(looks?.days ?? [], monitoring.looks, sequence)
    bayes = Self.bayes(a, b, metric)

    sampleRatio = question.isOfMessages ? try Self.sampleRatio(tallies) : nil
    contamination = question.isOfMessages ? try Self.contamination(tallies, pair) : nil
    strata = try Self.propertyChecks(tallies, pair)
    novelty = Self.novelty(tallies, pair, a, b, crossing: monitoring.crossing?.day)
    guardrails = try question.guardrails.map { try Self.guardrail($0, tallies, pair) }
    let asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    endedOn = exposureDays.last.flatMap { $0 + ExperimentList.runningDays < asOfDay ? $0 : nil }
    needed = try Self.needed(a, b, tallies, pair, monitoring, alpha: alpha, hasEnded: endedOn != nil)
    secondary = Self.secondary(tallies, pair)
    observations = Self.observations(tallies, pair)
    segments = nil
    decision = .keepRunning
    reasons = []
    cautions = []
    segments = Self.segments(tallies, pair, strata)
    (decision, decidedOn, reasons) = decide(exposureDays: exposureDays)
    cautions = findCautions()
  }
}
