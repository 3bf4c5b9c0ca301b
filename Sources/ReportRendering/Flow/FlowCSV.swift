// Flows as tidy CSV: one number a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis

/// The flows for spreadsheets and data frames.
package enum FlowCSV {
  private static let columns = ["table", "week", "which", "permissions", "permission", "group"]

  package static func render(_ report: FlowReport) -> [UInt8] {
    var out: [UInt8] = []
    write(report) { out += $0 }
    return out
  }

  /// - Parameter sink: takes one piece after the other.
  package static func write(_ report: FlowReport, to sink: ([UInt8]) throws -> Void) rethrows {
    var table = FigureTable(columns, partColumn: "table", after: [("time_zone", report.timeZone)])
    for entry in report.entries {
      table.rows(about: ["table": "flows", "week": entry.week?.text, "which": entry.which.rawValue]) {
        $0.rows(FlowEntry.figures, of: entry)
      }
      try table.flush(to: sink)
    }
    try table.flush(to: sink)
  }
}
