// The experiments of a log as CSV, a row a message: what a spreadsheet sorts and filters. docs/csv.md has the columns.

import PermissionAnalysis
import PermissionEvents

package enum ExperimentsCSV {
  private static let columns = [
    "permission", "experiment", "running", "first_exposure", "last_exposure", "control", "message", "exposed",
    "decision", "decided_on", "rate", "rate_low", "rate_high", "difference", "difference_low", "difference_high",
  ]

  package static func render(_ list: ExperimentList) -> [UInt8] {
    var out = Array((columns.joined(separator: ",") + "\r\n").utf8)
    for experiment in list.experiments {
      for (number, message) in experiment.messages.enumerated() {
        // Pairs are in the order of the messages, without the control.
        let pairs = experiment.comparison?.pairs ?? []
        let pair = number > 0 && number <= pairs.count ? pairs[number - 1] : nil
        let arm = pair?.b ?? (number == 0 ? pairs.first?.a : nil)
        let names = [experiment.permission, experiment.experiment].map { CSVText.harmless($0) }
        let days = [experiment.firstExposure, experiment.lastExposure].map { CivilDate($0).text }
        let against = number > 0 ? CSVText.harmless(experiment.control ?? "") : ""
        write(
          names + [experiment.isRunning ? "true" : "false"] + days
            + [against, CSVText.harmless(message.variant), String(message.exposed), pair?.decision.rawValue ?? ""]
            + [pair?.decidedOn.map { CivilDate($0).text } ?? ""] + cells(arm?.rate) + cells(pair?.difference),
          into: &out)
      }
    }
    return out
  }

  /// A number and the bounds of its interval; empty if they are not known.
  private static func cells(_ estimate: Estimate?) -> [String] {
    [estimate?.value, estimate?.low, estimate?.high].map { $0.map { NumberText.exact($0) } ?? "" }
  }

  private static func write(_ cells: [String], into out: inout [UInt8]) {
    for (place, cell) in cells.enumerated() {
      if place > 0 { out.append(0x2C) }
      CSVText.write(Array(cell.utf8), into: &out)
    }
    out += [0x0D, 0x0A]
  }
}
