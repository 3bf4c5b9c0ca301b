// The other metrics of a comparison, and how many users it takes.

import PermissionEvents
import Statistics

extension Comparison {
  /// The metrics beside the primary one, adjusted together.
  static func secondary(_ sums: ComparisonSums, _ pair: Pair) -> [Secondary] {
    let metrics: [ComparisonMetric] = [.grantRate, .skipRate, .denyRate, .dropOffRate, .grantedByDay28, .retentionDay7]
    var rows = metrics.filter { $0 != sums.question.metric }.compactMap { rate($0, sums, pair) }
    rows.append(timeToAnswer(sums, pair))
    let adjusted = MultipleTesting.benjaminiHochberg(rows.map(\.pValue))
    for (i, p) in adjusted.enumerated() { rows[i].adjustedPValue = p }
    return rows
  }

  /// What is conditioned on a step that the message changes.
  static func observations(_ sums: ComparisonSums, _ pair: Pair) -> [Secondary] {
    let rates = [ComparisonMetric.promptGrantRate].filter { $0 != sums.question.metric }
    let returning: [Secondary.Measure] = [
      .enabledAfterDenial, .enabledAfterSkip, .enabledAfterNoAnswer,
    ]
    return rates.compactMap { rate($0, sums, pair) }
      + zip([Outcome.denied, .skipped, .droppedOff], returning).map { enabledLater($0, $1, sums, pair) }
  }

  private static func rate(_ metric: ComparisonMetric, _ sums: ComparisonSums, _ pair: Pair) -> Secondary? {
    guard let a = try? sums.counted[pair.control].binomial(metric),
      let b = try? sums.counted[pair.treatment].binomial(metric)
    else { return nil }
    let test = EqualityTest.primary(b, a)
    return Secondary(
      measure: .metric(metric), a: a.rate, b: b.rate,
      difference: Estimate.difference(b, a), pValue: test?.pValue, log10PValue: test?.log10PValue,
      test: test?.method.rawValue, isDescriptive: metric.isDescriptive)
  }

  /// Medians in milliseconds, their difference, and Mann–Whitney on the recorded histogram. Only those who answered have
  /// a time, so this describes and decides nothing.
  private static func timeToAnswer(_ sums: ComparisonSums, _ pair: Pair) -> Secondary {
    let histograms = [pair.control, pair.treatment].map { sums.times[$0] }
    let medians = histograms.map { histogram -> Double? in
      let count = histogram.bins.reduce(0) { $0 + Int($1.count) }
      return count > 0 ? histogram.quantiles([50], of: count)[0] : nil
    }
    let samples = histograms.map { try? Histogram($0.bins.map { (TimeBucket.middle($0.bucket), Int($0.count)) }) }
    var row = Secondary(
      measure: .timeToAnswer, a: medians[0], b: medians[1], isDescriptive: true)
    if let a = samples[0], let b = samples[1], let test = MannWhitney.test(b, a) {
      row.pValue = test.pValue
      row.log10PValue = test.log10PValue
      row.probabilityBGreater = test.probabilityFirstGreater
      row.test = "mann_whitney"
      if let medianA = medians[0], let medianB = medians[1] {
        var difference = Estimate(medianB - medianA)
        if case .success(let of) = Quantiles.estimate(b, 0.5), case .success(let minus) = Quantiles.estimate(a, 0.5) {
          let error = (of.standardError * of.standardError + minus.standardError * minus.standardError).squareRoot()
          difference.low = difference.value - 1.959963984540054 * error
          difference.high = difference.value + 1.959963984540054 * error
        }
        row.difference = difference
      }
    }
    return row
  }

  /// The share enabled within 28 days by Kaplan and Meier, and the log-rank test of the two curves.
  private static func enabledLater(
    _ outcome: Outcome, _ measure: Secondary.Measure, _ sums: ComparisonSums, _ pair: Pair
  ) -> Secondary {
    let curves = [pair.control, pair.treatment].map { sums.counted[$0].survival(outcome) }
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

  /// Users and days still needed, and what the users there are can show.
  static func needed(_ a: BinomialSample, _ b: BinomialSample, _ sums: ComparisonSums, alpha: Double) -> Needed {
    let question = sums.question
    var needed = Needed(minimumEffect: question.minimumEffect)
    guard let baseline = a.rate else { return needed }
    let good = question.metric.isGoodWhenHigh ? question.minimumEffect : -question.minimumEffect
    let effect = (0...1).contains(baseline + good) ? good : -good
    if a.trials > 0, b.trials > 0 {
      needed.power = PowerAnalysis.power(
        control: baseline, treatment: baseline + effect, controlUsers: a.trials, treatmentUsers: b.trials,
        alpha: alpha)
      let smallest = PowerAnalysis.minimumDetectableEffect(
        control: baseline, controlUsers: a.trials, treatmentUsers: b.trials, alpha: alpha)
      needed.detectableUp = smallest?.up
      needed.detectableDown = smallest?.down
    }
    guard let plan = SampleSize.perArm(baseline: baseline, effect: effect, alpha: alpha) else { return needed }
    let have = min(a.trials, b.trials)
    let traffic = ExposureTraffic(sums)
    let users = max(0, max(plan.control, plan.treatment) - have)
    needed.perVariant = users
    needed.days = traffic.days(for: users)
    if let inflation = SequentialInflation.asymptotic(alpha: alpha) {
      let inflated = (plan.controlExact * inflation).rounded(.up)
      let users = max(0, Int(min(inflated, 1e15)) - have)
      needed.perVariantAlwaysValid = users
      needed.daysAlwaysValid = traffic.days(for: users)
    }
    return needed
  }
}

/// Exposures a day of the slowest arm, over the last 28 days or since the first exposure.
struct ExposureTraffic {
  /// Exposures of the slowest arm in those days.
  private(set) var slowest = 0
  private(set) var span: Int64 = 0

  init(_ sums: ComparisonSums) {
    let question = sums.question
    let last = question.zone.day(of: question.windows.asOf)
    guard let first = sums.days.first?.day else { return }
    span = min(28, last - first + 1)
    let recent = sums.days.filter { $0.day > last - 28 && $0.day <= last }
    slowest =
      (0..<question.arms).map { arm in recent.reduce(0) { $0 + $1.row.all[arm].exposed } }.min() ?? 0
  }

  /// nil without exposures.
  var perDay: Double? { span > 0 ? Double(slowest) / Double(span) : nil }

  /// Days until that many more users of each arm; nil if it takes for ever.
  func days(for users: Int) -> Int? {
    if users == 0 { return 0 }
    guard slowest > 0, span > 0 else { return nil }
    let days = (Double(users) * Double(span) / Double(slowest)).rounded(.up)
    return days < 1e9 ? Int(days) : nil
  }
}
