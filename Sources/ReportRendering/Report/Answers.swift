// How many answered, of a permission: 0 % may be true, or the app does not log its answers.

import PermissionAnalysis
import PermissionEvents

/// The answers to one permission in some rows.
struct Answers {
  let permission: String
  private(set) var base = 0
  private(set) var granted = 0
  private(set) var denied = 0

  /// Answers of one kind from which on it is no chance that the other is missing.
  private static let least = Int(AuditCheck.oneSidedAnswers.least)

  /// Many were asked, and nobody answered.
  var areNone: Bool { granted + denied == 0 && base >= Attention.Threshold.fewest }
  var lackGrants: Bool { granted == 0 && denied >= Self.least }
  var lackDenials: Bool { denied == 0 && granted >= Self.least }

  /// In the order of the rows, which is by permission; without those whose answers are one-sided by nature.
  static func byPermission(_ rows: some Sequence<RowCounts>, of report: ReportOverview) -> [Answers] {
    var all: [Answers] = []
    var last: RowCounts?
    for row in rows {
      if last.map({ !report.report.rows.isSamePermission($0.number, row.number) }) ?? true {
        all.append(Answers(permission: report.permission(row)))
      }
      last = row
      all[all.count - 1].base += row.base
      all[all.count - 1].granted += row.granted
      // Restrictions are denials without a say: the app logs them.
      all[all.count - 1].denied += row.denied + row.restricted
    }
    return all.filter { answers in UnansweredPermission(rawValue: answers.permission) == nil }
  }
}
