// The report as tidy CSV: one figure a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The report for spreadsheets and data frames: one figure a line, under the name that `ReportRow.figures` has for it.
package enum ReportCSV {
  // New columns come last: what reads the others by their place goes on.
  private static let columns = [
    "week", "permission", "by", "figure", "value", "low", "high", "n", "complete", "by_property", "time_zone",
    "other",
  ]

  package static func render(_ report: Report, threads: Int = 1) -> [UInt8] {
    var out: [UInt8] = []
    write(report, threads: threads) { out += $0 }
    return out
  }

  /// - Parameters:
  ///   - threads: that write rows.
  ///   - part: one section that has a table of its own; with any other part the report has everything.
  ///   - sink: takes one piece after the other.
  package static func write(
    _ report: Report, threads: Int, part: ReportPart, to sink: ([UInt8]) throws -> Void
  ) rethrows {
    switch part {
    case .sections([.values]): try ValuesCSV.write(report, to: sink)
    case .sections([.timing]): try TimingCSV.write(report, to: sink)
    default: try write(report, threads: threads, to: sink)
    }
  }

  /// - Parameters:
  ///   - threads: that write rows.
  ///   - sink: takes one piece after the other.
  package static func write(_ report: Report, threads: Int, to sink: ([UInt8]) throws -> Void) rethrows {
    var out: [UInt8] = []
    // The second of two properties has columns of its own, which other reports do not have.
    let columns = columns + (report.properties.count > 1 ? ["by_2", "by_2_property"] : [])
    out += (columns.joined(separator: ",") + "\r\n").utf8
    let whole = Place(report)
    write("as_of_ms", FigureValue(report.asOf.map(Double.init)), whole, into: &out)
    write(Report.figures, of: report, whole, into: &out)
    try sink(out)
    try RowPieces.forEach(report.rows, threads: threads) { maker, range in
      var out: [UInt8] = []
      out.reserveCapacity(range.count * 1 << 14)
      for number in range {
        let row = maker[number]
        let place = Place(
          report, week: row.week, permission: row.permission, by: row.by, isComplete: row.isComplete)
        write(ReportRow.figures, of: row, place, into: &out)
      }
      return out
    } _: {
      try sink($0)
    }
    out.removeAll(keepingCapacity: true)
    for (unit, counts) in report.calls.notable {
      let platform = unit.platform.isEmpty ? nil : String(decoding: unit.platform, as: UTF8.self)
      let place = Place(
        report, permission: String(decoding: unit.permission, as: UTF8.self),
        by: [PropertyValue(property: .platform, value: platform)])
      write("at_once.answered", FigureValue(Double(counts.answered)), place, into: &out)
      write("at_once.at_once", FigureValue(Double(counts.atOnce), n: Int(counts.answered)), place, into: &out)
      write("at_once.applied", FigureValue(report.isApplied(unit, counts) ? 1 : 0), place, into: &out)
    }
    for row in report.reach {
      write(ReachRow.figures, of: row, Place(report, permission: row.permission), "reach.", into: &out)
      try flush(&out, to: sink)
    }
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      let place = Place(
        report, week: row.week, permission: row.permission, isComplete: report.isComplete(row.week))
      for (kind, count) in zip(kinds, row.counts) {
        write("activity." + kind, FigureValue(Double(count)), place, into: &out)
      }
      try flush(&out, to: sink)
    }
    for row in report.timing {
      write(TimingFigures.figures, of: row, Place(report, permission: row.permission), "timing.", into: &out)
      try flush(&out, to: sink)
    }
    try sink(out)
  }

  /// Hands over what has grown long.
  private static func flush(_ out: inout [UInt8], to sink: ([UInt8]) throws -> Void) rethrows {
    guard out.count > 1 << 18 else { return }
    try sink(out)
    out.removeAll(keepingCapacity: true)
  }

  /// What figures are about: the cells before the figure, and those after its numbers.
  private struct Place {
    var before: [UInt8] = []
    var after: [UInt8] = []

    init(
      _ report: Report, week: ISOWeek? = nil, permission: String? = nil, by: [PropertyValue] = [],
      isComplete: Bool? = nil
    ) {
      func value(_ by: PropertyValue?) -> String { CSVText.harmless(by?.isOther == true ? "other" : by?.value ?? "") }
      for text in [CSVText.harmless(week?.text ?? ""), CSVText.harmless(permission ?? ""), value(by.first)] {
        CSVText.write(Array(text.utf8), into: &before)
        before.append(0x2C)
      }
      var last = [isComplete.map { $0 ? "true" : "false" }, by.first?.property.name, report.timeZone]
      last.append(by.isEmpty ? nil : by.isOther ? "true" : "false")
      if report.properties.count > 1 {
        let second = by.dropFirst().first
        last += [value(second), second?.property.name]
      }
      for text in last {
        after.append(0x2C)
        CSVText.write(Array((text ?? "").utf8), into: &after)
      }
      after += [0x0D, 0x0A]
    }
  }

  private static func write<Row>(
    _ tree: FigureTree<Row>, of row: Row, _ place: Place, _ prefix: String = "", into out: inout [UInt8]
  ) {
    tree.forEachNumber(of: row) { number, value in
      out += place.before
      if !prefix.isEmpty { out += prefix.utf8 }
      out += tree.names[number]
      write(value, place, into: &out)
    }
  }

  private static func write(_ name: String, _ number: FigureValue, _ place: Place, into out: inout [UInt8]) {
    out += place.before
    out += name.utf8
    write(number, place, into: &out)
  }

  private static func write(_ number: FigureValue, _ place: Place, into out: inout [UInt8]) {
    write(number.value, into: &out)
    write(number.low, into: &out)
    write(number.high, into: &out)
    write(number.n.map(Double.init), into: &out)
    out += place.after
  }

  @inline(__always)
  private static func write(_ number: Double?, into out: inout [UInt8]) {
    out.append(0x2C)
    guard let number, number.isFinite else { return }
    guard let whole = NumberText.whole(number), whole >= 0, whole < 10 else {
      out += NumberText.exact(number).utf8
      return
    }
    // Most are, and more than half of them 0.
    out.append(0x30 + UInt8(truncatingIfNeeded: whole))
  }
}
