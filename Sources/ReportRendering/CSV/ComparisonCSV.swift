// A comparison as tidy CSV: one number a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The comparison for spreadsheets and data frames. A figure's name is its path in JSON.
package enum ComparisonCSV {
  private static let columns = [
    "permission", "experiment", "metric", "time_zone", "property", "control", "message", "decision", "decided_on",
    "by_property",
    "by", "day", "figure", "value", "low", "high", "n",
  ]

  package static func render(_ set: ComparisonSet) -> [UInt8] {
    var table = ComparisonRows(columns)
    guard let first = set.pairs.first else { return table.bytes }
    let whole = Place(first)
    table.add("as_of_ms", Double(first.asOf), at: whole)
    table.add("response_window_ms", Double(first.windows.response), at: whole)
    table.add("follow_up_days", Double(first.windows.followUp) / Double(millisecondsPerDay), at: whole)
    for (number, arm) in set.arms.enumerated() {
      let place = number > 0 ? Place(set.pairs[number - 1], arm.variant) : whole.ofControl(arm.variant)
      arms(arm, place, &table)
      if let ratio = first.sampleRatio {
        table.add("sample_ratio.observed", Double(ratio.observed[number]), at: place)
        table.add("sample_ratio.expected", ratio.expected[number], at: place)
      }
      if first.isOfMessages, let best = set.probabilityBest { table.add("probability_best", best[number], at: place) }
    }
    if let ratio = first.sampleRatio {
      table.add("sample_ratio.p_value", ratio.pValue, at: whole)
      table.add("sample_ratio.sequential.p_value", ratio.sequential.pValue, at: whole)
      table.add("sample_ratio.sequential.e_value", ratio.sequential.eValue, at: whole)
      let exposed = ratio.observed.reduce(0, +)
      if let both = first.contamination {
        table.add("contaminated.users", Double(both.users), n: exposed, at: whole)
        table.add("contaminated.share", both.share, n: exposed, at: whole)
      }
    }
    for pair in set.pairs { ComparisonRows.pair(pair, Place(pair, pair.b.variant), &table) }
    return table.bytes
  }

  private static func arms(_ arm: Comparison.Arm, _ place: Place, _ table: inout ComparisonRows) {
    let counts: [(String, Int)] = [
      ("exposed", arm.exposed), ("pending", arm.pending), ("restricted", arm.restricted), ("base", arm.base),
    ]
    for (name, count) in counts { table.add(name, Double(count), n: arm.exposed, at: place) }
    let outcomes: [(String, Outcome)] = [
      ("granted", .granted), ("denied", .denied), ("skipped", .skipped), ("dropped_off", .droppedOff),
    ]
    for (name, outcome) in outcomes {
      let isKnown = outcome != .droppedOff || arm.isDropOffKnown
      table.add(name, isKnown ? Double(arm.counts[outcome]) : nil, n: arm.base, at: place)
    }
    table.add("not_asked", Double(arm.notAsked), at: place)
    table.add("successes", Double(arm.successes), n: arm.trials, at: place)
    table.add("trials", Double(arm.trials), at: place)
    table.add("rate", arm.rate, n: arm.trials, at: place)
  }

  /// What a row is about: the cells before its figure, with their commas.
  struct Place {
    private var permission, experiment, metric, zone, compared, control: String
    private var message = ""
    private var decision = ""
    private var decidedOn = ""
    var property = ""
    var value = ""
    var day = ""

    /// - Parameter message: of the pair; nil for what is of all messages.
    init(_ c: Comparison, _ message: String? = nil) {
      (permission, experiment, metric) = (c.permission, c.experiment ?? "", c.metric.rawValue)
      (zone, compared, control) = (c.timeZone, c.comparedProperty.name, c.a.variant)
      guard let message else { return }
      self.message = message
      decision = c.decision.rawValue
      decidedOn = c.decidedOn.map { CivilDate($0).text } ?? ""
    }

    /// The control is compared with nothing.
    func ofControl(_ message: String) -> Place {
      var place = self
      (place.control, place.message) = ("", message)
      return place
    }

    func on(_ day: DayNumber) -> Place {
      var place = self
      place.day = CivilDate(day).text
      return place
    }

    func within(_ property: String, _ value: String?) -> Place {
      var place = self
      (place.property, place.value) = (property, value ?? "")
      return place
    }

    var cells: [UInt8] {
      var cells: [UInt8] = []
      for text in [permission, experiment, metric, zone, compared, control, message] {
        CSVText.write(Array(CSVText.harmless(text).utf8), into: &cells)
        cells.append(0x2C)
      }
      for text in [decision, decidedOn, property, CSVText.harmless(value), day] {
        CSVText.write(Array(text.utf8), into: &cells)
        cells.append(0x2C)
      }
      return cells
    }
  }
}

/// Rows of numbers as they are written.
struct ComparisonRows {
  private(set) var bytes: [UInt8]

  init(_ columns: [String]) { bytes = Array((columns.joined(separator: ",") + "\r\n").utf8) }

  /// - Parameter value: nil is unknown: the row is there, and its number is not.
  mutating func add(_ figure: String, _ value: Double?, n: Int? = nil, at place: ComparisonCSV.Place) {
    add(figure, value.map { Estimate($0) }, n: n, at: place)
  }

  mutating func add(_ figure: String, _ estimate: Estimate?, n: Int? = nil, at place: ComparisonCSV.Place) {
    row(figure, [estimate?.value, estimate?.low, estimate?.high, n.map(Double.init)], at: place)
  }

  /// An interval without a value of its own.
  mutating func add(_ figure: String, from low: Double?, to high: Double?, at place: ComparisonCSV.Place) {
    row(figure, [nil, low, high, nil], at: place)
  }

  private mutating func row(_ figure: String, _ numbers: [Double?], at place: ComparisonCSV.Place) {
    bytes += place.cells
    bytes += figure.utf8
    for number in numbers {
      bytes.append(0x2C)
      if let number, number.isFinite { bytes += NumberText.exact(number).utf8 }
    }
    bytes += [0x0D, 0x0A]
  }
}
