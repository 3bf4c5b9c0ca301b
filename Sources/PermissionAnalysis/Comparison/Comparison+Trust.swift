// Sample ratio, contamination and guardrails of a comparison.

import PermissionEvents
import Statistics

extension Comparison {
  static func sampleRatio(_ sums: ComparisonSums) throws -> SampleRatio {
    let split = sums.question.split
    let observed = sums.all.map(\.exposed)
    let total = Double(observed.reduce(0, +))
    let weight = split.reduce(0, +)
    let p = total > 0 ? try ChiSquare.sampleRatio(observed: observed, weights: split).pValue : nil
    var days = sums.days.map { day, row in
      let observed = row.all.map(\.exposed)
      return DayRatio(day: day, observed: observed, pValue: partPValue(observed, split))
    }
    for (i, p) in MultipleTesting.holm(days.map(\.pValue)).enumerated() { days[i].adjustedPValue = p }
    var ratio = SampleRatio(
      expected: split.map { $0 / weight * total }, observed: observed, pValue: p, isMismatch: false, days: days)
    let counted = sums.counted.map(\.exposed)
    if counted.contains(where: { $0 > 0 }) {
      ratio.countedPValue = try ChiSquare.sampleRatio(observed: counted, weights: split).pValue
    }
    ratio.isMismatch = ratio.isMismatchOverall || !ratio.mismatchedDays.isEmpty
    return ratio
  }

  /// The sample-ratio p-value of a part of the users. With more than two messages parts that are too small for chi-square
  /// have none: the exact test of each would take long.
  static func partPValue(_ observed: [Int], _ split: [Double]) -> Double? {
    let total = Double(observed.reduce(0, +))
    let weight = split.reduce(0, +)
    if split.count > 2, split.contains(where: { $0 / weight * total < 5 }) { return nil }
    return try? ChiSquare.sampleRatio(observed: observed, weights: split).pValue
  }

  static func contamination(_ sums: ComparisonSums, _ pair: Pair) throws -> Contamination {
    let metric = sums.question.metric
    let exposed = sums.all.map(\.exposed)
    let users = sums.contaminated.map(\.exposed)
    let all = exposed.reduce(0, +)
    let both = users.reduce(0, +)
    func difference(_ counts: [ArmCounts]) throws -> Estimate? {
      Estimate.difference(try counts[pair.treatment].binomial(metric), try counts[pair.control].binomial(metric))
    }
    let byFirst = [pair.control, pair.treatment]
    let rates = try byFirst.map { try BinomialSample(successes: users[$0], trials: exposed[$0]) }
    return Contamination(
      users: both, share: all > 0 ? Double(both) / Double(all) : nil, policy: sums.question.policy,
      differenceExcluding: try difference(sums.clean), differenceFirst: try difference(sums.all),
      usersByFirst: byFirst.map { users[$0] }, exposedByFirst: byFirst.map { exposed[$0] },
      asymmetryPValue: both > 0 ? EqualityTest.primary(rates[1], rates[0])?.pValue : nil)
  }

  static func guardrail(_ question: GuardrailQuestion, _ sums: ComparisonSums, _ pair: Pair) throws -> Guardrail {
    let metric = question.metric
    let counts = sums.counted
    func tally(_ arm: Int) -> Tally {
      let sample = counts[arm].sample(metric)
      return Tally(exposed: counts[arm].exposed, trials: sample.trials, successes: sample.successes)
    }
    var guardrail = Guardrail(
      metric: metric, margin: question.margin, a: tally(pair.control), b: tally(pair.treatment), state: .undecided)
    guard let a = guardrail.a.sample, let b = guardrail.b.sample, a.trials > 0, b.trials > 0 else { return guardrail }
    guardrail.difference = Estimate.difference(b, a)
    // Turned so that more is better: then the loss put up with is below 0.
    let (first, second) = metric.isGoodWhenHigh ? (b, a) : (b.complement, a.complement)
    guardrail.pValue = NonInferiority.test(first, second, margin: -question.margin)?.oneSidedP
    let planned = sums.question.plannedUsers
    let interval: Interval
    switch try AsymptoticConfidenceSequence(plannedUsers: planned).oneSidedBounds(first, second) {
    case .success(let bounds):
      interval = bounds
      guardrail.method = .asymptoticSequence
    case .failure:
      // Two-sided at 10 %: each end holds with 95 %.
      interval = try BernoulliConfidenceSequence.differenceInterval(
        first, second, tuningTrials: max(1, planned / 2), alpha: 0.1)
      guardrail.method = .exactSequence
    }
    guardrail.low = metric.isGoodWhenHigh ? interval.low : -interval.high
    guardrail.high = metric.isGoodWhenHigh ? interval.high : -interval.low
    guardrail.state =
      switch NonInferiority.state(interval, margin: -question.margin) {
      case .safe: .safe
      case .harmed: .harmed
      case .worse: .worse
      case .undecided: .undecided
      }
    return guardrail
  }
}
