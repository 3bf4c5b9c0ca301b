// Flows as JSON, schema permlog.flow/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The flows for programs.
package enum FlowJSON {
  static let schema = "permlog.flow/1"

  package static func render(_ report: FlowReport) -> [UInt8] {
    var out: [UInt8] = []
    write(report) { out += $0 }
    return out
  }

  /// - Parameter sink: takes one piece after the other.
  package static func write(_ report: FlowReport, to sink: ([UInt8]) throws -> Void) rethrows {
    var json = JSONWriter()
    try json.object { json in
      json.members([
        "schema": schema, "as_of": report.asOf.map { Timestamp.text($0) }, "time_zone": report.timeZone,
        "response_window_ms": Int(report.responseWindow), "where": report.conditions.map(\.description),
      ])
      try json.array("flow") { json in
        for entry in report.entries {
          json.element(entry)
          try sink(json.take())
        }
      }
    }
    json.endLine()
    try sink(json.take())
  }
}

extension FlowEntry: JSONObject {
  var members: JSONMembers {
    [
      "week": week?.text, "which": which.rawValue, "flows": flows, "pending": pending, "settled": settled,
      "users": users, "more": more, "lists": lists, "tree": tree,
      "by_position": byPosition.map { $0.members("position") },
      "by_outcome_before": byOutcomeBefore.map { $0.members("before") }, "declared": declared,
    ]
  }
}

extension FlowEntry.List: JSONObject {
  var members: JSONMembers { ["permissions": permissions, "flows": flows] }
}

extension FlowNode: JSONObject {
  var members: JSONMembers {
    [
      "prefix": prefix, "flows": flows, "outcomes": outcomes, "ended": ended, "ended_by_outcome": endedByOutcome,
      "more": more, "went_on": wentOn,
    ]
  }
}

extension FlowOutcomes: JSONObject {
  var members: JSONMembers {
    ["granted": granted, "denied": denied, "skipped": skipped, "dropped_off": droppedOff, "restricted": restricted]
  }
}

extension FlowEntry.Grants {
  fileprivate func members(_ group: StaticString) -> JSONMembers {
    ["permission": permission, group: self.group, "base": base, "granted": granted, "rate": rate]
  }
}

extension DeclaredFlow: JSONObject {
  var members: JSONMembers {
    [
      "permissions": permissions, "started": started, "reached": reached, "answered": answered, "completed": completed,
      "duration_ms": duration,
    ]
  }
}

extension TimeSummary: JSONObject {
  var members: JSONMembers { ["count": count, "mean": mean, "p50": p50, "p90": p90, "p99": p99] }
}
