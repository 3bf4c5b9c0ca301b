// Flows as tidy CSV: one number a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The flows for spreadsheets and data frames.
package enum FlowCSV {
  private static let columns = [
    "table", "week", "which", "permissions", "permission", "group", "figure", "value", "low", "high", "n", "time_zone",
  ]

  package static func render(_ report: FlowReport) -> [UInt8] {
    var out: [UInt8] = []
    write(report) { out += $0 }
    return out
  }

  /// - Parameter sink: takes one piece after the other.
  package static func write(_ report: FlowReport, to sink: ([UInt8]) throws -> Void) rethrows {
    try sink(Array((columns.joined(separator: ",") + "\r\n").utf8))
    for entry in report.entries {
      var rows = FlowRows(entry, timeZone: report.timeZone)
      rows.write()
      try sink(rows.bytes)
    }
  }
}

/// The rows of one entry.
private struct FlowRows {
  let entry: FlowEntry
  let timeZone: String
  var bytes: [UInt8] = []

  init(_ entry: FlowEntry, timeZone: String) { (self.entry, self.timeZone) = (entry, timeZone) }

  mutating func write() {
    for (figure, count) in [
      ("flows", entry.flows), ("pending", entry.pending), ("settled", entry.settled), ("users", entry.users),
      ("more", entry.more),
    ] {
      row("flows", figure: figure, Double(count))
    }
    for list in entry.lists { row("lists", permissions: list.permissions, figure: "flows", Double(list.flows)) }
    for node in entry.tree { write(node) }
    for grants in entry.byPosition { write("by_position", grants) }
    for grants in entry.byOutcomeBefore { write("by_outcome_before", grants) }
    if let declared = entry.declared { write(declared) }
  }

  private mutating func write(_ node: FlowNode) {
    let counts =
      [("flows", node.flows)] + Self.counts("outcomes", node.outcomes) + [("ended", node.ended)]
      + Self.counts("ended_by_outcome", node.endedByOutcome) + [("more", node.more), ("went_on", node.wentOn)]
    for (figure, count) in counts { row("tree", permissions: node.prefix, figure: figure, Double(count)) }
  }

  private static func counts(_ name: String, _ outcomes: FlowOutcomes) -> [(String, Int)] {
    [
      ("granted", outcomes.granted), ("denied", outcomes.denied), ("skipped", outcomes.skipped),
      ("dropped_off", outcomes.droppedOff), ("restricted", outcomes.restricted),
    ].map { (name + "." + $0.0, $0.1) }
  }

  private mutating func write(_ table: String, _ grants: FlowEntry.Grants) {
    func row(_ figure: String, _ value: Double?, low: Double? = nil, high: Double? = nil, n: Int? = nil) {
      self.row(
        table, permission: grants.permission, group: grants.group, figure: figure, value, low: low, high: high, n: n)
    }
    row("base", Double(grants.base))
    row("granted", Double(grants.granted), n: grants.base)
    row("rate", grants.rate?.value, low: grants.rate?.low, high: grants.rate?.high, n: grants.base)
  }

  private mutating func write(_ flow: DeclaredFlow) {
    func row(_ figure: String, _ value: Double?, n: Int? = nil) {
      self.row("declared", permissions: flow.permissions, figure: figure, value, n: n)
    }
    row("started", Double(flow.started))
    for (place, permission) in flow.permissions.enumerated() {
      for (figure, counts) in [("reached", flow.reached), ("answered", flow.answered), ("left", flow.left)] {
        self.row(
          "declared", permissions: flow.permissions, permission: permission, group: "\(place + 1)", figure: figure,
          Double(counts[place]), n: flow.started)
      }
    }
    row("completed", Double(flow.completed), n: flow.started)
    let times = flow.duration
    for (figure, value) in [("mean", times.mean), ("p50", times.p50), ("p90", times.p90), ("p99", times.p99)] {
      row("duration_ms." + figure, value, n: times.count)
    }
  }

  private mutating func row(
    _ table: String, permissions: [String] = [], permission: String = "", group: String = "", figure: String,
    _ value: Double?, low: Double? = nil, high: Double? = nil, n: Int? = nil
  ) {
    let names = [permissions.joined(separator: " > "), permission].map { CSVText.harmless($0) }
    let numbers = [value, low, high, n.map(Double.init)].map { $0.map { NumberText.exact($0) } ?? "" }
    let cells =
      [table, entry.week?.text ?? "", entry.which.rawValue] + names + [group, figure] + numbers + [timeZone]
    for (place, cell) in cells.enumerated() {
      if place > 0 { bytes.append(0x2C) }
      CSVText.write(Array(cell.utf8), into: &bytes)
    }
    bytes += [0x0D, 0x0A]
  }
}
