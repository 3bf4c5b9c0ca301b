// A row of the report as JSON: what it is about, then its figures.

import PermissionAnalysis
import PermissionEvents

extension JSONWriter {
  mutating func members(of row: ReportRow) {
    member("permission", row.permission)
    member("week", row.week?.text)
    member("complete", row.isComplete)
    if let by = row.by {
      let object = begin(object: "by")
      member("property", by.property.name)
      member("value", by.value)
      end(object)
    } else {
      null("by")
    }
    figures(ReportRow.figures.nodes, of: row)
  }
}
