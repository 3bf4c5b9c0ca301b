// Whether a comparison can be trusted: the sample ratio, users of several variants, and guardrails.

import PermissionEvents
import Statistics

extension Comparison {
  /// Whether users were divided as planned, over all exposed, before the contamination policy.
  public struct SampleRatio: Sendable {
    /// By arm, control first; of all arms of the comparison.
    public let expected: [Double]
    public let observed: [Int]
    public let pValue: Double?
    /// Of those whom the contamination policy leaves; leaving out may unbalance what was balanced.
    public internal(set) var countedPValue: Double?
    /// Below 0.001 over all, or on a day after Holm: for one look, and therefore a caution.
    public internal(set) var isMismatch: Bool
    /// The test that holds at every look; its alarm makes a comparison invalid.
    public let sequential: SequentialRatio
    /// By day of exposure, oldest first, p adjusted by Holm over the days.
    public let days: [DayRatio]
    /// The smallest of the days' adjusted p-values.
    public var worstDay: DayRatio? { days.min { ($0.adjustedPValue ?? 1) < ($1.adjustedPValue ?? 1) } }

    public var isMismatchOverall: Bool { (pValue ?? 1) < Self.alarm }
    public var mismatchedDays: [DayRatio] { days.filter { ($0.adjustedPValue ?? 1) < Self.alarm } }

    public static let alarm = 0.001
  }

  /// The sample ratio over the finished days, valid however often one looks.
  public struct SequentialRatio: Sendable, Hashable {
    /// ln of the E-value, the evidence against the planned shares, at the latest finished day.
    public let logE: Double
    /// The E-value itself; nil beyond the largest double.
    public var eValue: Double? {
      let value = SequentialSampleRatio.eValue(logE)
      return value.isFinite ? value : nil
    }
    /// 1/max(1, the largest E so far).
    public let pValue: Double
    /// The first day at whose end E was 100 or more. A late alarm stays.
    public let firstAlarm: DayNumber?

    /// Error of the test, over all looks together.
    public static let level = 0.01
  }

  /// The sample ratio of one day of exposure.
  public struct DayRatio: Sendable {
    public let day: DayNumber
    public let observed: [Int]
    public let pValue: Double?
    public internal(set) var adjustedPValue: Double?
  }

  /// Users who saw more than one variant: multiple exposures.
  public struct Contamination: Sendable {
    public let users: Int
    /// Of all exposed.
    public let share: Double?
    public let policy: ContaminationPolicy
    /// Of the primary metric without them, B minus A.
    public let differenceExcluding: Estimate?
    /// Of the primary metric with each counted for the variant seen first, B minus A.
    public let differenceFirst: Estimate?
    /// By the variant seen first: A, then B, of `exposedByFirst`.
    public let usersByFirst, exposedByFirst: [Int]
    /// That as many saw both, whichever variant came first.
    public let asymmetryPValue: Double?

    /// The difference without them, if it has the other sign and the gap is at least the effect that matters.
    func turnedDifference(effect: Double) -> Double? {
      guard let first = differenceFirst?.value, let clean = differenceExcluding?.value, first * clean < 0,
        abs(first - clean) >= effect
      else { return nil }
      return clean
    }

    public static let invalidShare = 0.1
    public static let warningShare = 0.01
    public var isAsymmetric: Bool { (asymmetryPValue ?? 1) < SampleRatio.alarm }
  }

  /// A metric that must not become worse by more than a margin.
  public struct Guardrail: Sendable {
    /// By the always-valid interval: "not significant" is never safe.
    public typealias State = NonInferiority.State
    public enum Method: String, Sendable {
      case asymptoticSequence = "asymptotic_sequence"
      /// If the asymptotic gate refuses.
      case exactSequence = "exact_sequence"
    }
    public let metric: ComparisonMetric
    /// The loss that is tolerated, a share of 1, above 0.
    public let margin: Double
    public let a, b: Tally
    /// B minus A, Miettinen–Nurminen 95 %.
    public internal(set) var difference: Estimate?
    /// The score test that B is worse by the margin or more, one-sided, for one look.
    public internal(set) var pValue: Double?
    /// B minus A: each end holds at every look with 95 %.
    public internal(set) var low, high: Double?
    public internal(set) var method: Method?
    public internal(set) var state: State
    /// What the log does not hold, so that nothing is known of it; nil if nothing is missing.
    public internal(set) var noEvidence: Evidence?
  }
}

extension Comparison {
  static func sampleRatio(_ tallies: ComparisonTallies) throws -> SampleRatio {
    let split = tallies.question.split
    let observed = tallies.all.map(\.exposed)
    let total = Double(observed.reduce(0, +))
    let weight = split.reduce(0, +)
    let p = total > 0 ? try ChiSquare.sampleRatio(observed: observed, weights: split).pValue : nil
    var days = tallies.days.map { day, arms in
      let observed = arms.all.map(\.exposed)
      return DayRatio(day: day, observed: observed, pValue: partPValue(observed, split))
    }
    for (i, p) in MultipleTesting.holm(days.map(\.pValue)).enumerated() { days[i].adjustedPValue = p }
    var ratio = SampleRatio(
      expected: split.map { $0 / weight * total }, observed: observed, pValue: p, isMismatch: false,
      sequential: try sequentialRatio(tallies), days: days)
    let counted = tallies.counted.map(\.exposed)
    if counted.contains(where: { $0 > 0 }) {
      ratio.countedPValue = try ChiSquare.sampleRatio(observed: counted, weights: split).pValue
    }
    ratio.isMismatch = ratio.isMismatchOverall || !ratio.mismatchedDays.isEmpty
    return ratio
  }

  private static func sequentialRatio(_ tallies: ComparisonTallies) throws -> SequentialRatio {
    let question = tallies.question
    let finished = tallies.days.filter { question.zone.firstMoment(of: $0.day + 1) <= question.windows.asOf }
    var total = [Int](repeating: 0, count: question.arms)
    let counts = finished.map { _, arms in
      for (arm, tally) in arms.all.enumerated() { total[arm] += tally.exposed }
      return total
    }
    let path = try SequentialSampleRatio(weights: question.split).path(counts, level: SequentialRatio.level)
    return SequentialRatio(
      logE: path.logE.last ?? 0, pValue: path.pValue.last ?? 1,
      firstAlarm: path.firstAlarm.map { finished[$0].day })
  }

  /// The sample-ratio p-value of a part of the users. With more than two arms parts that are too small for chi-square have
  /// none: the exact test of each would take long.
  static func partPValue(_ observed: [Int], _ split: [Double]) -> Double? {
    let total = Double(observed.reduce(0, +))
    let weight = split.reduce(0, +)
    if split.count > 2, split.contains(where: { $0 / weight * total < 5 }) { return nil }
    return try? ChiSquare.sampleRatio(observed: observed, weights: split).pValue
  }

  static func contamination(_ tallies: ComparisonTallies, _ pair: Pair) throws -> Contamination {
    let metric = tallies.question.metric
    let exposed = tallies.all.map(\.exposed)
    let users = tallies.contaminated.map(\.exposed)
    let all = exposed.reduce(0, +)
    let both = users.reduce(0, +)
    func difference(_ counts: [ArmCounts]) throws -> Estimate? {
      Estimate.difference(try counts[pair.treatment].binomial(metric), try counts[pair.control].binomial(metric))
    }
    let byFirst = [pair.control, pair.treatment]
    let rates = try byFirst.map { try BinomialSample(successes: users[$0], trials: exposed[$0]) }
    return Contamination(
      users: both, share: all > 0 ? Double(both) / Double(all) : nil, policy: tallies.question.policy,
      differenceExcluding: try difference(tallies.clean), differenceFirst: try difference(tallies.all),
      usersByFirst: byFirst.map { users[$0] }, exposedByFirst: byFirst.map { exposed[$0] },
      asymmetryPValue: both > 0 ? EqualityTest.primary(rates[1], rates[0])?.pValue : nil)
  }

  static func guardrail(_ question: GuardrailQuestion, _ tallies: ComparisonTallies, _ pair: Pair) throws -> Guardrail {
    let metric = question.metric
    let counts = tallies.counted
    var guardrail = Guardrail(
      metric: metric, margin: question.margin, a: counts[pair.control].tally(metric),
      b: counts[pair.treatment].tally(metric), state: .undecided)
    if let evidence = metric.evidence.first(where: tallies.missing.contains) {
      guardrail.noEvidence = evidence
      return guardrail
    }
    guard let a = guardrail.a.sample, let b = guardrail.b.sample, a.trials > 0, b.trials > 0 else { return guardrail }
    guardrail.difference = Estimate.difference(b, a)
    // Turned so that more is better: then the tolerated loss is below 0.
    let (first, second) = metric.isGoodWhenHigh ? (b, a) : (b.complement, a.complement)
    guardrail.pValue = NonInferiority.test(first, second, margin: -question.margin)?.oneSidedP
    let planned = tallies.question.plan?.plannedUsers ?? tallies.question.plannedUsers
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
    guardrail.state = NonInferiority.state(interval, margin: -question.margin)
    return guardrail
  }
}
