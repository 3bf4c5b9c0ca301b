// Sessions within which the user's id changed, as long as no link says that the ids are one user.

import PermissionEvents

/// Ids that came in one session, and in how many sessions they did.
struct SplitSessions: Sendable, Equatable {
  /// Most groups of ids that a log keeps; ingests after that look at no sessions.
  static let mostGroups = 1 << 15

  /// By ids in bytewise order, at least two.
  private(set) var sessions: [[[UInt8]]: UInt64] = [:]

  var isEmpty: Bool { sessions.isEmpty }

  /// Sessions of all groups.
  var count: Int64 { sessions.values.reduce(0) { min($0 + Int64(clamping: $1), IngestTally.limit) } }

  mutating func add(_ ids: [[UInt8]], sessions count: UInt64) {
    sessions[ids] = min((sessions[ids] ?? 0) + count, UInt64(IngestTally.limit))
  }

  static func += (a: inout Self, b: Self) { for (ids, count) in b.sessions { a.add(ids, sessions: count) } }

  /// Those of the sample whose ids are not one user; nil if there are too many to keep.
  func among(_ sample: SessionSample, _ links: UserLinks) -> SplitSessions? {
    var found = SplitSessions()
    for ids in sample.changed where !links.areOneUser(ids) { found.add(ids, sessions: 1) }
    return sessions.count + found.sessions.count <= Self.mostGroups ? found : nil
  }

  /// Leaves out sessions of ids that are one user by now.
  /// - Returns: whether there were any.
  mutating func removeJoined(_ links: UserLinks) -> Bool { keep { !links.areOneUser($0) } }

  /// Leaves out sessions in which an id of these came.
  /// - Returns: whether there were any.
  mutating func remove(_ gone: [[UInt8]]) -> Bool {
    let gone = Set(gone)
    return keep { $0.allSatisfy { !gone.contains($0) } }
  }

  private mutating func keep(_ isKept: ([[UInt8]]) -> Bool) -> Bool {
    let before = sessions.count
    sessions = sessions.filter { isKept($0.key) }
    return sessions.count != before
  }

  /// In the order in which they are stored.
  var ordered: [(ids: [[UInt8]], sessions: UInt64)] {
    sessions.sorted { a, b in
      a.key.lexicographicallyPrecedes(b.key) { $0.lexicographicallyPrecedes($1) }
    }.map { (ids: $0.key, sessions: $0.value) }
  }
}

extension UserLinks {
  func areOneUser(_ ids: [[UInt8]]) -> Bool {
    guard let first = ids.first, let members = members(of: first) else { return ids.count < 2 }
    return ids.allSatisfy(members.contains)
  }
}
