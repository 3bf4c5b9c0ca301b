// From the plan of an experiment to one that a comparison can be held to.

import PermissionAnalysis
import PermissionEvents

extension PlanResult {
  /// The plan as it is saved, dated now.
  /// - Throws: `usage` if the request did not say what a saved plan needs, or the plan is larger than comparisons can be.
  public func saved() throws(PermlogError) -> SavedPlan { try saved(at: SystemClock.now) }

  func saved(at now: Milliseconds) throws(PermlogError) -> SavedPlan {
    guard let toSave = request.toSave, case .effect(let effect) = request.given else {
      throw PermlogError(.usage, "a plan that is saved names its messages and the effect to find")
    }
    guard let permission else {
      throw PermlogError(.usage, "a plan that is saved needs a permission, and none was named")
    }
    // A zone that no comparison finds is refused now.
    _ = try SystemZones.table(request.scope.timeZone, over: now...now)
    guard let users = plan.plannedUsers, users <= 1_000_000_000 else {
      throw PermlogError(
        .usage, "the effect takes more than 1000000000 users of two messages, which no comparison plans for")
    }
    var saved = SavedPlan(
      permission: permission, variants: toSave.variants,
      split: request.split ?? [Double](repeating: 1, count: toSave.variants.count), plannedUsers: users,
      effect: effect, baseline: plan.baseline.rate, power: request.power, savedAt: now)
    saved.experiment = request.experiment
    saved.metric = request.metric
    saved.timeZone = request.scope.timeZone
    saved.atOnce = request.scope.atOnce
    saved.responseWindow = request.scope.responseWindow
    saved.followUp = request.scope.followUp
    saved.adjust = toSave.adjust
    saved.contaminated = toSave.contaminated
    saved.minimumEffect = toSave.minimumEffect ?? effect
    saved.guardrails = toSave.guardrails
    return saved
  }
}
