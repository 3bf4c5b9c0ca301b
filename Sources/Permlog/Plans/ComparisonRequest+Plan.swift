// That a comparison asks for what its plan says. A choice that is made after outcomes were seen is another chance to err.

import PermissionAnalysis
import PermissionEvents

extension ComparisonRequest {
  /// Throws unless all that a plan fixes is as the plan has it.
  func check(_ plan: SavedPlan) throws(PermlogError) {
    func fixed(
      _ argument: PermlogError.Argument, _ isEqual: Bool, _ planned: String, _ asked: String
    ) throws(PermlogError) {
      guard !isEqual else { return }
      throw PermlogError(
        .usage, "the plan says \(planned), and not \(asked). Leave it to the plan, or compare without the plan.",
        argument: argument)
    }
    func same(_ a: [String], _ b: [String]) -> Bool { a.map { Array($0.utf8) } == b.map { Array($0.utf8) } }
    func names(_ names: [String]) -> String { names.joined(separator: " ") }
    func points(_ share: Double) -> String {
      let text = PlanText.number(share * 100)
      return text == "1" ? "1 point" : text + " points"
    }
    func list(_ items: [String]) -> String { items.isEmpty ? "none" : items.joined(separator: ", ") }
    func properties(_ fields: [StringField]) -> String { list(fields.map(\.name)) }
    func guards(_ guardrails: [GuardrailQuestion]) -> String {
      list(guardrails.map { "\($0.metric.rawValue):\(PlanText.number($0.margin * 100))" }.sorted())
    }
    try fixed(.messages, same(variants, plan.variants), names(plan.variants), names(variants))
    let (ours, theirs) = (permission ?? "", plan.permission)
    try fixed(.permission, same([ours], [theirs]), theirs, ours.isEmpty ? "none" : ours)
    let experiments = (plan.experiment ?? "no experiment", experiment ?? "no experiment")
    try fixed(.experiment, same([experiments.0], [experiments.1]), experiments.0, experiments.1)
    try fixed(.metric, metric == plan.metric, plan.metric.rawValue, metric.rawValue)
    try fixed(.timeZone, scope.timeZone == plan.timeZone, plan.timeZone, scope.timeZone)
    let atOnce = plan.atOnce ?? scope.atOnce
    try fixed(.atOnce, scope.atOnce == atOnce, PlanText.duration(atOnce), PlanText.duration(scope.atOnce))
    try fixed(
      .responseWindow, scope.responseWindow == plan.responseWindow, PlanText.duration(plan.responseWindow),
      PlanText.duration(scope.responseWindow))
    try fixed(
      .followUp, scope.followUp == plan.followUp, PlanText.duration(plan.followUp), PlanText.duration(scope.followUp))
    let parts = split ?? [Double](repeating: 1, count: variants.count)
    try fixed(
      .split, Self.shares(parts) == Self.shares(plan.split), PlanText.split(plan.split), PlanText.split(parts))
    try fixed(.adjust, Set(adjust) == Set(plan.adjust), properties(plan.adjust), properties(adjust))
    try fixed(
      .contaminated, contaminated == plan.contaminated, plan.contaminated.rawValue, contaminated.rawValue)
    try fixed(
      .minimumEffect, minimumEffect == plan.minimumEffect, points(plan.minimumEffect), points(minimumEffect))
    try fixed(
      .guardrails, Set(guardrails) == Set(plan.guardrails), guards(plan.guardrails), guards(guardrails))
    try fixed(
      .plannedUsers, plannedUsers == plan.plannedUsers, "\(plan.plannedUsers) users", "\(plannedUsers)")
    try fixed(
      .conditions, conditions.isEmpty, "no conditions on the exposure",
      names(conditions.map(\.description)))
    let ruleField: PermlogError.Argument = if case .looks = rule { .looks } else { .rule }
    try fixed(ruleField, rule == .daily, "a look on every finished day", "the rule \(rule.name)")
  }
}

/// Values of a plan in messages.
enum PlanText {
  /// Without the last digits of binary fractions.
  static func number(_ value: Double) -> String {
    let rounded = (value * 1e9).rounded() / 1e9
    return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? String(Int(rounded)) : rounded.description
  }

  static func split(_ parts: [Double]) -> String { parts.map(number).joined(separator: ":") }

  static func duration(_ time: Milliseconds) -> String {
    for (unit, length) in [("d", millisecondsPerDay), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
    where time % length == 0 && time > 0 {
      return "\(time / length)\(unit)"
    }
    return "\(time)ms"
  }
}
