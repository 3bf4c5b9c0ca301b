// The report as tidy CSV: one figure a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

package struct ReportCSV: ReportRenderer {
  static let columns = ["week", "permission", "by", "figure", "value", "low", "high", "n"]

  package init() {}

  package func render(_ report: Report) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(1 << 16 + report.rows.count * 8192)
    out += (Self.columns.joined(separator: ",") + "\r\n").utf8
    write(ReportFigures.all(of: report), Place(), into: &out)
    for row in report.rows {
      let by = row.by?.value.map { CSVText.harmless($0) } ?? ""
      let place = Place(week: row.week?.text ?? "", permission: CSVText.harmless(row.permission), by: by)
      write(ReportFigures.all(of: row), place, into: &out)
    }
    for row in report.reach {
      write(ReportFigures.all(of: row), Place(permission: CSVText.harmless(row.permission)), into: &out)
    }
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      let place = Place(week: row.week.text, permission: CSVText.harmless(row.permission ?? ""))
      write(ReportFigures.all(of: row, kinds: kinds), place, into: &out)
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

  private func write(_ figures: [Figure], _ place: Place, into out: inout [UInt8]) {
    for figure in figures {
      out += place.cells
      out += figure.name.utf8
      for number in [figure.value, figure.low, figure.high, figure.n.map(Double.init)] {
        out.append(0x2C)
        if let number, number.isFinite { out += NumberText.exact(number).utf8 }
      }
      out += [0x0D, 0x0A]
    }
  }
}
