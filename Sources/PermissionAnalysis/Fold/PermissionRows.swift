// One user's events, sorted out by permission. Reused from user to user.

import PermissionEvents

/// Rows of a user's events of each permission, in the log's order.
struct PermissionRows {
  /// By permission code the number of its list plus one; 0 without one.
  private var lists: [Int32]
  private(set) var permissions: [UInt32] = []
  private var heads: [Int32] = []
  private var tails: [Int32] = []
  private var next: [Int32] = []

  init(permissionCount: Int) { lists = [Int32](repeating: 0, count: permissionCount) }

  mutating func removeAll(rows: Int) {
    for permission in permissions { lists[Int(permission)] = 0 }
    permissions.removeAll(keepingCapacity: true)
    heads.removeAll(keepingCapacity: true)
    tails.removeAll(keepingCapacity: true)
    while next.count < rows { next.append(-1) }
  }

  @inline(__always)
  mutating func add(row: Int, permission: UInt32) {
    let row32 = Int32(truncatingIfNeeded: row)
    next[row] = -1
    let list = Int(lists[Int(permission)]) - 1
    if list >= 0 {
      next[Int(tails[list])] = row32
      tails[list] = row32
    } else {
      permissions.append(permission)
      heads.append(row32)
      tails.append(row32)
      lists[Int(permission)] = Int32(truncatingIfNeeded: permissions.count)
    }
  }

  /// Calls `body` with each row of list number `list`.
  @inline(__always)
  func forEachRow(_ list: Int, _ body: (Int) -> Void) {
    var row = heads[list]
    while row >= 0 {
      body(Int(row))
      row = next[Int(row)]
    }
  }
}
