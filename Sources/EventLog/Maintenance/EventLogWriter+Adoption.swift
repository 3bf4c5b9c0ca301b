// Erased users of another log: a log that is made of an export keeps them out, too.

import PermissionEvents

extension EventLogWriter {
  /// Takes over the list of erased users of another log, and removes their events.
  /// - Parameter list: unlocked, if its key is kept elsewhere.
  /// - Throws: `key` if this log has a list of its own: two lists have different keys.
  package func adopt(_ list: ErasureList) throws -> ErasureCounts {
    var counts = ErasureCounts()
    guard erasures == nil || erasures == list else {
      throw LogError(
        .key,
        "\(directory.path): it has a list of erased users of its own, and two lists cannot be joined: each has a key of its own. "
          + "Erase the ids here, or ingest into a new log")
    }
    guard erasures == nil, !list.isEmpty else { return counts }
    counts.users = list.count
    let theirs = try UserSearch.ids(parts) { try list.contains($0) }
    let (remaining, _) = try rewriteParts(without: Removal(users: theirs), &counts)
    var changes = manifest.changes
    if let now, counts.found > 0, let reach = remaining.map(\.footer.maximumTime).max() {
      changes.note(PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: counts.found))
    }
    try replace(parts: remaining, erasures: list, expired: manifest.expiredBefore, changes: changes)
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
