// A plan, with the permission that it is for.

import PermissionAnalysis
import ReportRendering

/// How many users and days an experiment takes, or what it can find, for each way of deciding.
public struct PlanResult: Sendable {
  public var plan: ExperimentPlan
  /// The permission whose rate the plan starts from; nil if the rate was given alone.
  public var permission: String?

  /// The plan in one of its forms.
  /// - Parameter style: of the text.
  public func render(as form: SummaryForm, style: TextStyle = TextStyle()) -> [UInt8] {
    switch form {
    case .json: PlanJSON.render(plan, permission: permission)
    case .text: PlanText.render(plan, permission: permission, style)
    }
  }
}
