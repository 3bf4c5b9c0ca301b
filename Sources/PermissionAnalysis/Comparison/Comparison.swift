// A comparison of one arm with the control, ready to be rendered: every number, check and reason of it.
//
// Shares, rates and differences are shares of 1 (not percent), times are milliseconds, differences and ratios are B
// against A, the control. nil is unknown: a method that was refused, a rate without a denominator.

import Folding
import PermissionEvents
import Statistics

/// B against A. A comparison of more arms is a `ComparisonSet` of these.
///
/// A renderer needs only this: `headline` is the interval to draw against 0 and ± `needed.minimumEffect`, `series` the
/// same interval day after day, `reasons` and `cautions` are cases with the numbers that their sentences need.
public struct Comparison: Sendable {
  /// The decision of a comparison, by the first state that applies. Raw values are those of the JSON.
  public enum Decision: String, Sendable, CaseIterable {
    case invalid
    case tooEarly = "too_early"
    case review
    case aWins = "a_wins"
    case bWins = "b_wins"
    case noDifference = "no_difference"
    case keepRunning = "keep_running"
    /// Nothing was found, and going on is not expected to find what matters: `course` says why.
    case stopOutOfReach = "stop_out_of_reach"
    // For values of a property. `no_difference` applies to them, too.
    case differs
    case notClear = "not_clear"
  }

  /// The name of the periods of the division among the properties that are adjusted for.
  package static let periods = "period"

  // MARK: The question

  public let permission: String
  /// The property whose values are compared: the message shown, unless another is requested.
  public let comparedProperty: StringField
  public let experiment: String?
  /// The screens that show the messages.
  public let screen: MessageScreen
  /// Conditions on the exposure, in the order in which they were given: all journeys meet them.
  public let conditions: [ExposureCondition]
  public let metric: ComparisonMetric
  public let zone: ZoneTable
  package let windows: AnalysisWindows
  /// Comparisons with the same control, including this one: the error is divided among them.
  public let familySize: Int
  /// Of `difference`, `ratio` and `alwaysValid`: 0.95, or more if there are several comparisons.
  public let confidence: Double
  /// The choices fixed before the first exposure. Nil without a plan.
  public let plan: PlanFacts?

  // MARK: The users counted

  public let a, b: Arm
  let isMisread, isOfAnswersAlone: Bool
  /// The first day whose exposures count, and the day after the last.
  public let from, to: DayNumber?
  /// Users who were exposed to a message of the test before `from`, and are left out. Nil without that day.
  public let exposedBefore: Int?
  /// How users are divided, and whether that was declared: by the question or its plan.
  public let split: MessageSplit
  /// If answers have the messages: the users without one, and all who saw a screen.
  let withoutMessage: (users: Int, of: Int)?
  /// The users who were given variants; nil if messages are those that screens show.
  public let assigned: Assigned?
  /// Users whose screens showed another variant than they were given.
  let mismatched: Int
  /// Assigned users that were asked, although screens of others carry the experiment.
  let leftToScreens: Int
  /// Users of A and of B who saw a Settings prompt without a denial as first answer before it.
  let notDenied: (a: Int, b: Int)
  /// Of the users of both arms, whatever the policy, those who saw a message on a screen up to their denial. It is of the same test,
  /// or, if that is not known, has the same name.
  let messageBefore: (users: Int, of: Int, isOfTest: Bool)
  /// Users of all arms who are left out: their first Settings prompt after the denial has no message, and a later one has.
  let firstWithoutMessage: Int

  // MARK: The primary metric

  /// Miettinen–Nurminen, for one look.
  public let difference: Estimate?
  /// Miettinen–Nurminen, for one look. `high` is nil if there is no upper limit.
  public let ratio: Estimate?
  /// For one look; with `log10PValue`, which stays finite if the p-value is below the smallest double.
  public let test: EqualityTest?
  /// The p-value after Holm over the family; the p-value itself if the family is one.
  public internal(set) var adjustedPValue: Double?
  /// The asymptotic confidence sequence over all present users, whatever the rule. Nil if its gate refused.
  public let alwaysValid: AlwaysValid?
  /// Why it is refused; nil if it is not.
  public let alwaysValidRefused: AlwaysValidRefusal?
  /// Of the difference, exact and valid at every look, wider: two Bernoulli sequences. nil without users in an arm.
  public let exactSequence: Interval?
  /// The calendar day of the first exposure; nil without one.
  public let firstExposureDay: DayNumber?
  /// The calendar day of the last exposure, if no users were exposed in the 7 days before `asOf`: the test seems to have ended.
  public let endedOn: DayNumber?
  /// The rule of decision: its looks at finished days, and its decision.
  public let monitoring: Monitoring
  public let bayes: Bayes?
  /// The primary metric at the ends of finished days, oldest first.
  public let series: [SeriesPoint]

  // MARK: Whether it can be trusted

  /// Nil if values of another property than the message are compared: users were not divided among them.
  public let sampleRatio: SampleRatio?
  /// nil if values of another property than the message are compared: users may have several of them.
  public let contamination: Contamination?
  /// One for each checked property.
  public internal(set) var strata: [PropertyCheck]
  public let novelty: Novelty
  public let guardrails: [Guardrail]

  // MARK: The rest

  public let needed: Needed
  /// Adjusted together by Benjamini and Hochberg.
  public let secondary: [Secondary]
  /// Unadjusted, and only of users selected by the variant: descriptions, not effects.
  public let observations: [Secondary]
  /// The primary metric within each value of the requested property. Nil without one.
  public internal(set) var segments: Segments?

  // MARK: What follows

  public internal(set) var decision = Decision.keepRunning
  /// The finished day at whose end it was decided. Nil without a decision, or if it is not to be relied on.
  public internal(set) var decidedOn: DayNumber?
  /// How the test stands; nil if it is decided or invalid.
  public internal(set) var course: Course?
  /// Why this decision, the most important first.
  public internal(set) var reasons: [Reason] = []
  /// Cautions to read with the decision.
  public internal(set) var cautions: [Caution] = []

  /// Whether messages are compared. False for values of another property, to which users were not assigned at random.
  public var isOfMessages: Bool { comparedProperty == .variant }
  /// The name of `zone`.
  public var timeZone: String { zone.name }
  /// The `as_of` of the comparison.
  public var asOf: Milliseconds { windows.asOf }

  /// The interval of the difference to draw against 0, on which the decision rests: that of the rule, at the decision or
  /// else at the latest look; for no difference that matters, the equivalence interval. Before the first look it is
  /// that of one look and decides nothing.
  public struct Headline: Sendable, Hashable {
    public enum Kind: Sendable, Hashable { case rule, noDifference, oneLook }
    public let kind: Kind
    public let day: DayNumber?
    public let value, low, high: Double

    package init(kind: Kind, day: DayNumber?, value: Double, low: Double, high: Double) {
      (self.kind, self.day) = (kind, day)
      (self.value, self.low, self.high) = (value, low, high)
    }
  }

  public var headline: Headline? {
    if monitoring.crossing == nil, let none = monitoring.noDifference,
      let point = series.first(where: { $0.day == none.day }),
      let value = point.look?.estimate.value ?? point.difference
    {
      return Headline(kind: .noDifference, day: none.day, value: value, low: none.low, high: none.high)
    }
    var look = monitoring.crossing?.look ?? monitoring.looks.last
    // An exact look has no interval of its own: the latest look is shown.
    if case .events = look?.boundary, case .score = monitoring.looks.last?.boundary { look = monitoring.looks.last }
    if let look, let low = look.estimate.low, let high = look.estimate.high {
      return Headline(kind: .rule, day: look.day, value: look.estimate.value, low: low, high: high)
    }
    guard let difference, let low = difference.low, let high = difference.high else { return nil }
    return Headline(kind: .oneLook, day: nil, value: difference.value, low: low, high: high)
  }

  /// The day of the decision, counted from 1, the calendar day of the first exposure.
  public var decidedDay: Int? {
    guard let decidedOn else { return nil }
    if let crossing = monitoring.crossing { return crossing.look.dayNumber }
    return monitoring.noDifference.flatMap { $0.day == decidedOn ? $0.dayNumber : nil }
  }

  /// Users of both arms together at which a decision is expected.
  public var plannedUsers: Int { monitoring.plannedUsers }
}

/// Several arms, each compared with the control.
public struct ComparisonSet: Sendable {
  /// At least one; the same control in each.
  public internal(set) var pairs: [Comparison]
  /// P(each arm's rate is the best, in the metric's good direction), control first; nil if an arm has no trials.
  public internal(set) var probabilityBest: [Double]?
  /// Versions of the app with more than 1 % of the exposures, and when they first appear; none if there are too many to count.
  public internal(set) var versions: [VersionAppearance]
  /// The plan that was made beforehand; nil without one.
  public package(set) var plan: SavedPlan?
  /// The age of the log. Nil if `as_of` was given, or if the answer is from sums.
  public package(set) var age: DataAge?
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  public var leftOutUsers: Int?

  /// The arms, control first.
  public var arms: [Comparison.Arm] { pairs.prefix(1).map(\.a) + pairs.map(\.b) }
}

// MARK: From the sums of a comparison to its figures: each variant against the control

extension ComparisonSet {
  package init(_ sums: ComparisonSums, _ question: ComparisonQuestion) throws {
    try sums.checkCounts(for: question)
    guard !sums.read.settled.hasTooManyStrata else { throw AdjustmentError.tooManyStrata(properties: question.adjust) }
    let tallies = ComparisonTallies(sums, question)
    try tallies.requireEvidence()
    pairs = try (1..<max(1, question.arms)).map { try Comparison(tallies, treatment: $0) }
    versions = sums.read.versions.appearances
    let adjusted = MultipleTesting.holm(pairs.map { $0.test?.pValue })
    for (i, p) in adjusted.enumerated() { pairs[i].adjustedPValue = p }
    adjustHeterogeneity()
    let metric = question.metric
    let samples = try tallies.counted.map { counts in
      let sample = try counts.binomial(metric)
      return metric.isGoodWhenHigh ? sample : sample.complement
    }
    probabilityBest =
      !question.isBrief && samples.allSatisfy { $0.trials > 0 } ? BetaBinomial.probabilityBest(samples) : nil
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
  struct Pair {
    var control, treatment: Int
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
    screen = question.screen
    conditions = question.conditions
    self.metric = metric
    zone = question.zone
    windows = question.windows
    familySize = family
    confidence = 1 - alpha
    plan = question.plan
    isMisread = tallies.isMisread
    from = question.from.map { question.zone.day(of: $0) }
    to = question.to.map { question.zone.day(of: $0) }
    exposedBefore = question.from.map { _ in tallies.exposedBefore }
    split = question.split
    withoutMessage = tallies.withoutMessage
    isOfAnswersAlone = screen == .permission && withoutMessage == nil && tallies.missing.contains(.screens)
    assigned = tallies.assignments.map { Assigned($0, pair) }
    mismatched = tallies.mismatched
    leftToScreens = tallies.leftToScreens
    let both = [pair.control, pair.treatment]
    messageBefore = (
      both.reduce(0) { $0 + tallies.messageBefore[$1] }, both.reduce(0) { $0 + tallies.all[$1].exposed },
      tallies.isOfOneTest
    )
    firstWithoutMessage = tallies.firstWithoutMessage
    notDenied = (tallies.notDenied[pair.control], tallies.notDenied[pair.treatment])
    self.a = Arm(tallies, pair.control, variants[pair.control], a)
    self.b = Arm(tallies, pair.treatment, variants[pair.treatment], b)

    difference = Estimate.difference(b, a, confidence: 1 - alpha)
    ratio = Self.ratio(b, a, confidence: 1 - alpha)
    test = EqualityTest.primary(b, a)
    adjustedPValue = test?.pValue
    let planned = tallies.plannedUsers(pair)
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
    bayes = question.isBrief ? nil : Self.bayes(a, b, metric)

    sampleRatio = question.isOfMessages ? try Self.sampleRatio(tallies) : nil
    contamination = question.isOfMessages ? try Self.contamination(tallies, pair) : nil
    strata = try Self.propertyChecks(tallies, pair)
    novelty = Self.novelty(tallies, pair, a, b, crossing: monitoring.crossing?.day)
    guardrails = try Self.guardrails(tallies, pair)
    let asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    endedOn = exposureDays.last.flatMap { $0 + ExperimentList.runningDays < asOfDay ? $0 : nil }
    needed = try Self.needed(a, b, tallies, pair, monitoring, bayes: bayes, alpha: alpha, hasEnded: endedOn != nil)
    secondary = question.isBrief ? [] : Self.secondary(tallies, pair)
    observations = question.isBrief ? [] : Self.observations(tallies, pair)
    segments = Self.segments(tallies, pair, strata)
    course = findCourse(exposureDays)
    (decision, decidedOn, reasons) = decide(exposureDays: exposureDays)
    if decision == .invalid { course = nil }
    cautions = findCautions()
  }
}
