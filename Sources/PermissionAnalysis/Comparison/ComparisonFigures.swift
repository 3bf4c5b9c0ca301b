// From a finished fold to a comparison.

import PermissionEvents
import Statistics

extension Comparison {
  /// - Parameter names: of the two variants, and of the experiment where one was named.
  package init(_ fold: ComparisonFold, permission: String, variants: [String], experiment: String?) throws {
    let question = fold.question
    let excluding = fold.clean
    let including = zip(fold.clean, fold.contaminated).map { $0 + $1 }
    let counts = question.policy == .first ? including : excluding
    let samples = try counts.map { try Self.sample($0, question.metric) }
    let (a, b) = (samples[0], samples[1])

    self.permission = permission
    self.experiment = experiment
    metric = question.metric
    timeZone = question.zone.name
    windows = question.windows
    let arms = (0..<2).map { i in
      Arm(
        variant: variants[i], counts: counts[i], successes: samples[i].successes, trials: samples[i].trials,
        rate: Estimate.rate(samples[i].successes, samples[i].trials))
    }
    self.a = arms[0]
    self.b = arms[1]
    difference = Estimate.difference((b.successes, b.trials), (a.successes, a.trials))
    ratio = Self.ratio(b, a)
    test = EqualityTest.primary(b, a)
    plannedUsers = question.plannedUsers
    switch try AsymptoticConfidenceSequence(plannedUsers: question.plannedUsers).evaluate(b, a) {
    case .success(let result):
      alwaysValid = AlwaysValid(pValue: result.pValue, low: result.interval.low, high: result.interval.high)
      alwaysValidRefused = nil
    case .failure(let refusal):
      alwaysValid = nil
      alwaysValidRefused = Self.sentence(refusal, variants)
    }
    bayes = Self.bayes(a, b, question.metric)
    sampleRatio = try Self.sampleRatio(including, question.split)
    let users = including.reduce(0) { $0 + $1.exposed }
    let both = fold.contaminated.reduce(0) { $0 + $1.exposed }
    let clean = try excluding.map { try Self.sample($0, question.metric) }
    contamination = Contamination(
      users: both, share: users > 0 ? Double(both) / Double(users) : nil, policy: question.policy,
      differenceExcluding: Estimate.difference(
        (clean[1].successes, clean[1].trials), (clean[0].successes, clean[0].trials)))
    needed = Self.needed(a, b, fold)
    secondary = Self.secondary(counts, fold, question)
    decision = .keepRunning
    reasons = []
    (decision, reasons) = decide(fold)
  }

  private static func sample(_ counts: ArmCounts, _ metric: ComparisonMetric) throws -> BinomialSample {
    let sample = counts.sample(metric)
    return try BinomialSample(successes: sample.successes, trials: sample.trials)
  }

  /// B's rate over A's; nil where A's is 0 or unknown. No upper limit is a bound of nil.
  private static func ratio(_ b: BinomialSample, _ a: BinomialSample) -> Estimate? {
    guard let rateA = a.rate, let rateB = b.rate, rateA > 0 else { return nil }
    var estimate = Estimate(rateB / rateA, MiettinenNurminen.ratioInterval(b, a))
    if estimate.high?.isFinite == false { estimate.high = nil }
    return estimate
  }

  private static func sentence(_ refusal: AsymptoticConfidenceSequence.Refusal, _ variants: [String]) -> String {
    // The sequence takes B first.
    func text(_ arm: Int, _ have: Int, _ what: String, _ need: Int) -> String {
      "\(variants[arm == 1 ? 1 : 0]) has \(have) \(have == 1 ? String(what.dropLast()) : what); an always-valid statement needs \(need) for each message."
    }
    return switch refusal {
    case .tooFewUsers(let arm, let have, let need): text(arm, have, "users", need)
    case .tooFewEvents(let arm, let have, let need): text(arm, have, "events", need)
    case .tooFewNonEvents(let arm, let have, let need): text(arm, have, "non-events", need)
    case .noVariance: refusal.sentence
    }
  }

  private static func bayes(_ a: BinomialSample, _ b: BinomialSample, _ metric: ComparisonMetric) -> Bayes? {
    guard a.trials > 0, b.trials > 0 else { return nil }
    let lossOfLowA = BetaBinomial.expectedLoss(choosing: a, over: b)
    let lossOfLowB = BetaBinomial.expectedLoss(choosing: b, over: a)
    return Bayes(
      probabilityBGreater: BetaBinomial.probabilityGreater(b, than: a),
      expectedLossA: metric.isGoodWhenHigh ? lossOfLowA : lossOfLowB,
      expectedLossB: metric.isGoodWhenHigh ? lossOfLowB : lossOfLowA,
      difference: Estimate(BetaBinomial.meanDifference(b, a), BetaBinomial.differenceInterval(b, a)))
  }

  private static func sampleRatio(_ counts: [ArmCounts], _ split: [Double]) throws -> SampleRatio {
    let observed = counts.map(\.exposed)
    let total = Double(observed.reduce(0, +))
    let weight = split.reduce(0, +)
    let p = total > 0 ? try ChiSquare.sampleRatio(observed: observed, weights: split).pValue : nil
    return SampleRatio(
      expected: split.map { $0 / weight * total }, observed: observed, pValue: p,
      isMismatch: p.map { $0 < 0.001 } ?? false)
  }

  private static func needed(_ a: BinomialSample, _ b: BinomialSample, _ fold: ComparisonFold) -> Needed {
    let question = fold.question
    var needed = Needed(minimumEffect: question.minimumEffect, perVariant: nil, days: nil)
    guard let baseline = a.rate else { return needed }
    let effect = question.metric.isGoodWhenHigh ? question.minimumEffect : -question.minimumEffect
    guard
      let plan = SampleSize.perArm(baseline: baseline, effect: effect)
        ?? SampleSize.perArm(baseline: baseline, effect: -effect)
    else { return needed }
    let users = max(0, max(plan.control, plan.treatment) - min(a.trials, b.trials))
    needed.perVariant = users
    // Exposures a day of the slower message, over the last 28 days or since the first exposure.
    let last = question.zone.day(of: question.windows.asOf)
    let recent = fold.days.filter { $0.key > last - 28 && $0.key <= last }
    guard let first = fold.days.keys.min() else { return needed }
    let span = min(28, last - first + 1)
    let slower = (0..<2).map { arm in recent.values.reduce(0) { $0 + $1[arm] } }.min() ?? 0
    if users == 0 {
      needed.days = 0
    } else if slower > 0, span > 0 {
      let days = (Double(users) * Double(span) / Double(slower)).rounded(.up)
      needed.days = days < 1e9 ? Int(days) : nil
    }
    return needed
  }

  private static func secondary(
    _ counts: [ArmCounts], _ fold: ComparisonFold, _ question: ComparisonQuestion
  ) -> [Secondary] {
    let metrics: [ComparisonMetric] = [.skipRate, .denyRate, .dropOffRate, .grantedByDay28, .retentionDay7]
    var rows = metrics.filter { $0 != question.metric }.compactMap { metric -> Secondary? in
      guard let a = try? sample(counts[0], metric), let b = try? sample(counts[1], metric) else { return nil }
      return Secondary(
        metric: metric.rawValue, a: a.rate, b: b.rate,
        difference: Estimate.difference((b.successes, b.trials), (a.successes, a.trials)),
        pValue: EqualityTest.primary(b, a)?.pValue, adjustedPValue: nil, isDescriptive: metric.isDescriptive)
    }
    rows.append(timeToAnswer(fold, question))
    let adjusted = MultipleTesting.benjaminiHochberg(rows.map(\.pValue))
    for (i, p) in adjusted.enumerated() { rows[i].adjustedPValue = p }
    return rows
  }

  /// Medians in milliseconds, and Mann-Whitney on the recorded histogram. Only those who answered have a time,
  /// so this describes and decides nothing.
  private static func timeToAnswer(_ fold: ComparisonFold, _ question: ComparisonQuestion) -> Secondary {
    fold.finish()
    let histograms = (0..<2).map { arm in
      let all = fold.times.histograms(slots: question.policy == .first ? [arm, arm + 2] : [arm])
      return TimeHistogram(sum: [TimeSeries.granted, .denied, .skipped].map { all[$0.rawValue] })
    }
    let bins = histograms.map(\.bins)
    let medians = zip(histograms, bins).map { histogram, bins -> Double? in
      let count = bins.reduce(0) { $0 + Int($1.count) }
      return count > 0 ? histogram.quantiles([50], of: count)[0] : nil
    }
    let samples = bins.map { try? Histogram($0.map { (TimeBucket.middle($0.bucket), Int($0.count)) }) }
    var p: Double?
    if let a = samples[0], let b = samples[1] { p = MannWhitney.test(b, a)?.pValue }
    let (a, b) = (medians[0], medians[1])
    let difference = a.flatMap { a in b.map { Estimate($0 - a) } }
    return Secondary(
      metric: "time_to_answer_ms", a: a, b: b, difference: difference, pValue: p, adjustedPValue: nil,
      isDescriptive: true)
  }
}
