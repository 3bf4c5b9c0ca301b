// Events that an ingest writes under a different id than their own: events of its input with a user who has another
// name, and events of older parts with a user who was joined with another. They go into separate partitions beside
// those of the input.

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

/// Finds the events to join, and hides the events of older parts.
struct EventJoining {
  let directory: LogDirectory
  let round: IngestRound
  let links: UserLinks
  /// Parts that have the events, in the order in which they were made.
  let parts: [PartReader]
  /// Parts from this index are of this ingest: of two copies the lesser stays, as in the input.
  let firstOfIngest: Int
  /// Rows of this ingest's parts that were replaced.
  let ledger: CopyLedger?
  let threads: Int

  /// Bytes of pages that are kept in memory.
  private static let memory = 32 << 20
  private static let batchEvents = 4096

  struct Moved: Sendable {
    /// Ids of users whose events were found, with the parts that have them.
    var entries: [UserLinks.ID] = []
    var counts: [UInt64: HiddenUsers.Count] = [:]
    /// Names of the users that the events belong to.
    var names: Set<[UInt8]> = []
    /// `key` of each event that moved.
    var eventIDs: [UInt64] = []
    /// The positions of the events that stay, so far.
    var staying: [Occurrence] = []

    /// Of a user's name and an event's id. Two may have one: then an event is moved that need not be.
    static func key(_ name: UserLinks.ID, _ event: IdentifierView) -> UInt64 { name.hash ^ event.hash }

    static func += (a: inout Self, b: Self) {
      a.entries += b.entries
      a.counts.merge(b.counts) { .init(rows: $0.rows + $1.rows, users: $0.users + $1.users) }
      a.names.formUnion(b.names)
      a.eventIDs += b.eventIDs
      a.staying += b.staying
    }
  }

  /// Collects the events of a round with users who have other names, and the stored events of some groups.
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
    /// Its events do not move, but it is noted where they are.
    var stays = false
  }

  /// The rows of a part under the name of a user.
  struct Occurrence: Sendable {
    var name: UserLinks.ID
    /// Of the part.
    var rank: Int
    var block: Int
    var rows: Range<Int>
  }

  /// Events under the name of a group stay where they are, unless some event of it has been stored under another id too: then all copies
  /// come together in the new part, where one of them is chosen.
  private func moveStored(_ groups: [[UInt8]], _ joined: JoinedEvents) throws -> Moved {
    let wanted = groups.flatMap { group in
      let ids = links.ids(ofGroupOf: group)
      return ids.indices.map { Wanted(id: ids[$0], name: ids[0], stays: $0 == 0) }
    }
    var moved = try move(wanted, joined)
    try moved += move(try namesWithCopies(moved).map { Wanted(id: $0, name: $0) }, joined)
    return moved
  }

  /// Takes the rows of some ids out of all parts.
  private func move(_ wanted: [Wanted], _ joined: JoinedEvents) throws -> Moved {
    let scatters = Mutex(Moved())
    try forEachShare(of: wanted.sorted { UserLinks.ID.isBefore($0.id, $1.id) }) { shares in
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

  /// The names under which an event is stored that has the id of one that moved to the name.
  private func namesWithCopies(_ moved: Moved) throws -> [UserLinks.ID] {
    let places = moved.staying.filter { moved.names.contains($0.name.bytes) }
      .sorted { ($0.rank, $0.block, $0.rows.lowerBound) < ($1.rank, $1.block, $1.rows.lowerBound) }
    if places.isEmpty { return [] }
    let eventIDs = moved.eventIDs.sorted()
    let found = Mutex<[[UInt8]: UserLinks.ID]>([:])
    try forEachShare(of: places) { shares in
      while let share = shares() {
        var block: BlockDecoder?
        for place in share {
          let part = parts[place.rank]
          let decoder = try block.flatMap { $0.part === part ? $0 : nil } ?? BlockDecoder(part: part)
          if decoder.index != place.block { try decoder.open(place.block) }
          block = decoder
          try decoder.forEachEventID(place.rows, in: .all, unchecked: true) { _, id in
            let key = Moved.key(place.name, id)
            let i = eventIDs.firstPlace { $0 >= key }
            guard i < eventIDs.count, eventIDs[i] == key else { return }
            found.withLock { $0[place.name.bytes] = place.name }
          }
        }
      }
    }
    return found.withLock { Array($0.values) }
  }

  /// Calls `body` in several threads with what gives the next share of the elements.
  private func forEachShare<Element: Sendable>(
    of all: [Element], _ body: @escaping @Sendable (_ next: () -> ArraySlice<Element>?) throws -> Void
  ) throws {
    if all.isEmpty { return }
    let shares = Self.shares(all.count, threads: threads)
    let tasks = Workers.Tasks(count: shares.count)
    try Workers.run(threads: min(threads, shares.count)) { _ in
      try body { tasks.claim().map { all[shares[$0]] } }
    }
  }

  private static func shares(_ count: Int, threads: Int) -> [Range<Int>] {
    let shares = max(1, min(threads * 2, count / 64))
    return (0..<shares).map { count * $0 / shares..<count * ($0 + 1) / shares }
  }

  private func move(
    _ wanted: ArraySlice<Wanted>, _ rank: Int, _ batch: EventBatch, _ scatter: Scatter, _ found: inout Moved
  ) throws {
    let part = parts[rank]
    let users = try StoredUsers(part)
    let marks = rank >= firstOfIngest ? ledger.map { CopyMarks($0, part: part.id) } : nil
    let codes = RoundCodes(part, round.dictionary)
    let origin = IngestRank.of(part: rank, firstOfIngest: firstOfIngest)
    for one in wanted {
      guard let rows = try users.rows(of: one.id) else { continue }
      let block = users.block
      if one.stays {
        found.staying.append(Occurrence(name: one.name, rank: rank, block: block.index, rows: rows))
        continue
      }
      try codes.requireKnown(directory)
      try users.loadEvents()
      try marks?.open(block)
      var user: EventBatch.Identifier?
      try block.forEachEventID(rows, in: .all, unchecked: true) { row, id in
        guard marks?.isReplaced(row) != true else { return }
        let stored = block.event(row, id)
        guard let kind = EventKind(rawValue: stored.kind) else { throw codes.unknown(directory) }
        found.eventIDs.append(Moved.key(one.name, id))
        var event = EventBatch.Identifier(form: .text, high: 0, low: 0)
        if let form = IdentifierForm(rawValue: id.form), form != .text {
          event = EventBatch.Identifier(form: form, high: id.high, low: id.low)
        } else {
          event = batch.identifier(id.text)
        }
        // An empty batch has no texts.
        let name = user.flatMap { batch.count > 0 ? $0 : nil } ?? batch.identifier(one.name)
        user = name
        let packed = PackedEvent(
          userHash: one.name.hash, user: name, event: event, time: stored.time, kind: kind,
          context: codes.context(stored), attributes: codes.attributes(stored), rank: origin)
        try append(packed, batch, scatter)
      }
      found.entries.append(one.id)
      found.names.insert(one.name.bytes)
      found.counts[part.id, default: .init()].rows += UInt64(rows.count)
      found.counts[part.id, default: .init()].users += 1
    }
  }
}

/// The rank of copies of different origin. Of stored copies the one of the older part stays; copies of one ingest are
/// compared by content.
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
  /// The rows of a user in `block`; nil if the part has no rows of the user. Ids are asked for in the log's order.
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
final class RoundCodes {
  private let part: PartReader
  private let dictionary: EventDictionary
  private var contexts = MadeCodes<UInt64>()
  private var attributeCodes = MadeCodes<UInt32>()

  init(_ part: PartReader, _ dictionary: EventDictionary) {
    self.part = part
    self.dictionary = dictionary
  }

  /// Throws if the part has fields or kinds that this program does not know and would lose.
  func requireKnown(_ directory: LogDirectory) throws {
    let dictionary = part.footer.dictionary
    guard part.footer.extensions.isEmpty, dictionary.columns.isEmpty, LogVocabulary([dictionary]).kinds.isEmpty else {
      throw unknown(directory)
    }
  }

  func unknown(_ directory: LogDirectory) -> LogError {
    LogError(
      .newerFormat,
      "\(directory.file(part.name)): its events have to be written under other ids, but it has fields or kinds of "
        + "events that this permlog does not know. Use a newer permlog."
    )
  }

  private func code(_ field: StringField, _ code: UInt32) -> UInt32 {
    let value = part.footer.dictionary.value(field, code)
    return value.isEmpty ? 0 : value.withUnsafeBytes { dictionary.code(field, $0) }
  }

  func context(_ event: StoredEvent) -> UInt32 {
    contexts.code(UInt64(event.context) << 36 | UInt64(event.feature) << 4 ^ UInt64(event.status) << 60) {
      let stored = part.footer.dictionary.contexts[Int(event.context)]
      return dictionary.code(
        ContextTuple(
          permission: code(.permission, stored.permission), variant: code(.variant, stored.variant),
          experiment: code(.experiment, stored.experiment), surface: code(.surface, stored.surface),
          feature: code(.feature, event.feature), status: AuthorizationStatus(rawValue: event.status) ?? .none))
    }
  }

  func attributes(_ event: StoredEvent) -> UInt32 {
    attributeCodes.code(event.attributes) {
      let stored = part.footer.dictionary.attributes[Int(event.attributes)]
      return dictionary.code(AttributeTuple { code($0, stored[$0]) })
    }
  }
}

/// Codes that are made once each. The last requested code is mostly the next.
private struct MadeCodes<Key: Hashable> {
  private var codes: [Key: UInt32] = [:]
  private var last: (key: Key, code: UInt32)?

  mutating func code(_ key: Key, make: () -> UInt32) -> UInt32 {
    if let last, last.key == key { return last.code }
    let known = codes[key]
    let code = known ?? make()
    if known == nil { codes[key] = code }
    last = (key, code)
    return code
  }
}
