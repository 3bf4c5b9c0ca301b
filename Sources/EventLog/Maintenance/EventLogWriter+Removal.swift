// Erasing users, expiring old events, and merging all parts. Each is one commit: the log is the one before or the one
// after. What was removed is gone from every file when the call returns: files that held it are unlinked, and their
// names are off the disk.

import PermissionEvents

extension EventLogWriter {
  /// Removes all events of users, and keeps the users out of later ingests.
  /// - Parameter newKey: the key of the list, if this is the log's first; a list that is there has its own.
  package func erase(_ users: [[UInt8]], newKey: NewErasureKey = .inside) throws -> ErasureCounts {
    var counts = ErasureCounts()
    guard !users.isEmpty else { return counts }
    // Ids that are linked are one person.
    let named = users
    let users = links.closure(of: named)
    counts.linked = users.count - Set(named).count
    let (first, keepKey) = firstList(newKey)
    var list = erasures ?? first
    counts.absent = Set(try users.filter { try !list.contains($0) })
    counts.users = try list.insert(users)
    let remaining = try rewriteParts(without: Removal(users: users), &counts)
    counts.absent = links.absent(among: counts.absent)
    // An erasure that is done already changes nothing.
    guard counts.users > 0 || counts.parts > 0 else { return counts }
    if counts.linked > 0 || named.contains(where: { links.members(of: $0) != nil }) {
      links.remove(users)
      hasOtherLinks = true
    }
    if split.remove(users) { hasOtherLinks = true }
    // The list must not outlive the key that it needs.
    if erasures == nil { try keepKey() }
    var changes = manifest.changes
    // Of the time before only what stays is told.
    if let now, counts.found > 0, let reach = remaining.map(\.footer.maximumTime).max() {
      changes.note(
        PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: counts.found))
    }
    try replace(parts: remaining, erasures: list, expired: manifest.expiredBefore, changes: changes)
    return counts
  }

  /// The log's first list, and what puts its key on the disk.
  private func firstList(_ newKey: NewErasureKey) -> (list: ErasureList, keepKey: () throws -> Void) {
    let files = directory.files
    switch newKey {
    case .inside: return (ErasureList(), {})
    case .outside(let key, nil): return (ErasureList(outside: key), {})
    case .outside(let key, let path?): return (ErasureList(outside: key), { try KeyFile.keep(path, files) })
    case .made(let path):
      let key = ErasureKey()
      return (ErasureList(outside: key), { try KeyFile.make(path, key, files) })
    }
  }

  /// Lets erased users in again: their events come back with the next ingest that has them.
  /// - Returns: how many of them had been erased.
  package func readmit(_ users: [[UInt8]]) throws -> Int {
    guard var list = erasures else { return 0 }
    let count = try list.remove(users)
    if count > 0 { try replace(parts: parts, erasures: list, expired: manifest.expiredBefore) }
    return count
  }

  /// Removes all events before a time, and keeps older ones out of later ingests.
  package func expire(before time: Milliseconds) throws -> ErasureCounts {
    var counts = ErasureCounts()
    let remaining = try rewriteParts(without: Removal(before: time), &counts)
    let limit = max(time, manifest.expiredBefore ?? .min)
    guard counts.parts > 0 || limit != manifest.expiredBefore else { return counts }
    var changes = manifest.changes
    changes.expire(before: limit)
    try replace(parts: remaining, erasures: erasures, expired: limit, changes: changes)
    return counts
  }

  /// Lets events of any age in again.
  /// - Returns: the time up to which they were kept out; nil if none were.
  package func readmitExpired() throws -> Milliseconds? {
    guard let time = manifest.expiredBefore else { return nil }
    try replace(parts: parts, erasures: erasures, expired: nil)
    return time
  }

  /// Merges the parts into as few as their dictionaries and their users allow; nothing that can be read changes.
  /// - Returns: why some stay apart that are of users with too many events; nil if none do.
  @discardableResult
  package func compact() throws -> ErrorExplanation? {
    let groups = MergePolicy.fewest(parts.map(\.mergeWeight))
    guard groups.count < parts.count, fitOnePart(parts) else { return nil }
    var (remaining, refusal): ([PartReader], ErrorExplanation?) = ([], nil)
    for group in groups { remaining += try mergeWhatFits(group.map { parts[$0] }, &refusal) }
    guard remaining.count < parts.count else { return refusal }
    try replace(parts: remaining, erasures: erasures, expired: manifest.expiredBefore)
    return refusal
  }

  /// Merges all parts, or else all but the heaviest of them, and so on; then those that were left, in the same way.
  /// - Parameter refusal: becomes that of the first merge that was refused, if one was and none had been.
  private func mergeWhatFits(_ sources: [PartReader], _ refusal: inout ErrorExplanation?) throws -> [PartReader] {
    var (group, left): ([PartReader], [PartReader]) = (sources, [])
    while group.count > 1 {
      do {
        group = [try rewrite(group).part].compactMap { $0 }
      } catch let error as LogError where error.code == .limit {
        refusal = refusal ?? error.explanation
        guard let heaviest = HashRanges.heaviest(group) else { throw error }
        group.removeAll { $0.id == heaviest.id }
        left.append(heaviest)
      }
    }
    return group + (left.isEmpty ? [] : try mergeWhatFits(left, &refusal))
  }

  /// The parts without what is to go; those that have nothing of it stay as they are.
  private func rewriteParts(without removal: Removal, _ counts: inout ErasureCounts) throws -> [PartReader] {
    var remaining: [PartReader] = []
    var removed = Removal.Counts()
    for part in parts {
      guard try removal.concerns(part) else {
        remaining.append(part)
        continue
      }
      let (new, counted) = try rewrite([part], without: removal)
      if let new { remaining.append(new) }
      removed.formUnion(counted)
      counts.parts += 1
    }
    counts.events = removed.events
    counts.found = removed.users.count
    counts.absent.subtract(removed.users)
    return remaining
  }

  /// Commits, then removes the files that the log no longer has, and waits until their names are off the disk.
  func replace(
    parts new: [PartReader], erasures list: ErasureList?, expired: Milliseconds?, changes: ChangeHistory? = nil
  ) throws {
    let list = list?.isEmpty == true ? nil : list
    var description = manifest.erasures
    if list != erasures { description = try list.map { try directory.write($0, id: takeFileID()) } }
    let before = Set(manifest.fileNames)
    try replaceState(
      parts: new, erasures: list, description: description, expired: expired, changes: changes ?? manifest.changes,
      users: admittedUsers)
    let obsolete = before.subtracting(manifest.fileNames).sorted()
    guard !obsolete.isEmpty else { return }
    do {
      try directory.removeForGood(obsolete)
    } catch let error as FileError {
      throw LogError(
        .inputOutput,
        "the log is as you asked, but files that hold what was removed are still in the directory: \(error.sentence)",
        .compact, cause: error)
    }
  }
}
