// Walks over the events of several parts in the log's order, user by user.

import PermissionEvents

/// Merges the cursors of several parts. Owned by one thread.
final class MergeCursor {
  private let users: UserMerge
  /// The cursors that stand at the current user, in the parts' order.
  private(set) var current: [PartCursor] = []
  /// The numbers of the parts of `current`.
  private(set) var sources: [Int] = []

  init(_ cursors: [PartCursor]) { users = UserMerge(cursors) }

  /// Goes on to the next user; false at the end.
  func advance() throws -> Bool {
    let isThere = try users.advance()
    sources.removeAll(keepingCapacity: true)
    current.removeAll(keepingCapacity: true)
    for i in 0..<users.sourceCount {
      sources.append(users.sources[i])
      current.append(users.cursors[users.sources[i]])
    }
    return isThere
  }

  /// Calls `body` with the current user's rows of all parts in the order of time, kind and event id:
  /// the number in `current`, and the row in that cursor's block. History must be loaded.
  func forEachRow(_ body: (Int, Int) throws -> Void) throws {
    guard current.allSatisfy(\.block.kindCodes.isInOrder) else { return try forEachSortedRow(body) }
    if current.count == 1 {
      for row in current[0].rows { try body(0, row) }
      return
    }
    var next = current.map(\.rows.lowerBound)
    let ends = current.map(\.rows.upperBound)
    while true {
      var best = -1
      for i in current.indices where next[i] < ends[i] {
        if try best < 0 || isBefore(i, next[i], best, next[best]) { best = i }
      }
      guard best >= 0 else { return }
      try body(best, next[best])
      next[best] += 1
    }
  }

  /// The same where a part has kinds in another order than the program, so that its rows of one millisecond may be too.
  private func forEachSortedRow(_ body: (Int, Int) throws -> Void) throws {
    var rows = current.indices.flatMap { number in current[number].rows.map { (number, $0) } }
    try rows.sort { try isBefore($0.0, $0.1, $1.0, $1.1) }
    for (number, row) in rows { try body(number, row) }
  }

  /// Whether a row of one of `current` comes before a row of another in the log's order.
  private func isBefore(_ a: Int, _ rowA: Int, _ b: Int, _ rowB: Int) throws -> Bool {
    let left = current[a].block
    let right = current[b].block
    if left.times.pointer[rowA] != right.times.pointer[rowB] {
      return left.times.pointer[rowA] < right.times.pointer[rowB]
    }
    let kindA = left.codes.pointer[rowA] & 15
    let kindB = right.codes.pointer[rowB] & 15
    if kindA != kindB { return kindA < kindB }
    // Event ids are read for this alone: two events of one user, millisecond and kind in different parts.
    try left.load(.eventIDs)
    try right.load(.eventIDs)
    return IdentifierView.compare(left.eventID(rowA), right.eventID(rowB)) < 0
  }
}
