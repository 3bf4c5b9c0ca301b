// The report as tidy CSV: one figure a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The report for spreadsheets and data frames: one figure a line, under the name that `ReportRow.figures` has for it.
package enum ReportCSV {
  // New columns come last: what reads the others by their place goes on.
  private static let columns = [
    "week", "permission", "by", "figure", "value", "low", "high", "n", "complete", "by_property", "time_zone",
  ]

  package static func render(_ report: Report) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(1 << 16 + report.rows.count * 8192)
    out += (columns.joined(separator: ",") + "\r\n").utf8
    let whole = Place(report)
    write("as_of_ms", FigureValue(report.asOf.map(Double.init)), whole, into: &out)
    write(Report.figures, of: report, whole, into: &out)
    for row in report.rows {
      let place = Place(
        report, week: row.week, permission: row.permission, by: row.by, isComplete: row.isComplete)
      write(ReportRow.figures, of: row, place, into: &out)
    }
    for row in report.reach {
      write(ReachRow.figures, of: row, Place(report, permission: row.permission), "reach.", into: &out)
    }
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      let place = Place(
        report, week: row.week, permission: row.permission, isComplete: report.isComplete(row.week))
      for (kind, count) in zip(kinds, row.counts) {
        write("activity." + kind, FigureValue(Double(count)), place, into: &out)
      }
    }
    return out
  }

  /// What figures are about: the cells before the figure, and those after its numbers.
  private struct Place {
    var before: [UInt8] = []
    var after: [UInt8] = []

    init(
      _ report: Report, week: ISOWeek? = nil, permission: String? = nil, by: PropertyValue? = nil,
      isComplete: Bool? = nil
    ) {
      let property = by?.property.name ?? ""
      for text in [week?.text, permission, by?.value] {
        CSVText.write(Array(CSVText.harmless(text ?? "").utf8), into: &before)
        before.append(0x2C)
      }
      for text in [isComplete.map { $0 ? "true" : "false" }, property, report.timeZone] {
        after.append(0x2C)
        CSVText.write(Array((text ?? "").utf8), into: &after)
      }
      after += [0x0D, 0x0A]
    }
  }

  private static func write<Row>(
    _ tree: FigureTree<Row>, of row: Row, _ place: Place, _ prefix: String = "", into out: inout [UInt8]
  ) {
    for number in tree.numbers {
      guard let value = number.value(row) else { continue }
      write(prefix.isEmpty ? number.name : prefix + number.name, value, place, into: &out)
    }
  }

  private static func write(_ name: String, _ number: FigureValue, _ place: Place, into out: inout [UInt8]) {
    out += place.before
    out += name.utf8
    for number in [number.value, number.low, number.high, number.n.map(Double.init)] {
      out.append(0x2C)
      if let number, number.isFinite { out += NumberText.exact(number).utf8 }
    }
    out += place.after
  }
}
