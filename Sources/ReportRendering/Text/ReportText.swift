import PermissionAnalysis

package enum ReportText {
  package static func render(_ report: Report, _ style: TextStyle) -> [UInt8] {
    Array("\(report.rows.count) rows\n".utf8)
  }
}
