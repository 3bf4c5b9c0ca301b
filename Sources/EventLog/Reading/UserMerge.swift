// Walks over the users of several parts in the log's order. A user's events may lie in any of them. Nothing but numbers is
// touched for a user.

import PermissionEvents

/// Which parts have the next user. Owned by one thread.
final class UserMerge {
  let cursors: [PartCursor]
  /// The hash that each part stands at.
  private let hashes: UnsafeMutablePointer<UInt64>
  /// Parts that are not at their end, in order.
  private let live: UnsafeMutablePointer<Int>
  private var liveCount = 0
  /// Parts that stand at the current user, in order.
  let sources: UnsafeMutablePointer<Int>
  private(set) var sourceCount = 0

  init(_ cursors: [PartCursor]) {
    self.cursors = cursors
    hashes = .allocate(capacity: cursors.count)
    live = .allocate(capacity: cursors.count)
    sources = .allocate(capacity: cursors.count)
    for (number, cursor) in cursors.enumerated() where !cursor.isAtEnd {
      hashes[number] = cursor.hash
      live[liveCount] = number
      liveCount += 1
    }
  }

  deinit {
    hashes.deallocate()
    live.deallocate()
    sources.deallocate()
  }

  /// Goes on to the next user; false at the end.
  func advance() throws -> Bool {
    for i in 0..<sourceCount {
      let source = sources[i]
      let cursor = cursors[source]
      try cursor.advance()
      hashes[source] = cursor.hash
      if cursor.isAtEnd { remove(source) }
    }
    var lowest = UInt64.max
    for i in 0..<liveCount { lowest = min(lowest, hashes[live[i]]) }
    var count = 0
    for i in 0..<liveCount {
      sources[count] = live[i]
      count += hashes[live[i]] == lowest ? 1 : 0
    }
    sourceCount = count
    if count > 1 { keepLowestID() }
    return count > 0
  }

  private func remove(_ source: Int) {
    var kept = 0
    for i in 0..<liveCount where live[i] != source {
      live[kept] = live[i]
      kept += 1
    }
    liveCount = kept
  }

  /// Two users may have one hash.
  private func keepLowestID() {
    var kept = 1
    for i in 1..<sourceCount {
      let (first, other) = (cursors[sources[0]], cursors[sources[i]])
      let order = other.hasUUID(of: first) ? 0 : IdentifierView.compare(other.userID, first.userID)
      if order > 0 { continue }
      if order < 0 { kept = 0 }
      sources[kept] = sources[i]
      kept += 1
    }
    sourceCount = kept
  }

  /// Whether an event of a permission of one of the sources has an id before that of another's. Lanes must be loaded.
  /// Event ids are read for this alone: two events of one user, millisecond and kind in different parts.
  func isIDBefore(_ a: Int, _ eventA: Int, _ b: Int, _ eventB: Int) throws -> Bool {
    func id(_ source: Int, _ event: Int) throws -> IdentifierView {
      let cursor = cursors[sources[source]]
      try cursor.block.load(.eventIDs)
      return cursor.block.eventID(cursor.rows.lowerBound + Int(cursor.block.permissionRows.pointer[event]))
    }
    return IdentifierView.compare(try id(a, eventA), try id(b, eventB)) < 0
  }
}
