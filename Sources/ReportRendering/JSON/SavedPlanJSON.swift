// A saved plan as JSON, schema permlog.plan-file/1: the plan's file, and the key `plan` of a comparison that was planned.

import PermissionAnalysis
import PermissionEvents

extension SavedPlan: FigureObject {
  package static let schema = "permlog.plan-file/1"

  static let figures: [FigureNode<SavedPlan>] =
    figuresOfFile + [
      .count("at_once_ms", "answers within it are no person's", .milliseconds) { $0.atOnce.map { Int($0) } }
    ]

  /// Without those that a file from before version 0.4.0 does not have.
  fileprivate static let figuresOfFile: [FigureNode<SavedPlan>] = [
    .text("schema", "the form of the plan") { _ in schema },
    .text("permission", "what is to be compared") { $0.permission },
    .text("experiment", "its name; null for none") { $0.experiment },
    .texts("variants", "messages, the control first") { $0.variants },
    .text("metric", "that decides") { $0.metric.rawValue },
    .text("time_zone", "the zone of days") { $0.timeZone },
    .count("response_window_ms", "how long an answer counts", .milliseconds) { Int($0.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) {
      Double($0.followUp) / Double(millisecondsPerDay)
    },
    .count("settings_window_days", "how long after a Settings prompt an enabling counts for it", .days) { _ in
      settingsWindowDays
    },
    .numbers("split", "shares of the messages", .ratio) { $0.split },
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

  /// The same for every comparison of this version; it is written so that a later one need not guess.
  package static let settingsWindowDays = Int(AnalysisWindows(asOf: 0).settings / millisecondsPerDay)
}

/// A plan as its file has it: one from before version 0.4.0 is written as it was read, since a record of looks knows it by its bytes.
package struct SavedPlanFile: JSONWritable {
  private let plan: SavedPlan

  package init(_ plan: SavedPlan) { self.plan = plan }

  package func write(to json: inout JSONWriter) {
    json.object { $0.figures(plan.atOnce == nil ? SavedPlan.figuresOfFile : SavedPlan.figures, of: plan) }
  }
}
