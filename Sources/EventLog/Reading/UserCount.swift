// How many users a log has.

import Folding
import PermissionEvents

extension LogSnapshot {
  /// Users with an event. One part says it in its footer; users of several parts may be the same, and are counted as one.
  package func userCount(threads: Int) throws -> Int {
    guard parts.count > 1 else { return parts.reduce(0) { $0 + Int(clamping: $1.visibleUsers) } }
    return Int(clamping: try fold(HistorySelection(), threads: threads) { _ in UserCounting() }.users)
  }
}

private struct UserCounting: Fold {
  func fold(_ user: borrowing UserHistory, into sums: inout UserCountSums) { sums.users += 1 }
}

/// A number of users; it stays within one process.
private struct UserCountSums: FoldSums {
  static let name = "users 1"
  static var layout: SumsLayout<Self> { SumsLayout() }
  var users: Int64 = 0

  mutating func add(_ other: Self) throws(SumsError) { users = try CheckedSum.add(users, other.users) }
}
