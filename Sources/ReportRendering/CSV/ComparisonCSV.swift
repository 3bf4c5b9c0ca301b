// A comparison as tidy CSV: one number a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The comparison for spreadsheets and data frames: `ComparedPair.tables` of each pair, after the arms and the
/// figures of all messages.
package enum ComparisonCSV {
  package static func render(_ set: ComparisonSet) -> [UInt8] {
    var table = FigureTable(
      [
        "permission", "experiment", "metric", "time_zone", "property", "control", "message", "decision", "decided_on",
        "by_property", "by", "day",
      ], after: [("screen", set.pairs.first?.screen.rawValue ?? "")])
    guard let first = set.pairs.first else { return table.csv.bytes }
    let ratio = first.sampleRatio
    table.rows(about: [
      "permission": first.permission, "experiment": first.experiment, "metric": first.metric.rawValue,
      "time_zone": first.timeZone, "property": first.comparedProperty.name, "control": first.a.variant,
    ]) { table in
      table.row("as_of_ms", FigureValue(Double(first.asOf)))
      table.row("response_window_ms", FigureValue(Double(first.windows.response)))
      table.row("follow_up_days", FigureValue(Double(first.windows.followUp) / Double(millisecondsPerDay)))
      for (number, arm) in set.arms.enumerated() {
        let pair = number > 0 ? set.pairs[number - 1] : nil
        table.rows(about: Self.place(of: pair, control: pair?.a.variant ?? "", arm.variant)) { table in
          table.rows(Comparison.Arm.figures, of: arm)
          if let ratio {
            table.row("sample_ratio.observed", FigureValue(Double(ratio.observed[number])))
            table.row("sample_ratio.expected", FigureValue(ratio.expected[number]))
          }
          // Each pair has its own message after the control.
          if let assigned = pair?.assigned ?? first.assigned {
            let place = pair == nil ? 0 : 1
            table.row("assigned.users", FigureValue(Double(assigned.users[place])))
            table.row("assigned.exposed", FigureValue(Double(assigned.exposed[place])))
          }
          if first.isOfMessages, let best = set.probabilityBest {
            table.row("probability_best", FigureValue(best[number]))
          }
        }
      }
      if let ratio {
        table.row("sample_ratio.p_value", FigureValue(ratio.pValue))
        table.row("sample_ratio.sequential.p_value", FigureValue(ratio.sequential.pValue))
        table.row("sample_ratio.sequential.e_value", FigureValue(ratio.sequential.eValue))
        let exposed = ratio.observed.reduce(0, +)
        if let both = first.contamination {
          table.row("contaminated.users", FigureValue(Double(both.users), n: exposed))
          table.row("contaminated.share", FigureValue(both.share, n: exposed))
        }
      }
      for pair in set.pairs {
        table.rows(about: Self.place(of: pair, control: pair.a.variant, pair.b.variant)) {
          if let assigned = pair.assigned { $0.row("assigned.p_value", FigureValue(assigned.pValue)) }
          $0.rows(ComparedPair.tables, of: ComparedPair(c: pair, plan: nil, words: { $0.advice }))
        }
      }
    }
    return table.csv.bytes
  }

  /// - Parameter pair: nil for the control, which is compared with nothing.
  private static func place(
    of pair: Comparison?, control: String, _ message: String
  ) -> KeyValuePairs<String, String?> {
    [
      "control": control, "message": message, "decision": pair?.decision.rawValue,
      "decided_on": pair?.decidedOn.map { CivilDate($0).text },
    ]
  }
}

// MARK: The experiments of a log as CSV, a row a message: what a spreadsheet sorts and filters. docs/csv.md has the columns

package enum ExperimentsCSV {
  package static func render(_ list: ExperimentList) -> [UInt8] {
    var csv = CSVWriter([
      "permission", "experiment", "running", "first_exposure", "last_exposure", "control", "message", "exposed",
      "decision", "decided_on", "rate", "rate_low", "rate_high", "difference", "difference_low", "difference_high",
      "screen",
    ])
    for experiment in list.experiments {
      for (number, message) in experiment.messages.enumerated() {
        // Pairs are in the order of the messages, without the control.
        let pairs = experiment.comparison?.pairs ?? []
        let pair = number > 0 && number <= pairs.count ? pairs[number - 1] : nil
        let arm = pair?.b ?? (number == 0 ? pairs.first?.a : nil)
        csv.name(experiment.permission)
        csv.name(experiment.experiment)
        csv.flag(experiment.isRunning)
        csv.text(CivilDate(experiment.firstExposure).text)
        csv.text(CivilDate(experiment.lastExposure).text)
        csv.name(number > 0 ? experiment.control : nil)
        csv.name(message.variant)
        csv.number(message.exposed)
        csv.text(pair?.decision.rawValue)
        csv.text(pair?.decidedOn.map { CivilDate($0).text })
        csv.estimate(arm?.rate)
        csv.estimate(pair?.difference)
        csv.text(experiment.screen.rawValue)
        csv.endRow()
      }
    }
    return csv.bytes
  }
}

// MARK: Flows as tidy CSV: one number a row, for data frames and spreadsheets. docs/csv.md has the figures

package enum FlowCSV {
  package static func render(_ report: FlowReport) -> [UInt8] { collected { write(report, to: $0) } }

  package static func write(_ report: FlowReport, to sink: ([UInt8]) throws -> Void) rethrows {
    var table = FigureTable(
      ["table", "week", "which", "permissions", "permission", "group"], partColumn: "table",
      after: [("time_zone", report.timeZone)])
    for entry in report.entries {
      table.rows(about: ["table": "flows", "week": entry.week?.text, "which": entry.which.rawValue]) {
        $0.rows(FlowEntry.figures, of: entry)
      }
      try table.flush(to: sink)
    }
    try table.flush(to: sink)
  }
}
