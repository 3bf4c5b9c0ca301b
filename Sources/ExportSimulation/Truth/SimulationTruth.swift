// The truths of a simulation: the expectation of the report's own figures under the model that generates the export.

import PermissionEvents

/// True figures of the journeys of one permission, in one week or in all.
package struct TrueRow: Sendable {
  package var permission: String
  /// The ISO week of the exposure, UTC; nil for all weeks.
  package var week: String?
  package var figures: TrueFigures
}

/// A test of two messages and what B truly changes.
package struct TrueExperiment: Sendable {
  package var name: String
  package var permission: String
  /// Figures of the journeys that begin with message A, and with B.
  package var a: TrueFigures
  package var b: TrueFigures
  /// Expected users of each message whose calls all return at once.
  package var notAsked: Double
}

package struct SimulationTruth: Sendable {
  package var options: SimulationOptions
  /// From which a report must look.
  package var asOf: Milliseconds
  package var rows: [TrueRow] = []
  package var experiments: [TrueExperiment] = []
  /// By permission the users whose calls all return at once, exactly; those without any are left out.
  package var notAsked: [(permission: String, users: Int)] = []

  package init(_ options: SimulationOptions) {
    self.options = options
    asOf = options.end
    let sweep = TruthSweep(options)
    for model in PermissionModel.all {
      let decided = model.decidedGranted == nil ? 0 : options.decided(before: options.users)
      if decided > 0 { notAsked.append((model.name, decided)) }
      let days = sweep.counts(model)
      let first = ISOWeek(day: options.firstDay).index
      let last = ISOWeek(day: options.firstDay + Int64(options.days) - 1).index
      for week in first...last {
        let monday = Int(ISOWeek(index: week).firstDay - options.firstDay)
        let own = days[max(0, monday)..<min(days.count, monday + 7)]
        rows.append(
          TrueRow(
            permission: model.name, week: ISOWeek(index: week).text, figures: Self.figures(own, Beginning.allCases)))
      }
      rows.append(
        TrueRow(permission: model.name, week: nil, figures: Self.figures(days[...], Beginning.allCases)))
      if let experiment = model.experiment {
        experiments.append(
          TrueExperiment(
            name: experiment.name, permission: model.name, a: Self.figures(days[...], [.messageA]),
            b: Self.figures(days[...], [.messageB]), notAsked: Double(decided) / 2))
      }
    }
  }

  private static func figures(_ days: ArraySlice<[ExpectedCounts]>, _ beginnings: [Beginning]) -> TrueFigures {
    var sum = ExpectedCounts()
    for day in days {
      for beginning in beginnings { sum.add(day[beginning.rawValue]) }
    }
    return TrueFigures(sum)
  }
}
