// A plan as JSON, schema permlog.plan/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The plan for programs.
package enum PlanJSON {
  static let schema = "permlog.plan/1"

  /// - Parameter permission: nil for a plan that no log was read for.
  package static func render(_ plan: ExperimentPlan, permission: String?) -> [UInt8] {
    JSONWriter.document(PlanAnswer(plan: plan, permission: permission))
  }
}

struct PlanAnswer: FigureObject {
  let plan: ExperimentPlan
  let permission: String?

  static let figures: [FigureNode<PlanAnswer>] = [
    .text("schema", "the form of the answer") { _ in PlanJSON.schema },
    .text("permission", "that is to be asked for; null if no log was read") { $0.permission },
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
    .number("exposures_per_day", "of the same days", .users) { $0.plan.baseline.exposuresPerDay },
    .number("counted_share", "of users with an exposure, whose metric is known", .share) {
      $0.plan.baseline.countedShare
    },
    .number("effect", "that is to be found", .difference) { $0.plan.question.effect },
    .number("changed_rate", "baseline and effect", .share) { $0.plan.changedRate },
    .count("users_given", "of a message, if effects are asked for", .users) { $0.plan.question.users },
    .count("days_given", "if effects are asked for", .days) { $0.plan.question.days },
    .count("days_to_mature", "until the last users are counted", .days) { $0.plan.daysToMature },
    .text("refused", "why there is no answer", .sentence) { $0.plan.refused?.sentence },
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
