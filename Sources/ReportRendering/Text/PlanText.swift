// A plan for people: what is to be found, then what each way of deciding takes.

import PermissionAnalysis
import PermissionEvents

/// The plan for people.
public enum PlanText {
  /// - Parameter permission: named in the first line; nil for a plan that no log was read for.
  public static func render(_ plan: ExperimentPlan, permission: String?, _ style: TextStyle) -> [UInt8] {
    var page = TextPage(style)
    let question = plan.question
    page.line((permission.map { $0 + ": " } ?? "") + "a plan for the \(question.metric.title)", tone: .strong)
    page.write(PlanSection.section(plan, style))
    return page.bytes
  }
}
