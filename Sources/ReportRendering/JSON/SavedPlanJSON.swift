// A saved plan as JSON, schema permlog.plan-file/1: the plan's file, and the key `plan` of a comparison that was planned.

import PermissionAnalysis
import PermissionEvents

extension SavedPlan: JSONObject {
  package static let schema = "permlog.plan-file/1"

  var members: JSONMembers {
    [
      "schema": Self.schema, "permission": permission, "experiment": experiment, "variants": variants,
      "metric": metric.rawValue, "time_zone": timeZone, "response_window_ms": Int(responseWindow),
      "follow_up_days": Double(followUp) / Double(millisecondsPerDay), "settings_window_days": Self.settingsWindowDays,
      "split": split, "planned_n": plannedUsers, "exponent": exponent, "alpha": alpha, "adjust": adjust.map(\.name),
      "contaminated": contaminated.rawValue, "minimum_effect": minimumEffect, "guardrails": guardrails,
      "effect": effect, "baseline": baseline, "power": power, "saved_at": Timestamp.text(savedAt),
      "at_once_ms": atOnce.map { Int($0) },
    ]
  }

  /// The same for every comparison of this version; it is written so that a later one need not guess.
  package static let settingsWindowDays = Int(AnalysisWindows(asOf: 0).settings / millisecondsPerDay)
}

/// A plan as its file has it: one from before version 0.4.0 is written as it was read, since a record of looks knows it by its bytes.
package struct SavedPlanFile: JSONWritable {
  private let plan: SavedPlan

  package init(_ plan: SavedPlan) { self.plan = plan }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      for (key, value) in plan.members where plan.atOnce != nil || "\(key)" != "at_once_ms" { json.member(key, value) }
    }
  }
}

extension GuardrailQuestion: JSONObject {
  var members: JSONMembers { ["metric": metric.rawValue, "margin": margin] }
}
