// The sums of what the log holds of whom.

import Folding
import PermissionEvents

struct FeedSums: Sendable {
  /// With an event up to as_of.
  var users: Int64 = 0

  private static let empty = SumTable("feed", keys: [], columns: ["users"])

  init() {}

  mutating func add(_ other: FeedSums) throws(SumsError) { users = try CheckedSum.add(users, other.users) }

  var tables: [SumTable] {
    var table = Self.empty
    table.setRow([], SumTable.Row([users]))
    return [table]
  }

  init(tables: [SumTable]) throws(SumsError) {
    users = try SumKeys.journeys(tables.table(like: Self.empty).rows[[]]?[0] ?? 0)
  }

  func check() throws(SumsError) {}

  func candidates(_ question: AuditQuestion) -> [AuditFinding] { [] }
}
