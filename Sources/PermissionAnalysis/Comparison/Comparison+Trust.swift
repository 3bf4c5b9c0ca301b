// Whether a comparison can be trusted: the sample ratio, users of several variants, and guardrails.

import PermissionEvents
import Statistics

extension Comparison {
  /// Whether users were divided as expected, over all exposed, before the contamination policy.
  public struct SampleRatio: Sendable {
    /// Whether the request or a plan declared the split. If not, an even one is assumed.
    public let isDeclared: Bool
    /// By arm, control first; of all arms of the comparison.
    public let expected: [Double]
    public let observed: [Int]
    public let pValue: Double?
    /// Of the users that the contamination policy keeps. Leaving users out may unbalance the messages.
    public internal(set) var countedPValue: Double?
    /// Below 0.001 over all, or on a day after Holm: for one look, and therefore a caution.
    public internal(set) var isMismatch: Bool
    /// The test that holds at every look.
    public let sequential: SequentialRatio
    /// By day of exposure, oldest first, p adjusted by Holm over the days.
    public let days: [DayRatio]
    /// Days that hold all of an imbalance.
    public internal(set) var imbalance: Imbalance?
    /// The divisions that the finished days show, oldest first: more than one if it changed on a day. Empty without an alarm.
    public let divisions: [DivisionChange]
    /// The smallest of the days' adjusted p-values.
    public var worstDay: DayRatio? { days.min { ($0.adjustedPValue ?? 1) < ($1.adjustedPValue ?? 1) } }

    /// The first alarm if nothing was declared and the division itself changed: whatever it was meant to be, it cannot be both.
    var changedSince: DayNumber? { !isDeclared && divisions.count > 1 ? sequential.firstAlarm : nil }

    public var isMismatchOverall: Bool { (pValue ?? 1) < Self.alarm }
    public var mismatchedDays: [DayRatio] { days.filter { ($0.adjustedPValue ?? 1) < Self.alarm } }

    public static let alarm = 0.001

    /// The day of an alarm that makes a comparison invalid. Many tests have a large control and small treatments, so of more than two
    /// messages only a declared split does.
    public var invalidSince: DayNumber? { canBeInvalid ? sequential.firstAlarm : nil }
    /// Whether an alarm makes the comparison invalid.
    public var canBeInvalid: Bool { isDeclared || expected.count == 2 }
    /// Whether it may be that just the assumption is wrong.
    public var isInDoubt: Bool { sequential.firstAlarm != nil && invalidSince == nil }
  }

  /// The sample ratio over the finished days, valid however often you look.
  public struct SequentialRatio: Sendable, Hashable {
    /// ln of the E-value, the evidence against the expected shares, at the latest finished day.
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
    /// The p-value of the hypothesis that users of both are equally frequent, whichever variant came first.
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
    /// Whether permlog added it, and the question did not ask for it.
    public let isAutomatic: Bool
    public let a, b: Tally
    /// B minus A, Miettinen–Nurminen 95 %.
    public internal(set) var difference: Estimate?
    /// The score test that B is worse by the margin or more, one-sided, for one look.
    public internal(set) var pValue: Double?
    /// B minus A: each end holds at every look with 95 %.
    public internal(set) var low, high: Double?
    public internal(set) var method: Method?
    public internal(set) var state: State
    /// The events that the log lacks, so it is unknown. Nil if none are missing.
    public internal(set) var noEvidence: Evidence?
  }

  /// Users who were given a variant, whether or not they were asked: of the control, then of the other message.
  public struct Assigned: Sendable, Hashable {
    public let users: [Int]
    /// Of them those who saw a screen from then on.
    public let exposed: [Int]
    /// Of them, of both messages, those who saw all screens before.
    public let askedBefore: Int
    /// Chi-square, that the messages have the same share of exposed users; nil without users.
    public let pValue: Double?

    init(_ assignments: Assignments, _ pair: Pair) {
      let arms = [assignments.arms[pair.control], assignments.arms[pair.treatment]]
      users = arms.map { Int($0.users) }
      exposed = arms.map { Int($0.exposed) }
      askedBefore = arms.reduce(0) { $0 + Int($1.askedBefore) }
      if let a = try? BinomialSample(successes: exposed[0], trials: users[0]),
        let b = try? BinomialSample(successes: exposed[1], trials: users[1])
      {
        pValue = EqualityTest.primary(b, a)?.pValue
      } else {
        pValue = nil
      }
    }
  }

  static func sampleRatio(_ tallies: ComparisonTallies) throws -> SampleRatio {
    let split = tallies.question.split
    let periods = split.periods.indices.map { period in
      Users(
        tallies.divided.lazy.filter { split.period(of: $0.day) == period }.map(\.users), arms: tallies.question.arms)
    }
    let observed = Users(periods.map(\.users), arms: tallies.question.arms).users
    var expected = [Double](repeating: 0, count: observed.count)
    var least: Double?
    for (users, parts) in zip(periods, split.periods) where users.total > 0 {
      let weight = parts.reduce(0, +)
      for (arm, part) in parts.enumerated() { expected[arm] += part / weight * users.total }
      least = min(least ?? 1, try ChiSquare.sampleRatio(observed: users.users, weights: parts).pValue)
    }
    var days = tallies.divided.map { day, users in
      DayRatio(day: day, observed: users, pValue: partPValue(users, split.parts(on: day)))
    }
    for (i, p) in MultipleTesting.holm(days.map(\.pValue)).enumerated() { days[i].adjustedPValue = p }
    let sequential = try sequentialRatio(tallies)
    let hasAlarm = sequential.firstAlarm != nil
    var ratio = SampleRatio(
      isDeclared: tallies.question.declaredSplit != nil, expected: expected, observed: observed,
      pValue: least.map { min(1, $0 * Double(periods.count)) }, isMismatch: false, sequential: sequential, days: days,
      // Every day is tried as that of a change, which an answer without an alarm does not use.
      divisions: hasAlarm ? DivisionChange.all(tallies.divided.filter { tallies.question.isFinished($0.day) }) : [])
    if split.changes.isEmpty {
      ratio.imbalance = Imbalance(days.map { (CivilDate($0.day).text, $0.observed, $0.pValue) }) {
        partPValue($0, split.parts)
      }
    }
    // Those who are left out are not known by period.
    let counted = tallies.countedAfterPolicy
    if counted.contains(where: { $0 > 0 }), split.changes.isEmpty {
      ratio.countedPValue = try ChiSquare.sampleRatio(observed: counted, weights: split.parts).pValue
    }
    ratio.isMismatch = ratio.isMismatchOverall || !ratio.mismatchedDays.isEmpty
    return ratio
  }

  /// Users by arm.
  private struct Users {
    var users: [Int]
    var total: Double { Double(users.reduce(0, +)) }

    init(_ parts: some Sequence<[Int]>, arms: Int) {
      users = parts.reduce(into: [Int](repeating: 0, count: arms)) { sum, part in
        for (arm, users) in part.enumerated() { sum[arm] += users }
      }
    }
  }

  /// One test for each period of the division, each at an even part of the error.
  private static func sequentialRatio(_ tallies: ComparisonTallies) throws -> SequentialRatio {
    let question = tallies.question
    let finished = tallies.divided.filter { question.isFinished($0.day) }
    var ratio = SequentialRatio(logE: 0, pValue: 1, firstAlarm: nil)
    for (period, parts) in question.split.periods.enumerated() {
      let days = finished.filter { question.split.period(of: $0.day) == period }
      var total = [Int](repeating: 0, count: question.arms)
      let counts = days.map { _, users in
        for (arm, count) in users.enumerated() { total[arm] += count }
        return total
      }
      let path = try SequentialSampleRatio(weights: parts).path(
        counts, level: SequentialRatio.level, tests: question.split.periods.count)
      let alarm = path.firstAlarm.map { days[$0].day }
      let logE = path.logE.last ?? 0
      ratio = SequentialRatio(
        logE: period == 0 ? logE : max(ratio.logE, logE), pValue: min(ratio.pValue, path.pValue.last ?? 1),
        firstAlarm: [ratio.firstAlarm, alarm].compactMap(\.self).min())
    }
    return ratio
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

  /// The guardrails of the question, then the automatic one.
  static func guardrails(_ tallies: ComparisonTallies, _ pair: Pair) throws -> [Guardrail] {
    let asked = try tallies.question.guardrails.map { try guardrail($0, tallies, pair) }
    guard let automatic = tallies.automaticGuardrail else { return asked }
    return asked + [try guardrail(automatic, isAutomatic: true, tallies, pair)]
  }

  private static func guardrail(
    _ question: GuardrailQuestion, isAutomatic: Bool = false, _ tallies: ComparisonTallies, _ pair: Pair
  ) throws -> Guardrail {
    let metric = question.metric
    let counts = tallies.counted
    var guardrail = Guardrail(
      metric: metric, margin: question.margin, isAutomatic: isAutomatic, a: counts[pair.control].tally(metric),
      b: counts[pair.treatment].tally(metric), state: .undecided)
    if let evidence = metric.evidence.first(where: tallies.missing.contains) {
      guardrail.noEvidence = evidence
      return guardrail
    }
    guard let a = guardrail.a.sample, let b = guardrail.b.sample, a.trials > 0, b.trials > 0 else { return guardrail }
    // The rates of all users mix the periods of a division: nothing can be said of a harm.
    guard tallies.question.split.changes.isEmpty else { return guardrail }
    guardrail.difference = Estimate.difference(b, a)
    // Swapped so that more is better: then the tolerated loss is below 0.
    let (first, second) = metric.isGoodWhenHigh ? (b, a) : (b.complement, a.complement)
    guardrail.pValue = NonInferiority.test(first, second, margin: -question.margin)?.oneSidedP
    let planned = tallies.plannedUsers(pair)
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

  // MARK: What should be read with a decision and changes none: cases with their numbers, no sentences

  /// Something to keep in mind with the decision of a comparison. Shares are shares of 1.
  public enum Caution: Sendable, Hashable {
    /// Values of a property are compared. Users were not assigned to them at random, and may differ in everything.
    case notAssigned
    /// By chi-square, for one look, the users are not divided as expected.
    /// - Parameter isAssumed: an even split was expected, and none was declared; so in the next cases.
    case notAsPlanned(observed: [Int], pValue: Double, isAssumed: Bool)
    /// By the test that holds at every look, the users of more than two messages are not divided evenly, and no split was declared.
    case notAsAssumed(observed: [Int], pValue: Double, since: DayNumber)
    /// The users of some days are not divided as expected, for one look.
    /// - Parameters:
    ///   - day: the first of these days; `observed` and `pValue`, which is adjusted, are its own.
    ///   - otherDays: how many more there are.
    case notAsPlannedOnDays(day: DayNumber, otherDays: Int, observed: [Int], pValue: Double, isAssumed: Bool)
    /// Among the users of one value of a property the variants are not divided as expected.
    /// - Parameter value: nil for exposures without the property.
    case notAsPlannedAmong(property: String, value: String?, pValue: Double, isAssumed: Bool)
    /// Within the values of a property the sign changes, by a gap that matters. Nothing is decided yet.
    case signTurnsWithin(property: String)
    /// Without the users of several variants the difference has the other sign, by a gap that matters; nothing is decided yet.
    case signTurnsWithout(difference: Double)
    /// The dates of the test are not those of a plan: they may have been chosen after a look.
    case datesWithoutPlan
    /// Users who saw a message of the test before its first day; they are left out.
    case exposedBefore(users: Int, from: DayNumber)
    /// The division changed: rates of all users mix its periods.
    case periodsMixed
    /// Many users saw a variant, and none answered in any way.
    case answersMissing(variant: String, of: Int)
    /// The log has no screens of the permission, so we cannot tell who did not answer.
    case answersAlone
    /// Answers have the messages. Users without an answer, or with an answer without a message, are not counted.
    case messagesOfAnswers(without: Int, of: Int)
    /// Users whose calls all returned at once saw no dialog; they are left out.
    case notAsked(a: Int, b: Int)
    /// The shares of users who were not asked differ between the messages: the message may decide who is asked.
    case notAskedDiffers(shareA: Double, shareB: Double, pValue: Double)
    /// Users saw a Settings prompt, and the first answer of their journey is no denial before it: they are left out.
    case notDenied(a: Int, b: Int)
    /// Screens up to the denial had messages, too: these may decide which users deny.
    /// - Parameter isOfTest: they are of the same test; else they have the same name, and their test is not known.
    case messageBefore(users: Int, of: Int, isOfTest: Bool)
    /// The first Settings prompt after the denial has no message, and a later one has: these users are left out.
    case firstWithoutMessage(users: Int)
    /// Users were asked before they were given their variant, and not afterwards: they are not counted.
    case askedBeforeAssigned(users: Int)
    /// Users were asked before they were given their variant, and again afterwards; or the variant says which of those who were
    /// given it are asked.
    case askedDiffers(shareA: Double, shareB: Double, pValue: Double)
    /// Screens carry the experiment, and show some users another variant than they were given. Screens count.
    case variantMismatch(users: Int)
    /// Screens of few users carry the experiment, so the other users who were assigned and asked are not counted.
    case fewScreens(users: Int, assigned: Int)
    /// A part of the sums was read in a different way than the sums of all users require.
    case misread
    /// The share of users who saw several variants. It is too low to make the comparison invalid.
    case contaminated(share: Double)
    /// Without the users of several variants, the others are not divided as expected.
    case exclusionUnbalances(pValue: Double)
    /// Users who saw one variant first went on to another more often than users who saw the other first.
    case contaminationAsymmetric(pValue: Double)
    /// The metric counts only users that the variant has selected.
    case metricIsDescriptive
    /// There are users after the last declared look.
    case looksOverrun
    /// There are many times the planned users: so far beyond its plan the rule is slow.
    case farBeyondPlan(users: Int, planned: Int)
    /// A plan that was saved after the day of the first exposure does not count as a plan.
    case planTooLate(saved: DayNumber, first: DayNumber)
    /// Events that looks depend on, up to the decision if there is one, were added after they could be read.
    /// - Parameters:
    ///   - atMost: an upper limit of their number.
    ///   - last: the day of the last such ingest.
    case lateEvents(atMost: Int, last: DayNumber)
    /// Users were erased after looks could be read; the log does not keep whether the looks counted them.
    case erased(atMost: Int, last: DayNumber)
    /// An ingest was taken back after looks could be read; the last such change was on this day.
    case undone(last: DayNumber)
    /// The list of users whom the log leaves out changed after looks could be read; the last time on this day.
    case excluded(last: DayNumber)
    /// Events were dropped from before a day, and exposures of this experiment may have been among them.
    case expired(before: DayNumber)
    /// The screens of several experiments are counted together.
    case severalExperiments([String])
    /// There are few events: exact tests decide, and the interval shown is wider than they are.
    case fewEvents
    /// The adjusted difference decides; the difference of all users together has the other sign.
    case adjustmentDisagrees
    /// Several variants are compared with one control.
    /// - Parameter confidence: of each interval, so all hold together at 95 %.
    case severalMessages(count: Int, confidence: Double)
  }

  /// A caution is given from this multiple of the planned users on.
  private static let farBeyond = 4.0

  func findCautions() -> [Caution] {
    var cautions =
      (isMisread ? [.misread] : []) + (isOfAnswersAlone ? [.answersAlone] : [])
      + (withoutMessage.map { [.messagesOfAnswers(without: $0.users, of: $0.of)] } ?? []) + answerCautions()
      + callCautions()
      + settingsCautions()
      + assignmentCautions()
      + (isOfMessages ? ratioCautions() : [.notAssigned]) + ruleCautions()
    // A property with one value, or none, only repeats the check of all users.
    // If the assumption is in doubt, it is within values too.
    for check in strata
    where check.isRatioMismatched && check.allStrata > 1 && sampleRatio?.isInDoubt != true {
      guard let p = check.sampleRatioPValue, let value = check.sampleRatioValue else { continue }
      cautions.append(
        .notAsPlannedAmong(
          property: check.property, value: value, pValue: p, isAssumed: sampleRatio?.isDeclared == false))
    }
    if decidedOn == nil {
      for check in misleading { cautions.append(.signTurnsWithin(property: check.property)) }
      if let difference = contamination?.turnedDifference(effect: needed.minimumEffect) {
        cautions.append(.signTurnsWithout(difference: difference))
      }
    }
    cautions += contaminationCautions()
    if metric.isDescriptive { cautions.append(.metricIsDescriptive) }
    if familySize > 1 { cautions.append(.severalMessages(count: familySize, confidence: confidence)) }
    return cautions
  }

  private func settingsCautions() -> [Caution] {
    let (users, all, isOfTest) = messageBefore
    let isShared = Double(users) >= Contamination.warningShare * Double(all)
    return (users > 0 && isShared ? [.messageBefore(users: users, of: all, isOfTest: isOfTest)] : [])
      + (firstWithoutMessage > 0 ? [.firstWithoutMessage(users: firstWithoutMessage)] : [])
      + (notDenied.a + notDenied.b > 0 ? [.notDenied(a: notDenied.a, b: notDenied.b)] : [])
  }

  /// Whether calls that returned at once leave other users of one message than of the other.
  private func callCautions() -> [Caution] {
    guard a.notAsked + b.notAsked > 0 else { return [] }
    var cautions: [Caution] = [.notAsked(a: a.notAsked, b: b.notAsked)]
    if let first = try? BinomialSample(successes: a.notAsked, trials: a.notAsked + a.exposed),
      let second = try? BinomialSample(successes: b.notAsked, trials: b.notAsked + b.exposed),
      let p = EqualityTest.primary(second, first)?.pValue, p < Self.notAskedAlarm
    {
      cautions.append(
        .notAskedDiffers(
          shareA: Double(first.successes) / Double(first.trials),
          shareB: Double(second.successes) / Double(second.trials),
          pValue: p))
    }
    return cautions
  }

  private static let notAskedAlarm = 0.001

  private func assignmentCautions() -> [Caution] {
    var cautions: [Caution] = mismatched > 0 ? [.variantMismatch(users: mismatched)] : []
    // Twice as many were asked as screens tell of.
    if assigned == nil, leftToScreens > 2 * (a.exposed + b.exposed), familySize == 1 {
      cautions.append(.fewScreens(users: a.exposed + b.exposed, assigned: leftToScreens))
    }
    guard let assigned else { return cautions }
    if assigned.askedBefore > 0 { cautions.append(.askedBeforeAssigned(users: assigned.askedBefore)) }
    if let p = assigned.pValue, p < Self.notAskedAlarm {
      cautions.append(
        .askedDiffers(
          shareA: Double(assigned.exposed[0]) / Double(assigned.users[0]),
          shareB: Double(assigned.exposed[1]) / Double(assigned.users[1]), pValue: p))
    }
    return cautions
  }

  /// The number of users in the base from which on it is not by chance that none answered.
  private static let leastSilent = 30

  private func answerCautions() -> [Caution] {
    [a, b].filter { $0.base >= Self.leastSilent && $0.isSilent && !(isOfMessages && $0.hasNoAnswers) }
      .map { .answersMissing(variant: $0.variant, of: $0.base) }
  }

  private func contaminationCautions() -> [Caution] {
    guard let contamination else { return [] }
    var cautions: [Caution] = []
    if let share = contamination.share, share >= Contamination.warningShare, share < Contamination.invalidShare {
      cautions.append(.contaminated(share: share))
    }
    if contamination.policy == .exclude, sampleRatio?.isInDoubt != true, let p = sampleRatio?.countedPValue,
      p < SampleRatio.alarm
    {
      cautions.append(.exclusionUnbalances(pValue: p))
    }
    if contamination.isAsymmetric, let p = contamination.asymmetryPValue {
      cautions.append(.contaminationAsymmetric(pValue: p))
    }
    return cautions
  }

  /// The cautions of chi-square, unless the test that holds at every look has raised the alarm.
  private func ratioCautions() -> [Caution] {
    guard let sampleRatio else { return [] }
    if let day = sampleRatio.sequential.firstAlarm {
      guard sampleRatio.isInDoubt else { return [] }
      return [.notAsAssumed(observed: sampleRatio.observed, pValue: sampleRatio.sequential.pValue, since: day)]
    }
    let isAssumed = !sampleRatio.isDeclared
    if sampleRatio.isMismatchOverall, let p = sampleRatio.pValue {
      return [.notAsPlanned(observed: sampleRatio.observed, pValue: p, isAssumed: isAssumed)]
    }
    guard let day = sampleRatio.mismatchedDays.first, let p = day.adjustedPValue else { return [] }
    let others = sampleRatio.mismatchedDays.count - 1
    return [
      .notAsPlannedOnDays(
        day: day.day, otherDays: others, observed: day.observed, pValue: p, isAssumed: isAssumed)
    ]
  }

  private func ruleCautions() -> [Caution] {
    var cautions: [Caution] = []
    if from != nil || to != nil, plan == nil, isOfMessages { cautions.append(.datesWithoutPlan) }
    if let from, let users = exposedBefore, users > 0 { cautions.append(.exposedBefore(users: users, from: from)) }
    if !split.changes.isEmpty { cautions.append(.periodsMixed) }
    if let plan, let firstDay = firstExposureDay, LookPlan.isLate(plan, firstDay, zone) {
      cautions.append(.planTooLate(saved: zone.day(of: plan.savedAt), first: firstDay))
    }
    if monitoring.declared?.isOverrun == true { cautions.append(.looksOverrun) }
    if monitoring.rule == .daily, let last = monitoring.looks.last, last.time >= Self.farBeyond {
      cautions.append(.farBeyondPlan(users: last.a.trials + last.b.trials, planned: plannedUsers))
    }
    if case .events = (monitoring.crossing?.look ?? monitoring.looks.last)?.boundary { cautions.append(.fewEvents) }
    if !monitoring.adjustedBy.isEmpty, let crossing = monitoring.crossing, let value = difference?.value,
      value * crossing.look.estimate.value < 0
    {
      cautions.append(.adjustmentDisagrees)
    }
    return cautions
  }
}

extension ComparisonSet {
  package mutating func addCautions(_ find: (Comparison) -> [Comparison.Caution]) {
    for i in pairs.indices { pairs[i].cautions += find(pairs[i]) }
  }
}
