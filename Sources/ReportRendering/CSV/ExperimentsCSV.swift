// The experiments of a log as CSV, a row a message: what a spreadsheet sorts and filters. docs/csv.md has the columns.

import PermissionAnalysis
import PermissionEvents

package enum ExperimentsCSV {
  private static let columns = [
    "permission", "experiment", "running", "first_exposure", "last_exposure", "control", "message", "exposed",
    "decision", "decided_on", "rate", "rate_low", "rate_high", "difference", "difference_low", "difference_high",
  ]

  package static func render(_ list: ExperimentList) -> [UInt8] {
    var csv = CSVWriter(columns)
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
        csv.endRow()
      }
    }
    return csv.bytes
  }
}
