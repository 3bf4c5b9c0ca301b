// An audit as JSON, schema permlog.audit/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The audit for programs.
package enum AuditJSON {
  static let schema = "permlog.audit/1"

  /// - Parameter listsAll: also what was looked at and is no finding.
  package static func render(_ report: AuditReport, listsAll: Bool = false) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.members([
        "schema": schema, "as_of": report.asOf.map { Timestamp.text($0) }, "time_zone": report.timeZone,
        "from": report.from.map { Timestamp.text($0) }, "to": report.to.map { Timestamp.text($0) },
        "where": report.conditions.map(\.description), "users": Int(clamping: report.users),
        "info_plists": report.infoPlists,
      ])
      json.array("findings") { json in
        for finding in report.findings { json.element { $0.members(finding.members) } }
      }
      json.array("others") { json in
        guard listsAll else { return }
        for other in report.others {
          json.element { json in
            json.members(other.members)
            json.member("left_out", other.leftOut?.rawValue)
          }
        }
      }
    }
    json.endLine()
    return json.take()
  }
}

extension AuditFinding {
  fileprivate var members: JSONMembers {
    [
      "id": check.rawValue, "severity": severity.name, "permission": permission,
      "users": users.map { Int(clamping: $0) }, "of": of.map { Int(clamping: $0) }, "share": share, "cost": cost,
      "sentence": AuditSentences.text(self), "advice": check.words.advice, "reference": reference,
      "examples": examples,
    ]
  }
}
