// What a removal would take, counted without a lock and without a write.

import PermissionEvents

/// What would be removed from a log.
package struct RemovalPreview: Sendable, Equatable {
  package var events = 0
  /// Users who would lose events.
  package var users = 0
  /// Of those the ones of whom nothing would stay.
  package var wholeUsers = 0
  /// Parts that would be rewritten or dropped.
  package var parts = 0
  /// Users who would be kept out from then on and are not yet.
  package var keptOut = 0
  /// Ids that would be erased because they are linked with those named.
  package var linked = 0
  /// Ids of those named that have no events, and are not kept out yet.
  package var absent: Set<[UInt8]> = []

  package init() {}
}

extension LogSnapshot {
  /// What an erasure of users would remove.
  /// - Parameter key: of the list of erased users, if it is kept elsewhere.
  package func preview(erasing users: [[UInt8]], key: ErasureKey? = nil) throws -> RemovalPreview {
    let named = users
    let links = try directory.readLinks(manifest).links
    let users = links.closure(of: named)
    var list = try directory.readErasures(manifest)
    try list?.unlock(key, log: directory.path)
    var kept = list ?? ErasureList()
    var preview = try preview(Removal(users: users), absent: Set(try users.filter { try !kept.contains($0) }))
    preview.keptOut = try kept.insert(users)
    preview.absent = links.absent(among: preview.absent)
    preview.linked = users.count - Set(named).count
    return preview
  }

  /// What an expiry would remove.
  package func preview(expiringBefore time: Milliseconds) throws -> RemovalPreview {
    try preview(Removal(before: time))
  }

  private func preview(_ removal: Removal, absent: Set<[UInt8]> = []) throws -> RemovalPreview {
    var preview = RemovalPreview()
    preview.absent = absent
    preview.parts = try parts.count { try removal.concerns($0) }
    guard preview.parts > 0 else { return preview }
    let vocabulary = LogVocabulary(parts)
    let merge = UserMerge(
      try parts.map { try PartCursor($0, range: 0...UInt64.max, kinds: vocabulary.codes(of: $0.footer.dictionary)) })
    while try merge.advance() {
      let goesWhole = removal.removes(merge.first.userID, hash: merge.first.hash)
      var (gone, all) = (0, 0)
      for i in 0..<merge.sourceCount {
        let cursor = merge.cursors[merge.sources[i]]
        all += cursor.rows.count
        if goesWhole {
          gone += cursor.rows.count
        } else if removal.concernsTimes {
          try cursor.block.load(.history)
          gone += cursor.rows.count { removal.removes(cursor.block.times[$0]) }
        }
      }
      guard gone > 0 else { continue }
      preview.events += gone
      preview.users += 1
      if goesWhole { preview.absent.remove(merge.first.userID.bytes) }
      preview.wholeUsers += gone == all ? 1 : 0
    }
    return preview
  }
}
