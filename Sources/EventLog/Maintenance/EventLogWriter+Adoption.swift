// Erased users of another log: a log that is made of an export keeps them out, too.

import PermissionEvents

extension EventLogWriter {
  /// Takes over the list of erased users of another log, and removes their events.
  /// - Parameter list: unlocked, if its key is kept elsewhere.
  /// - Throws: `key` if this log has a list with another key.
  package func adopt(_ list: ErasureList) throws -> ErasureCounts {
    var counts = ErasureCounts()
    guard !list.isEmpty else { return counts }
    let list = list.withoutEvents
    var joined = erasures ?? list
    guard joined.keyCheck == list.keyCheck else {
      throw LogError(
        .key,
        "\(directory.path): it has a list of erased users with another key, so the two lists cannot be joined. "
          + "Erase the ids here. If several machines are to share a list, give all of them the same key file "
          + "from the first erasure on, or import the list before anything is erased")
    }
    counts.users = erasures == nil ? list.count : try joined.formUnion(list)
    guard counts.users > 0 else { return counts }
    let theirs = try UserSearch.ids(parts, links) { try list.contains($0) }
    // Here they may be linked with more ids, which are the same persons.
    let users = links.closure(of: theirs)
    let (remaining, removed) = try rewriteParts(without: Removal(users: users), &counts)
    counts.linked = users.count - theirs.count
    counts.users += try joined.insert(links.records(users, removed: removed, persons: [], at: now ?? 0))
    _ = history.forget(naming: users)
    if users.contains(where: { links.members(of: $0) != nil }) {
      links.remove(users)
      hasOtherLinks = true
    }
    if split.remove(users) { hasOtherLinks = true }
    var changes = manifest.changes
    if let now, counts.found > 0, let reach = remaining.map(\.footer.maximumTime).max() {
      changes.note(PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: counts.found))
    }
    try replace(parts: remaining, erasures: joined, expired: manifest.expiredBefore, changes: changes)
    return counts
  }
}

extension LogDirectory {
  /// The log's list of erased users as a file for other logs; nil if it has none.
  package func erasureFile() throws -> (bytes: [UInt8], users: Int)? {
    let manifest = try readManifest()
    guard let list = try readErasures(manifest), !list.isEmpty else { return nil }
    return (list.encode(id: ErasureList.idOfFile).bytes, list.count)
  }
}

extension ErasureList {
  /// The id of a list that is in no log.
  static let idOfFile: UInt64 = 0

  /// A list in a file of its own.
  package init(file bytes: [UInt8], name: String) throws {
    try self.init(bytes, id: Self.idOfFile, expected: nil, file: name)
  }
}
