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

extension FlowEntry: FigureObject {}
