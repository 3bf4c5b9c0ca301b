// Giving all users and events of a log other ids. The log is in the order of its users' ids, so that every event is sorted
// anew, as an ingest does. One commit: the log is the one before or the one after.

import PermissionEvents
import Threads

/// The ids that replace those of a log. Two different ids have different new ones.
package struct NewIDs: Sendable {
  let user: @Sendable ([UInt8]) -> [UInt8]
  let event: @Sendable (EventBatch.Identifier) -> EventBatch.Identifier

  /// - Parameter event: of ids that are UUIDs, except those of events that many rows of a day make: they stay.
  package init(
    user: @escaping @Sendable ([UInt8]) -> [UInt8],
    event: @escaping @Sendable (EventBatch.Identifier) -> EventBatch.Identifier
  ) {
    (self.user, self.event) = (user, event)
  }
}

/// How much of a log was written again.
package struct RekeyCounts: Sendable, Equatable {
  package var users = 0
  package var events = 0
  /// Whether the log had numbers of events, which are counted under the old key.
  package var forgotNumbers = false

  package init(users: Int = 0, events: Int = 0) { (self.users, self.events) = (users, events) }
}

extension EventLogWriter {
  /// Stores every event under other ids. No old id stays in any file but the list of erased users, which has keyed hashes of them.
  /// - Parameters:
  ///   - old: the naming of the log's users, and of no other ids.
  ///   - new: the naming that `ids` make.
  /// - Returns: nil if the log has the new names already: stopped after its commit and called again, it is done.
  /// - Throws: `key` if the log's users have other names; `newerFormat` if a part has what this program would lose.
  package func rekey(from old: UserNaming, to new: UserNaming, _ ids: NewIDs) throws -> RekeyCounts? {
    if manifest.users.contains(new), !manifest.users.isMixed { return nil }
    try requireNaming(old)
    guard eventIDs.areKeyed else {
      throw LogError(.key, "\(directory.path): its event ids are not hashed yet", .hashEventIDsFirst)
    }
    var namings = UserNamings()
    namings.insert(new)
    admittedUsers = namings
    // Their names are hashed under the old key.
    history.forgetFiles()
    return try rename(ids)
  }

  /// Stores every event under other ids; ids of events that are text stay.
  package func rename(_ ids: NewIDs) throws -> RekeyCounts {
    let newNames = names(ids)
    let writing = RekeyedEvents(parts: parts, directory: directory, threads: threads, ids: ids, names: newNames)
    let total = parts.reduce(0) { $0 + $1.visibleRows }
    var tally: IngestTally?? = IngestTally.sum(parts.map(\.footer.tally))
    var (written, counts): ([PartReader], RekeyCounts) = ([], RekeyCounts())
    while !writing.isDone {
      let round = beginRound()
      try writing.fill(round)
      let ingest = PartIngest(
        round: round, joined: nil, directory: directory, existing: [], ledger: nil,
        admission: Admission(eventsOfUser: eventsOfUser), reach: nil, now: nil, carried: IngestTally(), replaces: false,
        threads: threads, formerTally: tally)
      let part = try ingest.write(part: takeFileID())
      guard part.counts.surplus == 0 else {
        throw LogError(
          .limit,
          "\(directory.path): it has more than \(eventsOfUser) events of one user, which cannot be written under another id",
          .divideSharedUser)
      }
      counts.users += part.users.users
      guard let description = part.part else { continue }
      counts.events += Int(description.rows)
      written.append(try PartReader(description, in: directory))
      // One of the parts has the counts of all.
      tally = tally?.map { _ in IngestTally() }
    }
    guard counts.events == Int(total) else {
      throw LogError(
        .damaged, "writing the events of \(directory.path) under other ids lost some; nothing was changed",
        .verifyAndReport)
    }
    var groups = UserLinks()
    for group in links.orderedGroups {
      groups.addGroup(group.map(ids.user).sorted { $0.lexicographicallyPrecedes($1) })
    }
    (links, hidden, split) = (groups, .none, split.renamed(ids.user))
    hasOtherLinks = true
    exclusions = ExcludedUsers(exclusions.ids.map(ids.user))
    // Their counters are hashed under the old key.
    counts.forgotNumbers = !manifest.numbers.isEmpty
    newNumbers = []
    var list = erasures
    list?.keepAsFormer()
    try replace(parts: written, erasures: list, expired: manifest.expiredBefore)
    return counts
  }

  private func requireNaming(_ old: UserNaming) throws {
    let (users, path) = (manifest.users, directory.path)
    if users.isEmpty {
      throw LogError(.key, "\(path): its users are not known to be hashed under a key", .rekeyHashedLog)
    }
    guard !users.isMixed else {
      throw LogError(.key, "\(path): it names users in several ways, so that one key cannot follow another", nil)
    }
    guard users.contains(old) else {
      throw LogError(
        .key, "\(path): its users are hashed under other keys than the given ones, or in another order",
        .giveKeysToRekey)
    }
  }

  /// The new names of linked users, where they are not those of their ids: that of a group is its least id.
  private func names(_ ids: NewIDs) -> [[UInt8]: [UInt8]] {
    var names: [[UInt8]: [UInt8]] = [:]
    for group in links.orderedGroups {
      let least = group.map(ids.user).min { $0.lexicographicallyPrecedes($1) }
      for id in group { names[id] = least }
    }
    return names
  }
}

/// The events of a log on their way to rounds, under new ids.
private final class RekeyedEvents {
  private let shares: [(part: PartReader, range: ClosedRange<UInt64>)]
  private let tasks: Workers.Tasks
  private let vocabulary: LogVocabulary
  private let directory: LogDirectory
  private let threads: Int
  private let ids: NewIDs
  private let names: [[UInt8]: [UInt8]]
  private(set) var isDone = false

  private static let rowsOfShare: UInt64 = 100_000
  private static let batchEvents = 4096

  init(
    parts: [PartReader], directory: LogDirectory, threads: Int, ids: NewIDs, names: [[UInt8]: [UInt8]]
  ) {
    shares = parts.flatMap { part in
      HashRanges.divide([part], count: max(1, Int(part.footer.rows / Self.rowsOfShare))).map { (part, $0) }
    }
    tasks = Workers.Tasks(count: shares.count)
    vocabulary = LogVocabulary(parts)
    self.directory = directory
    self.threads = MemoryBudget.threads(threads, parts, bytesPerRow: BlockDecoder.bytesOfWholeRow)
    (self.ids, self.names) = (ids, names)
  }

  /// Appends events until the round is full, or all are written.
  func fill(_ round: IngestRound) throws {
    let (tasks, shares, vocabulary, directory, ids, names) = (tasks, shares, vocabulary, directory, ids, names)
    let isFull = Mutex(false)
    try Workers.run(threads: threads) { _ in
      let batch = EventBatch()
      while true {
        guard !round.isFull else { return isFull.withLock { $0 = true } }
        guard let task = tasks.claim() else { return }
        let (part, range) = shares[task]
        let codes = RoundCodes(part, round.dictionary)
        try codes.requireKnown(directory)
        let cursor = try PartCursor(part, range: range, kinds: vocabulary.codes(of: part.footer.dictionary))
        while !cursor.isAtEnd {
          try Self.append(cursor, codes, ids, names, directory, batch, round)
          try cursor.advance()
        }
        try round.append(batch)
        batch.removeAll()
      }
    }
    isDone = !isFull.withLock { $0 }
  }

  private static func append(
    _ cursor: PartCursor, _ codes: RoundCodes, _ ids: NewIDs, _ names: [[UInt8]: [UInt8]], _ directory: LogDirectory,
    _ batch: EventBatch, _ round: IngestRound
  ) throws {
    let block = cursor.block
    try block.load(.details)
    try block.load(.eventIDs)
    let old = cursor.userID.bytes
    let name = UserLinks.ID(names[old] ?? ids.user(old))
    for row in cursor.rows {
      if batch.count >= batchEvents {
        try round.append(batch)
        batch.removeAll()
      }
      let event = block.event(row)
      guard let kind = EventKind(rawValue: event.kind) else { throw codes.unknown(directory) }
      let id: EventBatch.Identifier
      if let form = IdentifierForm(rawValue: event.eventForm), form != .text {
        let stored = EventBatch.Identifier(form: form, high: event.eventHigh, low: event.eventLow)
        let isDaily = DerivedEventID.isDaily(kind: event.kind, form: event.eventForm, low: event.eventLow)
        id = isDaily ? stored : ids.event(stored)
      } else {
        id = batch.identifier(block.eventID(row).text)
      }
      batch.append(
        userHash: name.hash, user: batch.identifier(name), event: id, time: event.time, kind: kind,
        context: codes.context(event), attributes: codes.attributes(event))
    }
  }
}
