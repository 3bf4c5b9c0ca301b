// The report as tidy CSV: one figure a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The report for spreadsheets and data frames: one figure a line, under the name that `ReportRow.figures` has for it.
package enum ReportCSV {
  private static let columns = ["week", "permission", "by", "figure", "value", "low", "high", "n"]

  package static func render(_ report: Report) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(1 << 16 + report.rows.count * 8192)
    out += (columns.joined(separator: ",") + "\r\n").utf8
    write("as_of_ms", FigureValue(report.asOf.map(Double.init)), Place(), into: &out)
    write(Report.figures, of: report, Place(), into: &out)
    for row in report.rows {
      let by = row.by?.value.map { CSVText.harmless($0) } ?? ""
      let place = Place(week: row.week?.text ?? "", permission: CSVText.harmless(row.permission), by: by)
      write(ReportRow.figures, of: row, place, into: &out)
    }
    for row in report.reach {
      write(ReachRow.figures, of: row, Place(permission: CSVText.harmless(row.permission)), "reach.", into: &out)
    }
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      let place = Place(week: row.week.text, permission: CSVText.harmless(row.permission ?? ""))
      for (kind, count) in zip(kinds, row.counts) {
        write("activity." + kind, FigureValue(Double(count)), place, into: &out)
      }
    }
    return out
  }

  /// What figures are about, as the first three cells with their commas.
  private struct Place {
    var cells: [UInt8] = []

    init(week: String = "", permission: String = "", by: String = "") {
      for text in [week, permission, by] {
        CSVText.write(Array(text.utf8), into: &cells)
        cells.append(0x2C)
      }
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
    out += place.cells
    out += name.utf8
    for number in [number.value, number.low, number.high, number.n.map(Double.init)] {
      out.append(0x2C)
      if let number, number.isFinite { out += NumberText.exact(number).utf8 }
    }
    out += [0x0D, 0x0A]
  }
}
