// Erasing users, expiring old events, and merging all parts. Each is one commit: the log is the one before or the one
// after. When the call returns, no file has the removed data: the old files are unlinked, and their names are off the disk.

import PermissionEvents

extension EventLogWriter {
  /// Removes all events of users, and keeps the users out of later ingests.
  /// - Parameters:
  ///   - newKey: the key of the list, if this is the log's first; an existing list has its own.
  ///   - persons: ids of one person each, beside those that are linked: other spellings, or installs of an account.
  ///   - given: the ids as the exports have them, if they are stored hashed: names of files may contain them.
  package func erase(
    _ users: [[UInt8]], newKey: NewErasureKey = .inside, persons: [[[UInt8]]] = [], given: [[UInt8]] = []
  ) throws -> ErasureCounts {
    var counts = ErasureCounts()
    guard !users.isEmpty else { return counts }
    // Ids that are linked are one person.
    let named = users
    let users = links.closure(of: named)
    counts.linked = users.count - Set(named).count
    let (first, keepKey) = firstList(newKey)
    var list = erasures ?? first
    counts.absent = Set(try users.filter { try !list.contains($0) })
    let (remaining, removed) = try rewriteParts(without: Removal(users: users), &counts)
    let numbered = try numbered(among: users)
    counts.absent.subtract(numbered)
    counts.people = try links.people(named, removed: removed, numbered: numbered, list)
    counts.users = try list.insert(
      links.records(users, removed: removed, numbered: numbered, persons: persons, at: now ?? 0))
    counts.absent = links.absent(among: counts.absent)
    let isIncluded = exclusions.remove(users) > 0
    let hasForgotten = history.forget(naming: users + given) || isIncluded
    // An erasure that is done already changes nothing.
    guard counts.users > 0 || counts.parts > 0 || hasForgotten || !numbered.isEmpty else { return counts }
    if counts.linked > 0 || named.contains(where: { links.members(of: $0) != nil }) {
      links.remove(users)
      hasOtherLinks = true
    }
    if split.remove(users) { hasOtherLinks = true }
    newNumbers = try numbers(without: NumbersRemoval(of: users))
    // The list must not outlive the key that it needs.
    if erasures == nil { try keepKey() }
    var changes = manifest.changes
    // For the time before, only the remaining events are reported.
    if let now, counts.found > 0, let reach = remaining.map(\.footer.maximumTime).max() {
      changes.note(PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: counts.found))
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
    history.forgetFiles()
    if count > 0 { try replace(parts: parts, erasures: list, expired: manifest.expiredBefore) }
    return count
  }

  /// Removes all events before a time, and keeps older ones out of later ingests.
  package func expire(before time: Milliseconds) throws -> ErasureCounts {
    var counts = ErasureCounts()
    let (remaining, _) = try rewriteParts(without: Removal(before: time), &counts)
    let limit = max(time, manifest.expiredBefore ?? .min)
    guard counts.parts > 0 || limit != manifest.expiredBefore else { return counts }
    var changes = manifest.changes
    changes.expire(before: limit)
    newNumbers = try numbers(without: NumbersRemoval(before: limit))
    try replace(parts: remaining, erasures: erasures, expired: limit, changes: changes)
    return counts
  }

  /// Lets events of any age in again.
  /// - Returns: the time up to which they were kept out; nil if none were.
  package func readmitExpired() throws -> Milliseconds? {
    guard let time = manifest.expiredBefore else { return nil }
    history.forgetFiles()
    try replace(parts: parts, erasures: erasures, expired: nil)
    return time
  }

  /// Merges the parts into as few as their dictionaries and their users allow. No answer of the log changes.
  /// - Returns: why some parts stay separate, of users with too many events; nil if none do.
  @discardableResult
  package func compact() throws -> ErrorExplanation? {
    let groups = MergePolicy.fewest(parts.map(\.mergeWeight))
    guard groups.count < parts.count, fitOnePart(parts) else {
      // The files of the log before the newest ingest go, as after every compaction.
      if manifest.previous != nil { try replace(parts: parts, erasures: erasures, expired: manifest.expiredBefore) }
      return nil
    }
    var (remaining, refusal): ([PartReader], ErrorExplanation?) = ([], nil)
    for group in groups { remaining += try mergeWhatFits(group.map { parts[$0] }, &refusal) }
    guard remaining.count < parts.count else { return refusal }
    try replace(parts: remaining, erasures: erasures, expired: manifest.expiredBefore)
    return refusal
  }

  /// Merges all parts, or else all but the heaviest of them, and so on; then the remaining parts in the same way.
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

  /// The parts without the removed data, and the number of removed events of each user who is gone. Parts that have none
  /// of it do not change.
  func rewriteParts(
    without removal: Removal, _ counts: inout ErasureCounts
  ) throws -> (parts: [PartReader], removed: [[UInt8]: Int]) {
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
    counts.absent.subtract(removed.users.keys)
    return (remaining, removed.users)
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
    do {
      // Answers are made of the removed data, too. The commit does not wait for their end.
      try directory.removeKeptAnswers()
      try directory.removeForGood(obsolete, isChanged: true)
    } catch let error as FileError {
      throw LogError(
        .inputOutput,
        "the log was changed as requested, but files with the removed data are still in the directory: "
          + "\(error.sentence)",
        .compact, cause: error)
    }
  }
}

// MARK: The data that a rewrite leaves out: users, or events before a time

struct Removal: Sendable {
  /// The removed data: events, and the events of users without any rows left in the rewritten parts.
  struct Counts: Sendable {
    var events = 0
    /// Rows that a newer part has instead.
    var hidden = 0
    /// By id.
    var users: [[UInt8]: Int] = [:]

    mutating func formUnion(_ other: Self) {
      events += other.events
      hidden += other.hidden
      users.merge(other.users) { $0 + $1 }
    }
  }

  /// Ids of users by their hash: two ids can have one hash.
  private let users: [UInt64: Set<[UInt8]>]
  private let hashes: [UInt64]
  private let before: Milliseconds

  init(users ids: [[UInt8]]) {
    users = Dictionary(grouping: ids) { $0.withUnsafeBytes { UserHash.of($0) } }.mapValues { Set($0) }
    hashes = users.keys.sorted()
    before = .min
  }

  init(before time: Milliseconds) {
    users = [:]
    hashes = []
    before = time
  }

  func removes(_ user: IdentifierView, hash: UInt64) -> Bool {
    guard !users.isEmpty, let ids = users[hash] else { return false }
    return ids.contains(user.bytes)
  }

  func removes(_ time: Milliseconds) -> Bool { time < before }

  var concernsTimes: Bool { before > .min }

  /// Whether a part has an event to remove. Reads the users of those blocks that can have one of them.
  func concerns(_ part: PartReader) throws -> Bool {
    if part.footer.minimumTime < before { return true }
    guard !hashes.isEmpty else { return false }
    let block = try BlockDecoder(part: part)
    for (i, entry) in part.footer.blocks.enumerated() where mayHold(entry) {
      try block.open(i)
      try block.load(.keys)
      for user in 0..<block.users where removes(block.userID(user), hash: block.hashes[user]) { return true }
    }
    return false
  }

  private func mayHold(_ entry: BlockEntry) -> Bool {
    let place = hashes.firstPlace { $0 >= entry.firstHash }
    return place < hashes.count && hashes[place] <= entry.lastHash
  }
}

// MARK: The effect of a removal, counted without a lock and without a write

package struct RemovalPreview: Sendable, Equatable {
  package var events = 0
  /// Users who would lose events.
  package var users = 0
  /// The users of whom nothing would remain.
  package var wholeUsers = 0
  /// Parts that would be rewritten or dropped.
  package var parts = 0
  /// Users who would be kept out from then on and are not yet.
  package var keptOut = 0
  /// Ids that would be erased because they are linked with those named.
  package var linked = 0
  /// Ids of those named that have no events, and are not kept out yet.
  package var absent: Set<[UInt8]> = []
  /// What would become of each of those named, by its id.
  package var people: [[UInt8]: ErasedPerson] = [:]
}

extension LogSnapshot {
  /// The effect of an erasure of users.
  /// - Parameter key: of the list of erased users, if it is kept elsewhere.
  package func preview(erasing users: [[UInt8]], key: ErasureKey? = nil) throws -> RemovalPreview {
    let named = users
    let links = try directory.readLinks(manifest).links
    let users = links.closure(of: named)
    var kept = try erasures(key: key) ?? ErasureList()
    var removed: [[UInt8]: Int] = [:]
    var preview = try preview(
      Removal(users: users), absent: Set(try users.filter { try !kept.contains($0) }), &removed)
    let numbered = try numbered(among: users)
    preview.absent.subtract(numbered)
    preview.people = try links.people(named, removed: removed, numbered: numbered, kept)
    preview.keptOut = try kept.insert(links.records(users, removed: removed, numbered: numbered, persons: [], at: 0))
    preview.absent = links.absent(among: preview.absent)
    preview.linked = users.count - Set(named).count
    return preview
  }

  package func preview(expiringBefore time: Milliseconds) throws -> RemovalPreview {
    var removed: [[UInt8]: Int] = [:]
    return try preview(Removal(before: time), &removed)
  }

  /// - Parameter removed: gets the events of users who would lose all of theirs, by id.
  private func preview(
    _ removal: Removal, absent: Set<[UInt8]> = [], _ removed: inout [[UInt8]: Int]
  ) throws -> RemovalPreview {
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
      if goesWhole {
        preview.absent.remove(merge.first.userID.bytes)
        removed[merge.first.userID.bytes] = gone
      }
      preview.wholeUsers += gone == all ? 1 : 0
    }
    return preview
  }
}

// MARK: The keys that a writer needs: that of the list of erased users, and that under which users are hashed

extension EventLogWriter {
  /// Gives the writer the key of the list of erased users; nil if the caller has no key. Without a list no key is needed.
  /// - Throws: `key` if the list needs a different key, or no key.
  package func unlock(_ key: ErasureKey?) throws { try erasures?.unlock(key, log: directory.path) }

  /// The list of erased users, unlocked; nil if there is none.
  package var erasureList: ErasureList? { erasures }

  /// Distinguishes the committed state of the log from all others.
  package var committedState: CommittedState { CommittedState(manifest) }

  /// What the list of erased users has of an id; nil if it does not have it.
  package func record(ofErased id: [UInt8]) throws -> ErasureRecord? { try erasures?.record(of: id) }

  /// Whether an id was erased, as far as the list is unlocked.
  package var isKeptOut: @Sendable ([UInt8]) -> Bool {
    guard let erasures else { return { _ in false } }
    return { (try? erasures.contains($0)) ?? false }
  }

  /// Where the key of the list of erased users is; nil if there is no list.
  package var erasureKeyPlace: ErasureKeyLocation? { erasures?.keyPlace }

  /// Throws `key` if users under these names would differ from those of the log. The next commit with events records the naming.
  /// - Parameter force: accepts them anyway.
  package func admit(_ naming: UserNaming, force: Bool) throws {
    let admitted = try namingRules.admitting(naming, force: force)
    (admittedUsers, isKeyUnproven) = (admitted.users, admitted.isKeyUnproven)
    if parts.isEmpty {
      if case .hashed = naming { eventIDs = EventIDRules(areKeyed: true) } else { eventIDs = EventIDRules() }
    } else if admitted.areEventIDsKeyed {
      eventIDs.areKeyed = true
    }
  }

  /// Throws `key` if it is not known under which key the log has its pseudonyms, and no user of this ingest is among them: under
  /// another key every person would be in the log twice.
  package func requireProvenKey() throws {
    let changesNothing = users.users == 0 && counts.links + counts.withdrawn + counts.erasedByLink == 0
    guard isKeyUnproven, !changesNothing, users.users == users.new, counts.erased == 0 else { return }
    let finding =
      users.users == 0
      ? "no user with events of this ingest is among them"
      : "the \(users.users) users of this ingest are not among them"
    throw LogError(
      .key,
      "\(directory.path): its users are pseudonyms, but \(finding), so the key is probably another than theirs",
      .confirmUserKey)
  }

  /// Throws `key` if no user of the log can have such a name.
  /// - Parameter ids: that are to be erased, as the log would have them.
  package func checkErasing(_ naming: UserNaming, ids: [[UInt8]]) throws {
    admittedUsers = try namingRules.erasing(naming, ids: ids)
  }

  package var hasMixedUsers: Bool { manifest.users.isMixed }

  private var namingRules: UserNamingRules {
    UserNamingRules(log: directory.path, known: manifest.users, hasErased: erasures != nil, parts: parts)
  }

  /// Replaces the event ids that apps wrote with keyed ids, in every part.
  /// - Parameters:
  ///   - naming: of the key; that of the log's users.
  ///   - newID: for an id another, or nil if it stays.
  /// - Returns: false if the log has keyed ids already.
  package func hashEventIDs(
    _ naming: UserNaming, _ newID: @escaping @Sendable ([UInt8]) -> EventBatch.Identifier?
  ) throws -> Bool {
    guard manifest.users.contains(naming), !manifest.users.isMixed else {
      let finding =
        manifest.users.isMixed
        ? "its users are hashed under several keys, or hashed and plain"
        : "its users are not hashed under the key that was given"
      throw LogError(.key, "\(directory.path): \(finding)", .eraseWithUserKey)
    }
    guard !eventIDs.areKeyed else { return false }
    let rewritten = try parts.compactMap { part in
      try rewrite([part], tally: part.footer.tally, newEventID: newID).part
    }
    eventIDs.areKeyed = true
    try replace(parts: rewritten, erasures: erasures, expired: manifest.expiredBefore)
    return true
  }

  /// Moves the key of the list of erased users out of the log, into a file that is made for it. Until the new list is
  /// committed the old one works as before; a file that an interrupted call has made is taken.
  package func moveErasureKey(to path: String) throws {
    guard var list = erasures else {
      throw LogError(.key, "\(directory.path): no user was erased from it, so it has no key", .eraseWithKey)
    }
    guard list.keyPlace == .inside else {
      // Stopped after its commit and called again, it is done.
      if let key = try KeyFile.read(path, directory.files), (try? list.unlock(key, log: directory.path)) != nil {
        return
      }
      throw LogError(.key, "\(directory.path): the key of its list of erased users is already kept outside the log")
    }
    try KeyFile.make(path, try list.moveKeyOut(), directory.files)
    try replace(parts: parts, erasures: list, expired: manifest.expiredBefore)
  }
}

/// One committed state of a log.
package struct CommittedState: Sendable, Equatable {
  package var commits: Int
  /// Of the manifest: `Manifest.fingerprint`.
  package var fingerprint: String
  /// The files of the log, and of the log before its newest ingest.
  package var files: [String]

  init(_ manifest: Manifest) {
    (commits, fingerprint, files) = (Int(clamping: manifest.generation), manifest.fingerprint, manifest.fileNames)
  }
}

extension LogSnapshot {
  /// The checks of the keys under which users are hashed.
  package var userKeyChecks: [UInt64] { manifest.users.keys }

  package var committedState: CommittedState { CommittedState(manifest) }

  package var hasMixedUsers: Bool { manifest.users.isMixed }

  /// The list of erased users without its key, if that is kept elsewhere; nil if there is no list.
  package func lockedErasures() throws -> ErasureList? { try directory.readErasures(manifest) }

  /// The list of erased users; nil if there is none.
  /// - Parameter key: of the list, if it is kept elsewhere.
  package func erasures(key: ErasureKey?) throws -> ErasureList? {
    var list = try directory.readErasures(manifest)
    try list?.unlock(key, log: directory.path)
    return list
  }

  /// Where the key of the list of erased users is; nil if there is no list.
  package func erasureKeyPlace() throws -> ErasureKeyLocation? { try directory.erasureKeyPlace(manifest) }

  /// Throws `key` if no user of the log can have such a name.
  /// - Parameter ids: that are to be erased, as the log would have them.
  package func checkErasing(_ naming: UserNaming, ids: [[UInt8]]) throws {
    let rules = UserNamingRules(
      log: directory.path, known: manifest.users, hasErased: manifest.erasures != nil, parts: parts)
    _ = try rules.erasing(naming, ids: ids)
  }
}
