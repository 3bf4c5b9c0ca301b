// An audit as JSON, schema permlog.audit/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The audit for programs.
package enum AuditJSON {
  static let schema = "permlog.audit/1"

  /// - Parameter listsAll: also what was looked at and is no finding.
  package static func render(_ report: AuditReport, listsAll: Bool = false) -> [UInt8] {
    JSONWriter.document(AuditAnswer(report: report, listsAll: listsAll))
  }
}

struct AuditAnswer: FigureObject {
  let report: AuditReport
  let listsAll: Bool

  static let figures: [FigureNode<AuditAnswer>] = [
    .text("schema", "the form of the answer") { _ in AuditJSON.schema },
    .text("as_of", "the moment that it looks from", .moment) { $0.report.asOf.map { Timestamp.text($0) } },
    .text("time_zone", "the zone of days") { $0.report.timeZone },
    .text("from", "of the exposures that count", .moment) { $0.report.from.map { Timestamp.text($0) } },
    .text("to", "of the exposures that count", .moment) { $0.report.to.map { Timestamp.text($0) } },
    .texts("where", "conditions on them", .sentence) { $0.report.conditions.map(\.description) },
    .count("users", "with any event up to as_of", .users) { Int(clamping: $0.report.users) },
    .texts("info_plists", "that were read") { $0.report.infoPlists },
    .list("findings", AuditFinding.figures) { $0.report.findings },
    .list("others", AuditFinding.figures + [.text("left_out", "why it is no finding") { $0.leftOut?.rawValue }]) {
      $0.listsAll ? $0.report.others : []
    },
  ]
}

extension AuditFinding {
  fileprivate static let figures: [FigureNode<AuditFinding>] = [
    .text("id", "the check") { $0.check.rawValue },
    .text("severity", "how bad it is") { $0.severity.name },
    .text("permission", "null if it is of none") { $0.permission },
    .count("users", "journeys, or what the check counts, that it holds for") { $0.users.map { Int(clamping: $0) } },
    .count("of", "all of these") { $0.of.map { Int(clamping: $0) } },
    .estimate("share", "users over of") { $0.share },
    .estimate("cost", "grant rate without it minus that with it", .difference) { $0.cost },
    .text("sentence", "for people", .sentence) { AuditSentences.text($0) },
    .text("advice", "what to do", .sentence) { $0.check.words.advice },
    .text("reference", "where it is written") { $0.reference },
    .texts("examples", "ids of users") { $0.examples },
  ]
}
