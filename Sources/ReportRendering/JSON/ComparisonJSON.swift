// The comparison as JSON, schema permlog.compare/3: every key always there, in this order. Of several messages the first
// pair is the object itself, and the others are in `others`.

import PermissionAnalysis
import PermissionEvents

package enum ComparisonJSON {
  /// - Parameter isExplained: with the method, formula and source of each figure.
  package static func render(
    _ set: ComparisonSet, isExplained: Bool = false, words: @escaping RemedyWords = { $0.advice }
  ) -> [UInt8] {
    guard let first = set.pairs.first else { return JSONWriter.document(Int?.none) }
    var json = JSONWriter()
    json.object { json in
      json.member("schema", "permlog.compare/3")
      json.figures(ComparedPair.figures, of: ComparedPair(c: first, plan: set.plan, words: words))
      let overall = OverallVerdict(set)
      let members: JSONMembers = ["winners": overall.winners, "sentence": overall.sentence]
      json.member("overall", set.pairs.count > 1 ? members : nil)
      // The best is chosen among messages; a value of a property is not.
      json.member("probability_best", first.isOfMessages ? set.probabilityBest : nil)
      json.member("error_bound", ComparisonWords.errorBound(set))
      json.member("left_out_users", set.leftOutUsers)
      json.array("others") { json in
        for pair in set.pairs.dropFirst() {
          json.element { $0.figures(ComparedPair.figures, of: ComparedPair(c: pair, plan: set.plan, words: words)) }
        }
      }
      json.member("explain", isExplained ? ComparisonExplanation.numbers(set, words).map(\.members) : nil)
    }
    json.endLine()
    return json.take()
  }
}

extension ComparisonExplanation.ExplainedNumber {
  fileprivate var members: JSONMembers {
    ["figure": name, "value": value, "method": method, "formula": formula, "source": source, "limits": limits]
  }
}

// MARK: The experiments of a log as JSON, schema permlog.experiments/1: every key always there, in this order

/// The list, with the words that its sentences need.
package struct ExperimentsJSON: FigureObject {
  let list: ExperimentList
  let words: RemedyWords

  package static func render(_ list: ExperimentList, words: @escaping RemedyWords = { $0.advice }) -> [UInt8] {
    JSONWriter.document(ExperimentsJSON(list: list, words: words))
  }

  static let figures: [FigureNode<ExperimentsJSON>] = [
    .text("schema", "the form of the answer") { _ in "permlog.experiments/1" },
    .text("as_of", "the moment that it looks from", .moment) { $0.list.asOf.map { Timestamp.text($0) } },
    .text("time_zone", "the zone of days") { $0.list.timeZone },
    .count("response_window_ms", "how long an answer counts", .milliseconds) { Int($0.list.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) {
      Double($0.list.followUp) / Double(millisecondsPerDay)
    },
    .text("permission", "the only one; null for all") { $0.list.permission },
    .count("left_out_users", "with events, and left out of the answer", .users) { $0.list.leftOutUsers },
    .object("winners", WinnersCheck.figures) { $0.list.asOf == nil ? nil : $0.list.winnersCheck },
    .list("experiments", ListedExperiment.figures) { answer in
      let winners = answer.list.winnersCheck.winners
      return answer.list.experiments.enumerated().map { number, experiment in
        ListedExperiment(
          experiment: experiment, winners: winners.filter { $0.experiment == number }, words: answer.words)
      }
    },
  ]
}

/// Journeys of all messages that are still open.
struct Pending {
  let pending, exposed: Int
  var share: Double? { exposed > 0 ? Double(pending) / Double(exposed) : nil }

  init(_ set: ComparisonSet) {
    pending = set.arms.reduce(0) { $0 + $1.pending }
    exposed = set.arms.reduce(0) { $0 + $1.exposed }
  }
}

extension WinnersCheck {
  fileprivate static let figures: [FigureNode<WinnersCheck>] = [
    .count("comparisons", "of the list, each message with its control", .number) { $0.comparisons },
    .count("winners", "among them with a winner", .number) { $0.winners.count },
    .count("kept", "of the winners, those at this false discovery rate", .number) { $0.kept },
    .number("false_discovery_rate", "of the winners that are kept", .share) { _ in level },
    .number("expected_false", "the most that are expected to be false of those kept", .number) { $0.expectedFalse },
  ]
}

extension WinnersCheck.Winner {
  fileprivate static let figures: [FigureNode<WinnersCheck.Winner>] = [
    .number("p_value", "stage-wise, at the decision", .pValue) { $0.pValue },
    .number("p_adjusted", "after Benjamini and Hochberg over the list", .pValue) { $0.adjustedPValue },
    .flag("kept", "p_adjusted is at most the false discovery rate") { $0.isKept },
  ]
}

struct ListedExperiment {
  let experiment: ExperimentSummary
  let winners: [WinnersCheck.Winner]
  let words: RemedyWords

  /// Checks are of the whole experiment, the same for each pair.
  private var first: Comparison? { experiment.comparison?.pairs.first }

  fileprivate static let figures: [FigureNode<ListedExperiment>] = [
    .text("permission", "that was asked for") { $0.experiment.permission },
    .text("experiment", "its name") { $0.experiment.experiment },
    .text("screen", "what shows the messages") { $0.experiment.screen.rawValue },
    .flag("running", "there are exposures in the last 7 days") { $0.experiment.isRunning },
    .day("first_exposure", "the day of the first") { $0.experiment.firstExposure },
    .day("last_exposure", "the day of the last") { $0.experiment.lastExposure },
    .count("exposed", "of all messages", .users) { $0.experiment.exposed },
    .count("without_message", "with a first screen without a message", .users) { $0.experiment.withoutMessage },
    .flag("by_assignment", "a user's message is the assigned variant") { $0.experiment.isByAssignment },
    .text("control", "that the others are compared with") { $0.experiment.control },
    .list(
      "messages",
      [
        .text("variant", "its name") { $0.variant },
        .count("exposed", "users who saw it first", .users) { $0.exposed },
      ]
    ) { $0.experiment.messages },
    .text("not_compared", "why not") { $0.experiment.notCompared?.rawValue },
    .text("metric", "that is compared") { $0.first?.metric.rawValue },
    .object(
      "sample_ratio",
      Comparison.SampleRatio.figures.named([
        "split_declared", "expected", "observed", "p_value", "mismatch", "sequential",
      ])
    ) { $0.first?.sampleRatio },
    .object("contaminated", Comparison.Contamination.figures.named(["users", "share", "policy"])) {
      $0.first?.contamination
    },
    .object(
      "pending",
      [
        .count("users", "with open journeys, of all messages", .users) { $0.pending },
        .number("share", "of all users with an exposure", .share) { $0.share },
      ]
    ) { $0.experiment.comparison.map(Pending.init) },
    // The figures of a pair in a list. The rest is in the comparison.
    .list(
      "comparisons",
      ComparedPair.figures.named([
        "a", "b", "difference", "decision", "decided_on", "decided_day", "reasons", "cautions", "rule_interval",
      ]) + [.object("winner", WinnersCheck.Winner.figures) { $0.winner }]
    ) { listed in
      (listed.experiment.comparison?.pairs ?? []).enumerated().map { number, pair in
        ComparedPair(
          c: pair, plan: nil, words: listed.words, winner: listed.winners.first { $0.pair == number })
      }
    },
  ]
}

// MARK: A plan as JSON, schema permlog.plan/1: every key always there, in this order

package struct PlanJSON: FigureObject {
  let plan: ExperimentPlan
  /// nil for a plan that no log was read for.
  let permission: String?
  /// Users who are left out of the baseline; nil without a list of them.
  let leftOut: Int?

  package static func render(_ plan: ExperimentPlan, permission: String?, leftOut: Int? = nil) -> [UInt8] {
    JSONWriter.document(PlanJSON(plan: plan, permission: permission, leftOut: leftOut))
  }

  static let figures: [FigureNode<PlanJSON>] = [
    .text("schema", "the form of the answer") { _ in "permlog.plan/1" },
    .text("permission", "that is to be asked for; null if no log was read") { $0.permission },
    .text("screen", "what shows the messages") { $0.plan.question.screen.rawValue },
    .text("metric", "that decides") { $0.plan.question.metric.rawValue },
    .count("variants", "messages", .number) { $0.plan.question.variants },
    .numbers("split", "shares of the messages; null for even ones", .ratio) { $0.plan.question.split },
    .count("planned_n", "users of two messages together", .users) { $0.plan.plannedUsers },
    .number("power", "to find the effect", .share) { $0.plan.question.power },
    .number("alpha", "the error of all comparisons together", .share) { $0.plan.question.alpha },
    .number("baseline", "the rate of the control", .share) { $0.plan.baseline.rate },
    .count("baseline_successes", "that the rate is of", .users) { $0.plan.baseline.tally?.successes },
    .count("baseline_trials", "that the rate is of", .users) { $0.plan.baseline.tally?.trials },
    .text("baseline_variant", "its message; null for all") { $0.plan.baseline.message },
    .day("baseline_last_day", "the last of its days") { $0.plan.baseline.lastDay },
    .count("left_out_users", "with events, and left out of the answer", .users) { $0.leftOut },
    .number("exposures_per_day", "of the same days", .users) { $0.plan.baseline.exposuresPerDay },
    .number("counted_share", "share of users with an exposure whose metric is known", .share) {
      $0.plan.baseline.countedShare
    },
    .number("effect", "that is to be found", .difference) { $0.plan.question.effect },
    .number("changed_rate", "baseline and effect", .share) { $0.plan.changedRate },
    .count("users_given", "of a message, if effects are asked for", .users) { $0.plan.question.users },
    .count("days_given", "if effects are asked for", .days) { $0.plan.question.days },
    .count("days_to_mature", "until the last users are counted", .days) { $0.plan.daysToMature },
    .text("refused", "why there is no answer", .sentence) { $0.plan.refused?.sentence },
    .number("effect_sd", "deviation of the effects of such tests; null is unknown", .difference) {
      $0.plan.question.effectDeviation
    },
    .count("past_tests", "decided tests that it is of; null if it was given", .number) { $0.plan.question.pastTests },
    .object(
      "test_and_roll",
      [
        .count("per_variant", "to test before the better message goes to all", .users) { $0.users },
        .count("days", "of exposures, at the pace of the baseline", .days) { $0.days },
        .count("users_a_year", "new users, at that pace", .users) { $0.usersAYear },
        .number("gain", "successes a year more than without a test", .users) { $0.gain },
        .number("gain_one_look", "the same of a test with the users of one look", .users) { $0.gainOfOneLook },
      ]
    ) { $0.plan.roll },
    .list(
      "designs",
      [
        .text("design", "the way of deciding") { $0.name },
        .count("looks", "of declared looks, how many", .number) {
          if case .looks(let count) = $0.design { count } else { nil }
        },
        .number("inflation", "users of one look times this", .ratio) { $0.inflation },
        .count("per_variant", "if it is the same for all messages", .users) { $0.usersPerVariant },
        .counts("by_variant", "of each message, the control first") { $0.usersByVariant },
        .count("users", "of all messages", .users) { $0.users },
        .count("days", "of exposures, at the pace of the baseline", .days) { $0.days },
        .number("detectable_up", "that these users find upwards", .difference) { $0.detectableUp },
        .number("detectable_down", "that these users find downwards", .difference) { $0.detectableDown },
      ]
    ) { $0.plan.rows },
  ]
}

extension ExperimentPlan.PlanRow {
  fileprivate var name: String {
    switch design {
    case .oneLook: "one_look"
    case .looks: "looks"
    case .alwaysValid: "always_valid"
    case .daily(let isPlanned): isPlanned ? "daily_with_plan" : "daily_without_plan"
    }
  }
}

// MARK: A saved plan as JSON, schema permlog.plan-file/1: the plan's file, and the key `plan` of a comparison that was planned

extension SavedPlan: FigureObject {
  package static let schema = "permlog.plan-file/1"

  static let figures: [FigureNode<SavedPlan>] =
    figuresOfFile + [figureOfAtOnce, figureOfScreen, figureOfChanges] + figuresOfDates

  private static let figureOfAtOnce = FigureNode<SavedPlan>.count(
    "at_once_ms", "faster answers do not come from a person", .milliseconds
  ) { $0.atOnce.map { Int($0) } }
  private static let figureOfScreen = FigureNode<SavedPlan>.text("screen", "what shows the messages") {
    $0.screen.rawValue
  }

  private static let figureOfChanges = FigureNode<SavedPlan>.list(
    "split_changes",
    [
      .day("from", "the first day of another division") { $0.from },
      .numbers("split", "shares of the messages from then on", .ratio) { $0.parts },
    ]
  ) { $0.split.changes }
  private static let figuresOfDates: [FigureNode<SavedPlan>] = [
    .day("from", "the first day of the test; null for that of the first exposure") { $0.from },
    .day("to", "the day after the last; null without one") { $0.to },
  ]

  /// The figures of its file: without those that the file of a plan from before version 0.4.0 lacks, and without the usual screen.
  fileprivate var figuresOfOwnFile: [FigureNode<SavedPlan>] {
    Self.figuresOfFile + (atOnce == nil ? [] : [Self.figureOfAtOnce])
      + (screen == .permission ? [] : [Self.figureOfScreen])
      + (split.changes.isEmpty ? [] : [Self.figureOfChanges]) + (from == nil && to == nil ? [] : Self.figuresOfDates)
  }

  /// Those of every plan's file.
  private static let figuresOfFile: [FigureNode<SavedPlan>] = [
    .text("schema", "the form of the plan") { _ in schema },
    .text("permission", "the permission to compare") { $0.permission },
    .text("experiment", "its name; null for none") { $0.experiment },
    .texts("variants", "messages, the control first") { $0.variants },
    .text("metric", "that decides") { $0.metric.rawValue },
    .text("time_zone", "the zone of days") { $0.timeZone },
    .count("response_window_ms", "how long an answer counts", .milliseconds) { Int($0.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) {
      Double($0.followUp) / Double(millisecondsPerDay)
    },
    .count("settings_window_days", "how long after a Settings prompt a later opt-in counts for it", .days) { _ in
      settingsWindowDays
    },
    .numbers("split", "shares of the messages", .ratio) { $0.split.parts },
    .count("planned_n", "users of two messages together", .users) { $0.plannedUsers },
    .number("exponent", "r of the spending of error", .number) { $0.exponent },
    .number("alpha", "the error of all comparisons together", .share) { $0.alpha },
    .texts("adjust", "properties that the difference is adjusted for") { $0.adjust.map(\.name) },
    .text("contaminated", "how users of several messages are counted") { $0.contaminated.rawValue },
    .number("minimum_effect", "that matters", .difference) { $0.minimumEffect },
    .list(
      "guardrails",
      [
        .text("metric", "that must not become worse") { $0.metric.rawValue },
        .number("margin", "the loss that is tolerated", .difference) { $0.margin },
      ]
    ) { $0.guardrails },
    .number("effect", "that is to be found", .difference) { $0.effect },
    .number("baseline", "the rate of the control", .share) { $0.baseline },
    .number("power", "to find it", .share) { $0.power },
    .text("saved_at", "when it was made", .moment) { Timestamp.text($0.savedAt) },
  ]

  /// The same for every comparison of this version. It is written so that later versions need not guess.
  package static let settingsWindowDays = Int(AnalysisWindows(asOf: 0).settings / millisecondsPerDay)
}

/// A plan as its file has it: a plan from before version 0.4.0 is written as it was read, because a record of looks
/// identifies it by its bytes.
package struct SavedPlanFile: JSONWritable {
  private let plan: SavedPlan

  package init(_ plan: SavedPlan) { self.plan = plan }

  package func write(to json: inout JSONWriter) {
    json.object { $0.figures(plan.figuresOfOwnFile, of: plan) }
  }
}

// MARK: Flows as JSON, schema permlog.flow/1: every key always there, in this order

package enum FlowJSON {
  package static func render(_ report: FlowReport) -> [UInt8] { collected { write(report, to: $0) } }

  package static func write(_ report: FlowReport, to sink: ([UInt8]) throws -> Void) rethrows {
    var json = JSONWriter()
    try json.object { json in
      json.members([
        "schema": "permlog.flow/1", "as_of": report.asOf.map { Timestamp.text($0) }, "time_zone": report.timeZone,
        "week_start": report.zone.weekStart.rawValue,
        "response_window_ms": Int(report.responseWindow), "where": report.conditions.map(\.description),
        "left_out_users": report.leftOutUsers,
      ])
      try json.array("flow") { json in
        for entry in report.entries {
          json.element(entry)
          try sink(json.take())
        }
      }
    }
    json.endLine()
    try sink(json.take())
  }
}

extension FlowEntry: FigureObject {}
