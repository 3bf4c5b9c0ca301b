// A plan as JSON, schema permlog.plan/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The plan for programs.
public enum PlanJSON {
  public static let schema = "permlog.plan/1"

  /// - Parameter permission: nil for a plan that no log was read for.
  public static func render(_ plan: ExperimentPlan, permission: String?) -> [UInt8] {
    let question = plan.question
    let baseline = plan.baseline
    return JSONValue.object([
      ("schema", .string(schema)), ("permission", .optional(permission)),
      ("metric", .string(question.metric.rawValue)), ("variants", .integer(question.variants)),
      ("power", .number(question.power)), ("alpha", .number(question.alpha)),
      ("baseline", .number(baseline.rate)), ("baseline_successes", .optional(baseline.tally?.successes)),
      ("baseline_trials", .optional(baseline.tally?.trials)),
      ("baseline_last_day", .optional(baseline.lastDay.map { CivilDate($0).text })),
      ("exposures_per_day", .optional(baseline.exposuresPerDay)), ("counted_share", .number(baseline.countedShare)),
      ("effect", .optional(question.effect)), ("changed_rate", .optional(plan.changedRate)),
      ("users_given", .optional(question.users)), ("days_given", .optional(question.days)),
      ("days_to_mature", .integer(plan.daysToMature)), ("refused", .optional(plan.refused?.sentence)),
      ("designs", .array(plan.rows.map(row))),
    ]).encode()
  }

  private static func row(_ row: ExperimentPlan.PlanRow) -> JSONValue {
    let name: String
    var looks: Int?
    switch row.design {
    case .oneLook: name = "one_look"
    case .looks(let count):
      name = "looks"
      looks = count
    case .alwaysValid: name = "always_valid"
    }
    return .object([
      ("design", .string(name)), ("looks", .optional(looks)), ("inflation", .number(row.inflation)),
      ("per_variant", .optional(row.usersPerVariant)), ("users", .optional(row.users)),
      ("days", .optional(row.days)), ("detectable_up", .optional(row.detectableUp)),
      ("detectable_down", .optional(row.detectableDown)),
    ])
  }
}
