// The experiments of a log as JSON, schema permlog.experiments/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The list of experiments for programs.
package enum ExperimentsJSON {
  static let schema = "permlog.experiments/1"

  /// - Parameter words: for what is left to the program that shows it.
  package static func render(_ list: ExperimentList, words: @escaping RemedyWords = { $0.advice }) -> [UInt8] {
    JSONWriter.document(ListedExperiments(list: list, words: words))
  }
}

/// The list, with what its sentences need.
struct ListedExperiments: FigureObject {
  let list: ExperimentList
  let words: RemedyWords

  static let figures: [FigureNode<ListedExperiments>] = [
    .text("schema", "the form of the answer") { _ in ExperimentsJSON.schema },
    .text("as_of", "the moment that it looks from", .moment) { $0.list.asOf.map { Timestamp.text($0) } },
    .text("time_zone", "the zone of days") { $0.list.timeZone },
    .count("response_window_ms", "how long an answer counts", .milliseconds) { Int($0.list.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) {
      Double($0.list.followUp) / Double(millisecondsPerDay)
    },
    .text("permission", "the only one; null for all") { $0.list.permission },
    .list("experiments", ListedExperiment.figures) { answer in
      answer.list.experiments.map { ListedExperiment(experiment: $0, words: answer.words) }
    },
  ]
}

/// Journeys of all messages that are still open.
private struct Pending {
  let pending, exposed: Int
  var share: Double? { exposed > 0 ? Double(pending) / Double(exposed) : nil }

  init(_ set: ComparisonSet) {
    pending = set.arms.reduce(0) { $0 + $1.pending }
    exposed = set.arms.reduce(0) { $0 + $1.exposed }
  }
}

struct ListedExperiment {
  let experiment: ExperimentSummary
  let words: RemedyWords

  /// Checks are of the whole experiment, the same for each pair.
  private var first: Comparison? { experiment.comparison?.pairs.first }

  fileprivate static let figures: [FigureNode<ListedExperiment>] = [
    .text("permission", "that was asked for") { $0.experiment.permission },
    .text("experiment", "its name") { $0.experiment.experiment },
    .flag("running", "there are exposures in the last 7 days") { $0.experiment.isRunning },
    .day("first_exposure", "the day of the first") { $0.experiment.firstExposure },
    .day("last_exposure", "the day of the last") { $0.experiment.lastExposure },
    .count("exposed", "of all messages", .users) { $0.experiment.exposed },
    .count("without_message", "with a first screen of no message", .users) { $0.experiment.withoutMessage },
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
      Comparison.SampleRatio.figures.named(["expected", "observed", "p_value", "mismatch", "sequential"])
    ) { $0.first?.sampleRatio },
    .object("contaminated", Comparison.Contamination.figures.named(["users", "share", "policy"])) {
      $0.first?.contamination
    },
    .object(
      "pending",
      [
        .count("users", "whose journeys are open, of all messages", .users) { $0.pending },
        .number("share", "of all users with an exposure", .share) { $0.share },
      ]
    ) { $0.experiment.comparison.map(Pending.init) },
    // What a list says of a pair: the rest is the comparison's.
    .list(
      "comparisons",
      ComparedPair.figures.named([
        "a", "b", "difference", "decision", "decided_on", "decided_day", "reasons", "cautions", "rule_interval",
      ])
    ) { listed in
      (listed.experiment.comparison?.pairs ?? []).map { ComparedPair(c: $0, plan: nil, words: listed.words) }
    },
  ]
}
