// Events that an ingest writes under another id than they have: those of its own input whose user is known by another name, and those of older
// parts whose user has become one with another. They are put into partitions of their own, beside those of the input.

import Buffers
import PermissionEvents
import Threads

/// Events under the ids of their users. Safe to use from several threads.
struct JoinedEvents: Sendable {
  let store: PartitionStore
  let links: UserLinks
}

extension UserLinks {
  /// The name of an event's user, if it is another than its id.
  /// - Parameter texts: where the ids in text are.
  @inline(__always)
  func name(of event: PackedEvent, in texts: UnsafeRawBufferPointer) -> ID? {
    var text = UnsafeRawBufferPointer(start: nil, count: 0)
    if event.userForm == 0 {
      let range = TextRange(word: event.userWord)
      text = UnsafeRawBufferPointer(rebasing: texts[range.offset..<range.offset + range.count])
    }
    return name(hash: event.userHash, form: event.userForm, low: event.userForm == 0 ? 0 : event.userWord, text: text)
  }
}

/// Finds the events to join, and hides those of older parts.
struct EventJoining {
  let directory: LogDirectory
  let round: IngestRound
  let links: UserLinks
  /// Parts that have the events, in the order in which they were made.
  let parts: [PartReader]
  /// Events of parts from here on are of this ingest: of two copies the lesser stays, as of those of the input.
  let firstOfIngest: Int
  /// Rows of the parts of this ingest that have given way.
  let ledger: CopyLedger?
  let threads: Int

  /// Bytes of pages that are kept in memory.
  private static let memory = 32 << 20
  private static let batchEvents = 4096

  /// What was found in older parts.
  struct Moved: Sendable {
    /// Ids of users whose events were found, with the parts that have them.
    var entries: [UserLinks.ID] = []
    var counts: [UInt64: HiddenUsers.Count] = [:]
    /// Names of the users that the events belong to.
    var names: Set<[UInt8]> = []
    /// `key` of each event that moved.
    var eventIDs: Set<UInt64> = []

    /// Of a user's name and an event's id. Two may have one: then an event is moved that need not be.
    static func key(_ name: UserLinks.ID, _ event: IdentifierView) -> UInt64 { name.hash ^ event.hash }

    static func += (a: inout Self, b: Self) {
      a.entries += b.entries
      a.counts.merge(b.counts) { .init(rows: $0.rows + $1.rows, users: $0.users + $1.users) }
      a.names.formUnion(b.names)
      a.eventIDs.formUnion(b.eventIDs)
    }
  }

  /// Collects the events of a round whose users have other names, and the stored ones of some groups.
  /// - Parameter groups: an id of each group that has become larger.
  func collect(_ groups: [[UInt8]]) throws -> (events: JoinedEvents, moved: Moved) {
    let joined = JoinedEvents(store: PartitionStore(directory: directory, memory: Self.memory), links: links)
    try renameRound(joined)
    return (joined, try moveStored(groups, joined))
  }

  private func renameRound(_ joined: JoinedEvents) throws {
    let tasks = Workers.Tasks(count: PartitionStore.partitionCount)
    try Workers.run(threads: threads) { _ in
      let scatter = Scatter(joined.store)
      let batch = EventBatch()
      var bytes = Buffer<UInt8>()
      while let partition = tasks.claim() {
        guard round.store.length(partition: partition) > 0 else { continue }
        bytes.removeAll()
        try round.store.drain(partition: partition, into: &bytes, keeping: true)
        let records = UnsafeRawBufferPointer(start: bytes.unsafeAddress, count: bytes.count)
        try SortedPartition.forEachRecord(records) { event in
          guard let name = links.name(of: event, in: records) else { return }
          var event = event
          event.rename(userHash: name.hash, user: batch.identifier(name))
          if event.eventForm == 0 {
            let range = TextRange(word: event.eventHigh)
            event.eventHigh =
              batch.identifier(UnsafeRawBufferPointer(rebasing: records[range.offset..<range.offset + range.count]))
              .high
          }
          try append(event, batch, scatter)
        }
      }
      try finish(batch, scatter)
    }
  }

  private func append(_ event: PackedEvent, _ batch: EventBatch, _ scatter: Scatter) throws {
    batch.append(event)
    if batch.count >= Self.batchEvents {
      try scatter.append(batch)
      batch.removeAll()
    }
  }

  private func finish(_ batch: EventBatch, _ scatter: Scatter) throws {
    try scatter.append(batch)
    try scatter.flush()
  }

  // MARK: Stored events

  /// An id that may have stored events, and the name of its user.
  private struct Wanted: Sendable {
    var id: UserLinks.ID
    var name: UserLinks.ID
  }

  /// Events under the name of a group stay where they are, unless some event of it has been stored under another id too: then all copies
  /// come together in the new part, where one of them is chosen.
  private func moveStored(_ groups: [[UInt8]], _ joined: JoinedEvents) throws -> Moved {
    let all = groups.map { links.ids(ofGroupOf: $0) }.filter { !$0.isEmpty }
    let others = all.flatMap { ids in ids.dropFirst().map { Wanted(id: $0, name: ids[0]) } }
    var moved = try move(others, joined)
    let names = all.map { Wanted(id: $0[0], name: $0[0]) }.filter { moved.names.contains($0.name.bytes) }
    try moved += move(try withCopies(names, moved), joined)
    return moved
  }

  /// Takes the rows of some ids out of all parts.
  private func move(_ wanted: [Wanted], _ joined: JoinedEvents) throws -> Moved {
    let scatters = Mutex(Moved())
    try forEachShare(of: wanted) { shares in
      let scatter = Scatter(joined.store)
      let batch = EventBatch()
      var found = Moved()
      while let share = shares() {
        for rank in parts.indices { try move(share, rank, batch, scatter, &found) }
      }
      try finish(batch, scatter)
      let moved = found
      scatters.withLock { $0 += moved }
    }
    return scatters.withLock { $0 }
  }

  /// Those names of which a stored event has the id of one that moved to the name.
  private func withCopies(_ names: [Wanted], _ moved: Moved) throws -> [Wanted] {
    let found = Mutex<Set<[UInt8]>>([])
    try forEachShare(of: names) { shares in
      var copied: Set<[UInt8]> = []
      while let share = shares() {
        for part in parts {
          let users = try StoredUsers(part)
          for one in share {
            guard let rows = try users.rows(of: one.id) else { continue }
            try users.forEachEventID(rows, in: .max) { _, id in
              if moved.eventIDs.contains(Moved.key(one.name, id)) { copied.insert(one.name.bytes) }
            }
          }
        }
      }
      let more = copied
      found.withLock { $0.formUnion(more) }
    }
    let copied = found.withLock { $0 }
    return names.filter { copied.contains($0.name.bytes) }
  }

  /// Calls `body` in several threads with what gives the next share of the ids, in the log's order.
  private func forEachShare(
    of wanted: [Wanted], _ body: @escaping @Sendable (_ next: () -> ArraySlice<Wanted>?) throws -> Void
  ) throws {
    if wanted.isEmpty { return }
    let sorted = wanted.sorted { UserLinks.ID.isBefore($0.id, $1.id) }
    let shares = Self.shares(sorted.count, threads: threads)
    let tasks = Workers.Tasks(count: shares.count)
    try Workers.run(threads: min(threads, shares.count)) { _ in
      try body { tasks.claim().map { sorted[shares[$0]] } }
    }
  }

  /// Cuts `count` places into ranges, a few for each thread.
  private static func shares(_ count: Int, threads: Int) -> [Range<Int>] {
    let shares = max(1, min(threads * 4, count / 64))
    return (0..<shares).map { count * $0 / shares..<count * ($0 + 1) / shares }
  }

  /// Takes the rows of some ids out of one part.
  private func move(
    _ wanted: ArraySlice<Wanted>, _ rank: Int, _ batch: EventBatch, _ scatter: Scatter, _ found: inout Moved
  ) throws {
    let part = parts[rank]
    let users = try StoredUsers(part)
    let marks = rank >= firstOfIngest ? ledger.map { CopyMarks($0, part: part.id) } : nil
    let codes = RoundCodes(part, round.dictionary)
    let name = IngestRank.of(part: rank, firstOfIngest: firstOfIngest)
    for one in wanted {
      guard let rows = try users.rows(of: one.id) else { continue }
      try codes.requireKnown(directory)
      let block = users.block
      try block.load(.details)
      try block.load(.eventIDs)
      try marks?.open(block)
      for row in rows where marks?.isReplaced(row) != true {
        let stored = block.event(row)
        guard let kind = EventKind(rawValue: stored.kind) else { throw codes.unknown(directory) }
        let id = block.eventID(row)
        found.eventIDs.insert(Moved.key(one.name, id))
        var event = EventBatch.Identifier(form: .text, high: 0, low: 0)
        if let form = IdentifierForm(rawValue: id.form), form != .text {
          event = EventBatch.Identifier(form: form, high: id.high, low: id.low)
        } else {
          event = batch.identifier(id.text)
        }
        let packed = PackedEvent(
          userHash: one.name.hash, user: batch.identifier(one.name), event: event, time: stored.time, kind: kind,
          context: codes.context(stored), attributes: codes.attributes(stored), rank: name)
        try append(packed, batch, scatter)
      }
      found.entries.append(one.id)
      found.names.insert(one.name.bytes)
      found.counts[part.id, default: .init()].rows += UInt64(rows.count)
      found.counts[part.id, default: .init()].users += 1
    }
  }
}

/// How copies of different origin are told apart: of those that the log had, the one of the older part stays; those of one ingest compete by
/// what they say.
enum IngestRank {
  /// Of events of the ingest.
  static let ofIngest: UInt64 = 0xFFFF

  static func of(part: Int, firstOfIngest: Int) -> UInt64 {
    part >= firstOfIngest ? ofIngest : UInt64(min(part, 0xFFFE))
  }
}

extension EventBatch {
  /// A user's id; one in text goes to the batch's texts.
  func identifier(_ id: UserLinks.ID) -> Identifier { id.bytes.withUnsafeBytes { identifier($0) } }
}

extension StoredUsers {
  /// The rows of a user in `block`; nil if the part has none. Ids are asked for in the log's order.
  func rows(of id: UserLinks.ID) throws -> Range<Int>? {
    let isText = id.form == IdentifierForm.text.rawValue
    return try id.bytes.withUnsafeBytes { bytes in
      let high = isText ? 0 : UserHash.highWord(hash: id.hash, low: id.low)
      let text = isText ? bytes : UnsafeRawBufferPointer(start: nil, count: 0)
      return try rows(of: IdentifierView(form: id.form, high: high, low: id.low, text: text), hash: id.hash)
    }
  }
}

/// The codes of a round for those of a part. Owned by one thread.
private final class RoundCodes {
  private let part: PartReader
  private let dictionary: EventDictionary
  private var contexts: [UInt64: UInt32] = [:]
  private var attributeCodes: [UInt32: UInt32] = [:]

  init(_ part: PartReader, _ dictionary: EventDictionary) {
    self.part = part
    self.dictionary = dictionary
  }

  /// Throws if the part has what this program does not know, and would lose on the way.
  func requireKnown(_ directory: LogDirectory) throws {
    guard part.footer.extensions.isEmpty, part.footer.dictionary.columns.isEmpty else { throw unknown(directory) }
  }

  func unknown(_ directory: LogDirectory) -> LogError {
    LogError(
      .newerFormat,
      "\(directory.file(part.name)): linked ids have events in it, and it has fields or kinds of events that this permlog does not know. Use a newer permlog."
    )
  }

  private func code(_ field: StringField, _ code: UInt32) -> UInt32 {
    let value = part.footer.dictionary.value(field, code)
    return value.isEmpty ? 0 : value.withUnsafeBytes { dictionary.code(field, $0) }
  }

  func context(_ event: StoredEvent) -> UInt32 {
    let key = UInt64(event.context) << 36 | UInt64(event.feature) << 4 ^ UInt64(event.status) << 60
    if let known = contexts[key] { return known }
    let stored = part.footer.dictionary.contexts[Int(event.context)]
    let tuple = ContextTuple(
      permission: code(.permission, stored.permission), variant: code(.variant, stored.variant),
      experiment: code(.experiment, stored.experiment), surface: code(.surface, stored.surface),
      feature: code(.feature, event.feature), status: AuthorizationStatus(rawValue: event.status) ?? .none)
    let made = dictionary.code(tuple)
    contexts[key] = made
    return made
  }

  func attributes(_ event: StoredEvent) -> UInt32 {
    if let known = attributeCodes[event.attributes] { return known }
    let stored = part.footer.dictionary.attributes[Int(event.attributes)]
    let made = dictionary.code(AttributeTuple { code($0, stored[$0]) })
    attributeCodes[event.attributes] = made
    return made
  }
}
