// A plan as JSON, schema permlog.plan/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The plan for programs.
package enum PlanJSON {
  static let schema = "permlog.plan/1"

  /// - Parameter permission: nil for a plan that no log was read for.
  package static func render(_ plan: ExperimentPlan, permission: String?) -> [UInt8] {
    let (question, baseline) = (plan.question, plan.baseline)
    return JSONWriter.document(
      [
        "schema": schema, "permission": permission, "metric": question.metric.rawValue,
        "variants": question.variants, "split": question.split,
        "planned_n": plan.plannedUsers, "power": question.power, "alpha": question.alpha, "baseline": baseline.rate,
        "baseline_successes": baseline.tally?.successes, "baseline_trials": baseline.tally?.trials,
        "baseline_variant": baseline.message, "baseline_last_day": baseline.lastDay.map { CivilDate($0).text },
        "exposures_per_day": baseline.exposuresPerDay, "counted_share": baseline.countedShare,
        "effect": question.effect, "changed_rate": plan.changedRate, "users_given": question.users,
        "days_given": question.days, "days_to_mature": plan.daysToMature, "refused": plan.refused?.sentence,
        "designs": plan.rows,
      ] as JSONMembers)
  }
}

extension ExperimentPlan.PlanRow: JSONObject {
  var members: JSONMembers {
    let (name, looks): (String, Int?) =
      switch design {
      case .oneLook: ("one_look", nil)
      case .looks(let count): ("looks", count)
      case .alwaysValid: ("always_valid", nil)
      case .daily(let isPlanned): (isPlanned ? "daily_with_plan" : "daily_without_plan", nil)
      }
    return [
      "design": name, "looks": looks, "inflation": inflation, "per_variant": usersPerVariant,
      "by_variant": usersByVariant, "users": users,
      "days": days, "detectable_up": detectableUp, "detectable_down": detectableDown,
    ]
  }
}
