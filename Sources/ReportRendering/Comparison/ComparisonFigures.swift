// Every figure of a comparison: name, meaning, unit, getter and denominator. JSON and CSV are made from these
// trees; docs/csv.md, docs/figures.md and docs/schemas are checked against them.

import PermissionAnalysis
import PermissionEvents

/// A pair of arms, with what the sentences of its JSON need.
struct ComparedPair {
  let c: Comparison
  /// Of all pairs.
  let plan: SavedPlan?
  let words: RemedyWords
  /// Of a pair in a list.
  var winner: WinnersCheck.Winner?

  private var users: Int { c.a.trials + c.b.trials }

  private var decidedSize: Comparison.Size? { c.size.flatMap { $0.isDecided ? $0 : nil } }

  private static func users(_ look: Comparison.Look?) -> Int? { look.map { $0.a.trials + $0.b.trials } }

  /// In the order of the JSON.
  static let figures: [FigureNode<ComparedPair>] = [
    .text("permission", "the permission compared") { $0.c.permission },
    .text("experiment", "its name; null if none was named") { $0.c.experiment },
    .text("screen", "what shows the messages") { $0.c.screen.rawValue },
    .text("property", "the property that the arms are values of") { $0.c.comparedProperty.name },
    .texts("where", "conditions on the exposure", .sentence) { $0.c.conditions.map(\.description) },
    .day("from", "the first day of the exposures that count; null for all") { $0.c.from },
    .day("to", "the day after the last; null for all") { $0.c.to },
    .count("exposed_before", "who saw a message of the test before `from`, and are left out", .users) {
      $0.c.exposedBefore
    },
    .text("metric", "the metric compared") { $0.c.metric.rawValue },
    .object("a", Comparison.Arm.figures) { $0.c.a },
    .object("b", Comparison.Arm.figures) { $0.c.b },
    .estimate("difference", "B minus A, for one look", .difference, over: { $0.users }) { $0.c.difference },
    .estimate("ratio", "B over A, for one look", .ratio, over: { $0.users }) { $0.c.ratio },
    .number("p_value", "of no difference, for one look", .pValue, over: { $0.users }) { $0.c.test?.pValue },
    .text("test", "what p_value is of") { $0.c.test?.method.rawValue },
    .knowable(
      "always_valid", isKnown: { $0.c.alwaysValid != nil },
      [
        .inTables([
          .bounds("", "B minus A, valid at every look", .difference) { pair in
            pair.c.alwaysValid.map { ($0.low, $0.high) }
          }
        ]),
        .number("p_value", "of no difference, valid at every look", .pValue) { $0.c.alwaysValid?.pValue },
        .inJSON([
          .number("low", "of B minus A, valid at every look", .difference) { $0.c.alwaysValid?.low },
          .number("high", "of B minus A, valid at every look", .difference) { $0.c.alwaysValid?.high },
          .count("planned_n", "users of both arms that it is tuned for", .users) { $0.c.plannedUsers },
          .number("log10_p_value", "also where p_value is too small", .logarithm) { $0.c.alwaysValid?.log10PValue },
        ]),
      ]),
    .text(
      "always_valid_refused",
      "why there is no always-valid interval", .sentence
    ) { $0.c.alwaysValidRefused?.sentence($0.c.armNoun) },
    .knowable(
      "bayes", isKnown: { $0.c.bayes != nil },
      [
        .number("p_b_beats_a", "chance that B is better", .share) { $0.c.bayes?.probabilityBGreater },
        // A loss needs a choice, and values of a property are not chosen.
        .number("expected_loss_a", "what choosing A loses on average", .difference) {
          $0.c.isOfMessages ? $0.c.bayes?.expectedLossA : nil
        },
        .number("expected_loss_b", "what choosing B loses on average", .difference) {
          $0.c.isOfMessages ? $0.c.bayes?.expectedLossB : nil
        },
        .estimate("difference", "B minus A, from flat priors", .difference) { $0.c.bayes?.difference },
      ]),
    .inJSON([.object("sample_ratio", Comparison.SampleRatio.figures) { $0.c.sampleRatio }]),
    .object("contaminated", Comparison.Contamination.figures) { $0.c.contamination },
    .object("needed", Comparison.Needed.figures) { $0.c.needed },
    .list("secondary", Comparison.Secondary.figures, place: { [.name($0.measure.name)] }) { $0.c.secondary },
    .text("decision", "what follows") { $0.c.decision.rawValue },
    .day("decided_on", "the finished day that decided") { $0.c.decidedOn },
    .count("decided_day", "the same, counted from 1, the day of the first exposure", .days) { $0.c.decidedDay },
    .texts("reasons", "why, the most important first", .sentence) { $0.c.reasonSentences(saying: $0.words) },
    .text("rule", "what decides") { $0.c.monitoring.rule.name },
    .group(
      "rule_interval",
      [
        .estimate(
          "at_decision", "B minus A at the look that decided", .difference,
          over: { users($0.c.monitoring.crossing?.look) }
        ) { $0.c.monitoring.atDecision },
        .estimate("now", "B minus A at the latest look", .difference, over: { users($0.c.monitoring.looks.last) }) {
          $0.c.monitoring.now
        },
      ]),
    .number("rule_p_value", "of no difference, by the rule", .pValue) { $0.c.monitoring.pValue },
    .inJSON([
      .object(
        "assigned",
        [
          .counts("users", "assigned to the control, and to the message") { $0.users },
          .counts("exposed", "of them, with a screen from then on") { $0.exposed },
          .number("p_value", "of the same share exposed", .pValue) { $0.pValue },
        ]
      ) { $0.c.assigned }
    ]),
    .estimate("estimate", "B minus A, corrected for stopping at the decision", .difference) {
      $0.c.monitoring.crossing?.estimate
    },
    .number("estimate_relative", "the estimate over the rate of A then", .share) { $0.decidedSize?.relative },
    .number("estimate_a_week", "successes a week more, if all users of both arms saw B", .users) {
      $0.decidedSize?.aWeek
    },
    .text("outlook", "the outlook of an undecided test") { $0.c.course?.rawValue },
    .number("price_of_waiting", "successes that another day costs on average, as now believed", .users) {
      $0.c.isOfMessages ? $0.c.needed.priceOfWaiting : nil
    },
    .object("plan", SavedPlan.figures) { $0.plan },
    .text("as_of", "the moment that it looks from", .moment) { Timestamp.text($0.c.windows.asOf) },
    .text("time_zone", "the zone of days") { $0.c.timeZone },
    .count("at_once_ms", "faster answers do not come from a person", .milliseconds) { Int($0.c.windows.atOnce) },
    .texts("cautions", "what to read with the decision", .sentence) {
      [RowNames.caution($0.c.permission)].compactMap { $0 } + $0.c.cautionSentences(saying: $0.words)
    },
    .number("confidence", "of difference, ratio and always_valid", .share) { $0.c.confidence },
    .number("log10_p_value", "also where p_value is too small", .logarithm) { $0.c.test?.log10PValue },
    .number("p_adjusted", "after Holm over several messages", .pValue, over: { $0.users }) { $0.c.adjustedPValue },
    .object(
      "exact_sequence",
      [
        .number("low", "of B minus A, exact, valid at every look", .difference) { $0.low },
        .number("high", "of B minus A, exact, valid at every look", .difference) { $0.high },
      ]
    ) { $0.c.exactSequence },
    .object("monitoring", Comparison.Monitoring.figures) { $0.c.monitoring },
    .list("guardrails", Comparison.Guardrail.figures, place: { [.name($0.metric.rawValue)] }) { $0.c.guardrails },
    .list("strata", Comparison.PropertyCheck.figures, place: { [.name($0.property)] }) { $0.c.strata },
    .group(
      "novelty",
      [
        .inJSON([.count("days", "finished days that the trend is of", .days) { $0.c.novelty.days }]),
        .number("slope_per_day", "change of the difference a day", .difference) { $0.c.novelty.slope },
        .number("p_value", "of no trend", .pValue) { $0.c.novelty.pValue },
        .inJSON([
          .estimate("first_half", "B minus A in the earlier half of the days", .difference) { $0.c.novelty.firstHalf },
          .estimate("second_half", "B minus A in the later half", .difference) { $0.c.novelty.secondHalf },
          .estimate("recent", "B minus A of the last two weeks, for one look", .difference) { $0.c.novelty.recent },
          // Fading is claimed only after a decision.
          .flag("fading", "the effect shrinks") { $0.c.novelty.isFading && $0.c.monitoring.crossing != nil },
          .text("refused", "why there is no trend", .sentence) { $0.c.novelty.refused?.sentence($0.c.armNoun) },
        ]),
      ]),
    .list("observations", Comparison.Secondary.figures, place: { [.name($0.measure.name)] }) { $0.c.observations },
    .object("segments", Comparison.Segments.figures, place: { [.column("by_property", $0.property)] }) {
      $0.c.segments
    },
    .list("series", SeriesDay.figures, place: { [.column("day", CivilDate($0.point.day).text)] }) {
      SeriesDay.all($0.c)
    },
  ]

  /// What tables have of a pair, in their order.
  static let tables: [FigureNode<ComparedPair>] = figures.named([
    "difference", "ratio", "p_value", "p_adjusted", "estimate", "estimate_relative", "estimate_a_week",
    "price_of_waiting", "rule_interval", "rule_p_value", "monitoring", "always_valid",
    "bayes", "contaminated", "novelty", "needed", "secondary", "observations", "guardrails", "strata", "segments",
    "series",
  ])
}

extension Comparison.Arm {
  static let figures: [FigureNode<Comparison.Arm>] = [
    .text("variant", "its message, or value") { $0.variant },
    .count("exposed", "users with a first screen", .users, over: { $0.exposed }) { $0.exposed },
    .count("pending", "response window not over at as_of", .users, over: { $0.exposed }) { $0.pending },
    .count("restricted", "denied, the user had no choice", .users, over: { $0.exposed }) { $0.restricted },
    .count("base", "exposed minus pending and restricted", .users, over: { $0.exposed }) { $0.base },
    .count("granted", "first answer granted", .users, over: { $0.base }) { $0.counts[.granted] },
    .count("denied", "first answer denied", .users, over: { $0.base }) { $0.counts[.denied] },
    .count("skipped", "first answer skipped", .users, over: { $0.base }) { $0.counts[.skipped] },
    .count("dropped_off", "no answer in time", .users, over: { $0.base }) {
      $0.isDropOffKnown ? $0.counts[.droppedOff] : nil
    },
    .count("not_asked", "not exposed: each call with the message returned at once", .users) { $0.notAsked },
    .count("successes", "users counted as a success of the metric", .users, over: { $0.trials }) { $0.successes },
    .count("trials", "users with a known metric", .users) { $0.trials },
    .estimate("rate", "successes of trials", over: { $0.trials }) { $0.rate },
  ]
}

extension Comparison.Tally {
  fileprivate static let figures: [FigureNode<Comparison.Tally>] =
    [.count("exposed", "users with a first screen", .users) { $0.exposed }] + settled

  /// Users whose outcome is known; when they were exposed does not count here.
  fileprivate static let settled: [FigureNode<Comparison.Tally>] = [
    .count("trials", "users with a known metric", .users) { $0.trials },
    .count("successes", "users counted as a success", .users) { $0.successes },
    .number("rate", "successes of trials", .share) { $0.rate },
  ]
}

// MARK: - The rule and its looks

extension Comparison.Monitoring {
  fileprivate static let figures: [FigureNode<Comparison.Monitoring>] = [
    .inJSON([
      .text("rule", "what decides") { $0.rule.name },
      .count("planned_n", "users of both arms that it is planned for", .users) { $0.plannedUsers },
      .number("exponent", "r of the spending of error", .number) { $0.exponent },
      .texts("adjusted_by", "properties that the difference is adjusted for") { $0.adjustedBy },
      .number("users_saved", "by the adjustment", .share) { $0.usersSaved },
      .list(
        "looks",
        [
          .day("day", "the day at the end of which it was made") { $0.day },
          .count("day_number", "counted from 1, the day of the first exposure", .days) { $0.dayNumber },
          .object("a", Comparison.Tally.settled) { $0.a },
          .object("b", Comparison.Tally.settled) { $0.b },
          .number("time", "information, as a share of that planned", .ratio) { $0.time },
          .number("z", "the statistic; null at an exact look", .number) { $0.z },
          .number("bound", "that |z| has to cross", .number) {
            if case .score(let bound) = $0.boundary { bound } else { nil }
          },
          .count("lower", "successes of B at or below which it is decided", .users) {
            if case .events(let lower, _) = $0.boundary { lower } else { nil }
          },
          .count("upper", "successes of B at or above which it is decided", .users) {
            if case .events(_, let upper) = $0.boundary { upper } else { nil }
          },
          .estimate("difference", "B minus A, with the rule's interval", .difference) { $0.estimate },
          .flag("crossed", "this look decides") { $0.isCrossed },
        ]
      ) { $0.looks },
    ]),
    .object(
      "no_difference",
      [
        .inTables([
          .bounds("", "any difference of size is excluded, valid at every look", .difference) { ($0.low, $0.high) }
        ]),
        .inJSON([
          .day("day", "the day at the end of which it was found") { $0.day },
          .count("day_number", "counted from 1, the day of the first exposure", .days) { $0.dayNumber },
          .number("low", "of B minus A, valid at every look", .difference) { $0.low },
          .number("high", "of B minus A, valid at every look", .difference) { $0.high },
        ]),
      ], isKnowable: true, place: { [.column("day", CivilDate($0.day).text)] }
    ) { $0.noDifference },
    .inJSON([
      .object("contradiction", Comparison.Contradiction.figures) { $0.contradiction },
      .object(
        "declared",
        [
          .count("count", "looks", .number) { $0.count },
          .count("planned_n", "users of both arms at the last", .users) { $0.plannedUsers },
          .count("next_at", "users of the look to come", .users) { $0.nextAt },
          .flag("overrun", "there are more users than were planned") { $0.isOverrun },
        ]
      ) { $0.declared },
      .object(
        "record_differs",
        [
          .object("recorded", Comparison.RecordDifference.Verdict.figures) { $0.recorded },
          .object("from_log", Comparison.RecordDifference.Verdict.figures) { $0.fromLog },
        ]
      ) { $0.recordDiffers },
    ]),
  ]
}

extension Comparison.RecordDifference.Verdict {
  fileprivate static let figures: [FigureNode<Comparison.RecordDifference.Verdict>] = [
    .day("day", "of the decision") { $0.day },
    .flag("b_higher", "B above A; null for no difference that matters") { $0.isHigher },
  ]
}

extension Comparison.Contradiction {
  private var days: (since: DayNumber, until: DayNumber)? {
    if case .intervalsDisagree(let since, let until) = self { (since, until) } else { nil }
  }

  private var bounds: (low: Double, high: Double)? {
    if case .otherSide(let low, let high) = self { (low, high) } else { nil }
  }

  fileprivate static let figures: [FigureNode<Comparison.Contradiction>] = [
    .text("kind", "how later data contradict") { $0.days == nil ? "other_side" : "intervals_disagree" },
    .day("since", "from this day on the intervals have no difference in common") { $0.days?.since },
    .day("until", "up to this day") { $0.days?.until },
    .number("low", "of B minus A now, for one look", .difference) { $0.bounds?.low },
    .number("high", "of B minus A now, for one look", .difference) { $0.bounds?.high },
  ]
}

// MARK: - Whether it can be trusted

extension Comparison.SampleRatio {
  static let figures: [FigureNode<Comparison.SampleRatio>] = [
    .flag("split_declared", "false if an even split is assumed") { $0.isDeclared },
    .numbers("expected", "users of each message, control first", .users) { $0.expected },
    .counts("observed", "users of each message") { $0.observed },
    .number("p_value", "chi-square, for one look", .pValue) { $0.pValue },
    .flag("mismatch", "p_value is below 0.001") { $0.isMismatch },
    .number("p_value_after_policy", "of the users that are counted", .pValue) { $0.countedPValue },
    .list(
      "days",
      [
        .day("day", "of exposure") { $0.day }, .counts("observed", "users of each message") { $0.observed },
        .number("p_value", "chi-square", .pValue) { $0.pValue },
        .number("p_adjusted", "after Holm over the days", .pValue) { $0.adjustedPValue },
      ]
    ) { $0.days },
    .object("sequential", Comparison.SequentialRatio.figures) { $0.sequential },
  ]
}

extension Comparison.SequentialRatio {
  fileprivate static let figures: [FigureNode<Comparison.SequentialRatio>] = [
    .number("e_value", "against the expected division, valid at every look", .number) { $0.eValue },
    .number("log_e_value", "also where that is too large", .number) { $0.logE },
    .number("p_value", "of the expected division, valid at every look", .pValue) { $0.pValue },
    .flag("alarm", "the users were not divided as expected") { $0.firstAlarm != nil },
    .day("first_alarm_day", "since when") { $0.firstAlarm },
  ]
}

extension Comparison.Contamination {
  static let figures: [FigureNode<Comparison.Contamination>] = {
    let first = FigureNode<Comparison.Contamination>.estimate(
      "difference_first", "B minus A, users counted for their first message", .difference
    ) { $0.differenceFirst }
    return [
      .inJSON([
        .count("users", "with multiple exposures", .users) { $0.users },
        .number("share", "of all users with an exposure", .share) { $0.share },
        .text("policy", "how they are counted") { $0.policy.rawValue },
      ]),
      .inTables([first]),
      .estimate("difference_excluding", "B minus A without them", .difference) { $0.differenceExcluding },
      .inJSON([
        first, .counts("users_by_first", "them, by their first message") { $0.usersByFirst },
        .counts("exposed_by_first", "all users, by their first message") { $0.exposedByFirst },
        .number("asymmetry_p_value", "of being equally frequent after either message", .pValue) { $0.asymmetryPValue },
      ]),
    ]
  }()
}

extension Comparison.Guardrail {
  fileprivate static let figures: [FigureNode<Comparison.Guardrail>] = [
    .text("metric", "what must not become worse") { $0.metric.rawValue },
    .number("margin", "the loss that is tolerated", .difference) { $0.margin },
    .inJSON([.flag("automatic", "it was not asked for") { $0.isAutomatic }]),
    .text("state", "by the always-valid interval") { $0.state.rawValue },
    .inJSON([
      .object("a", Comparison.Tally.figures) { $0.known($0.a) },
      .object("b", Comparison.Tally.figures) { $0.known($0.b) },
    ]),
    .inTables([
      .number("a", "its rate of the control", .share, over: { $0.known($0.a)?.trials }) { $0.known($0.a)?.rate },
      .number("b", "its rate of the message", .share, over: { $0.known($0.b)?.trials }) { $0.known($0.b)?.rate },
    ]),
    .estimate("difference", "B minus A, for one look", .difference) { $0.difference },
    .number("p_value", "of worse by the margin, for one look", .pValue) { $0.pValue },
    .inTables([.bounds("always_valid", "B minus A, valid at every look", .difference) { ($0.low, $0.high) }]),
    .inJSON([
      .number("low", "of B minus A, valid at every look", .difference) { $0.low },
      .number("high", "of B minus A, valid at every look", .difference) { $0.high },
      .text("method", "what these bounds are of") { $0.method?.rawValue },
      .text("reason", "why nothing is known", .sentence) { $0.noEvidence?.sentence },
    ]),
  ]

  private func known(_ tally: Comparison.Tally) -> Comparison.Tally? { noEvidence == nil ? tally : nil }
}

extension Comparison.PropertyCheck {
  fileprivate static let figures: [FigureNode<Comparison.PropertyCheck>] = [
    .text("property", "the property checked") { $0.property },
    .inJSON([
      .count("strata", "values of it", .values) { $0.allStrata },
      .count("strata_used", "values with users of both arms", .values) { $0.usedStrata },
    ]),
    .estimate("post_stratified", "B minus A, weighted over the values", .difference) { $0.postStratified },
    .inJSON([
      .number("mantel_haenszel", "the common difference", .difference) { $0.mantelHaenszel },
      .number("cmh_p_value", "of no difference within values", .pValue) { $0.associationPValue },
    ]),
    .object("heterogeneity", Comparison.Heterogeneity.figures, isKnowable: true) { $0.heterogeneity },
    .inJSON([
      .flag("reversed", "the sign changes within values") { $0.isReversed },
      .flag("flagged", "it is Simpson's paradox") { $0.isFlagged },
      .object(
        "sample_ratio",
        [
          .number("p_adjusted", "of a division as expected within values", .pValue) { $0.sampleRatioPValue },
          .text("value", "the value with the worst division") { $0.sampleRatioValue ?? nil },
          .flag("mismatch", "p_adjusted is below 0.001") { $0.isRatioMismatched },
        ]
      ) { $0.hasSampleRatio ? $0 : nil },
    ]),
  ]
}

extension Comparison.Heterogeneity {
  fileprivate static let figures: [FigureNode<Comparison.Heterogeneity>] = [
    .inJSON([
      .number("q", "Cochran's Q", .number) { $0.q },
      .count("degrees_of_freedom", "of Q", .number) { $0.degreesOfFreedom },
      .number("p_value", "of one difference for all values", .pValue) { $0.pValue },
    ]),
    .number("p_adjusted", "of one difference for all values, over the properties", .pValue) { $0.adjustedPValue },
    .inJSON([.flag("differ", "p_adjusted is below 0.05") { $0.areDifferent }]),
  ]
}

// MARK: - Other metrics, values and days

extension Comparison.Secondary {
  fileprivate static let figures: [FigureNode<Comparison.Secondary>] = [
    .text("metric", "which it is") { $0.measure.name },
    .number("a", "of the control", .metric, over: { $0.usersA }) { $0.a },
    .number("b", "of the message", .metric, over: { $0.usersB }) { $0.b },
    .estimate("difference", "B minus A, for one look", .metric) { $0.difference },
    .number("p_value", "of no difference, for one look", .pValue) { $0.pValue },
    .number("p_adjusted", "after Benjamini and Hochberg", .pValue) { $0.adjustedPValue },
    .inJSON([
      .flag("descriptive", "of users selected by the message: not an effect") { $0.isDescriptive },
      .number("log10_p_value", "also where p_value is too small", .logarithm) { $0.log10PValue },
      .text("test", "what p_value is of") { $0.test },
      .number("p_b_greater", "chance that a value of B is greater", .share) { $0.probabilityBGreater },
      .count("a_n", "users that a is over", .users) { $0.usersA },
      .count("b_n", "users that b is over", .users) { $0.usersB },
      .text("reason", "why nothing is known", .sentence) { $0.noEvidence?.sentence },
    ]),
  ]
}

extension Comparison.Needed {
  fileprivate static let figures: [FigureNode<Comparison.Needed>] = [
    .number("minimum_effect", "that matters", .difference) { $0.minimumEffect },
    .count("per_variant", "users of an arm to find it with one look at the end", .users) { $0.perVariant },
    .count("days", "until then, at the pace so far", .days) { $0.days },
    .inJSON([
      .count("per_variant_always_valid", "the same by the always-valid interval", .users) { $0.perVariantAlwaysValid },
      .count("days_always_valid", "until then", .days) { $0.daysAlwaysValid },
    ]),
    .number("power", "of these users to find it at one look", .share) { $0.power },
    .inJSON([
      .number("detectable_up", "that these users find upwards, with 80 %", .difference) { $0.detectableUp },
      .number("detectable_down", "that these users find downwards, with 80 %", .difference) { $0.detectableDown },
      .object(
        "outlook",
        [
          .number("users_per_day", "of both arms, at the pace so far", .users) { $0.usersPerDay },
          .count("days", "that the rule goes on", .days) { $0.days },
          .number("detectable", "that the rule then finds, with 80 %", .difference) { $0.detectable },
          .number("effect", "that is asked for", .difference) { $0.effect },
          .count("days_for_effect", "until the rule finds it", .days) { $0.daysForEffect },
        ]
      ) { $0.outlook },
    ]),
    .object(
      "progress",
      [
        .count("users", "of both arms with a known outcome", .users) { $0.users },
        .count("planned", "of both arms by the plan", .users) { $0.planned },
        .inJSON([.day("until", "when they are there, at the pace so far") { $0.until }]),
      ]
    ) { $0.progress },
  ]
}

extension Comparison.Segments {
  fileprivate static let figures: [FigureNode<Comparison.Segments>] = [
    .text("property", "the property that divides the users") { $0.property },
    .inJSON([.object("heterogeneity", Comparison.Heterogeneity.figures) { $0.heterogeneity }]),
    .inJSON([.list("segments", Segment.figures) { $0.segments }]),
    .inTables([.list("", Segment.figures, place: { [.column("by", $0.value ?? "")] }) { $0.segments }]),
  ]
}

extension Comparison.Segments.Segment {
  fileprivate static let figures: [FigureNode<Comparison.Segments.Segment>] = [
    .text("value", "null if the exposure has no value") { $0.value },
    .inJSON([.object("a", Comparison.Tally.figures) { $0.a }, .object("b", Comparison.Tally.figures) { $0.b }]),
    .inTables([
      .number("a", "rate of the control within the value", .share, over: { $0.a.trials }) { $0.a.rate },
      .number("b", "rate of the message within the value", .share, over: { $0.b.trials }) { $0.b.rate },
    ]),
    .estimate("difference", "B minus A, for one look", .difference, over: { $0.a.trials + $0.b.trials }) {
      $0.difference
    },
    .number("p_value", "of no difference, for one look", .pValue) { $0.pValue },
    .number("p_adjusted", "after Benjamini and Hochberg over the values", .pValue) { $0.adjustedPValue },
    .inJSON([
      .number("sample_ratio_p_value", "of a division as expected within the value", .pValue) { $0.sampleRatioPValue }
    ]),
  ]
}

/// A finished day, and all users up to it.
struct SeriesDay {
  let point: Comparison.SeriesPoint
  let a, b: Comparison.Tally

  static func all(_ c: Comparison) -> [SeriesDay] {
    var (a, b) = (Comparison.Tally(), Comparison.Tally())
    return c.series.map { point in
      (a, b) = (a + point.a, b + point.b)
      return SeriesDay(point: point, a: a, b: b)
    }
  }

  private var users: Int { a.trials + b.trials }

  fileprivate static let figures: [FigureNode<SeriesDay>] = [
    .inJSON([
      .day("day", "a finished one") { $0.point.day },
      .object("a", Comparison.Tally.settled) { $0.point.a },
      .object("b", Comparison.Tally.settled) { $0.point.b },
      .number("difference", "B minus A of all users up to the day", .difference) { $0.point.difference },
      .number("low", "the always-valid interval of that", .difference) { $0.point.interval?.low },
      .number("high", "the always-valid interval of that", .difference) { $0.point.interval?.high },
      .number("rule_low", "the rule's interval", .difference) { $0.point.look?.estimate.low },
      .number("rule_high", "the rule's interval", .difference) { $0.point.look?.estimate.high },
    ]),
    .inTables([
      .number("a", "rate of the control up to the day", .share, over: { $0.a.trials }) { $0.a.rate },
      .number("b", "rate of the message up to the day", .share, over: { $0.b.trials }) { $0.b.rate },
      .estimate("difference", "B minus A, with the always-valid interval", .difference, over: { $0.users }) { day in
        day.point.difference.map { Estimate($0, low: day.point.interval?.low, high: day.point.interval?.high) }
      },
      .estimate("rule", "B minus A, with the rule's interval", .difference, over: { $0.users }) {
        $0.point.look?.estimate
      },
    ]),
  ]
}
