// Writes a round of an ingest as a part: sorts each partition, drops copies, and writes the rest. Partitions in
// order are the order of the log, so groups of them are independent work for the cores.

import PermissionEvents
import Threads

struct ExistingPart: Sendable {
  let reader: PartReader
  /// The notes about copies of its events, if it is of this ingest; nil for a part of the log, which does not change.
  var ledger: CopyLedger?
  /// Its events are the log's: only other readings of their rows replace them.
  var isCommitted = false
  /// Events after this were ahead of the clock as it was written; nil if it was not written by this ingest, or without a clock.
  var now: Milliseconds?
}

struct PartIngest {
  let round: IngestRound
  /// Events under another id than theirs; nil if no ids are linked.
  let joined: JoinedEvents?
  let directory: LogDirectory
  /// The events that are already kept. Copies of events of the log are dropped; an event of this ingest is replaced by
  /// a lesser copy.
  let existing: [ExistingPart]
  /// Records the written events for later rounds; nil without later rounds.
  let ledger: CopyLedger?
  let admission: Admission
  /// Events before this time are late; nil if no event is late.
  let reach: Milliseconds?
  /// Events after this are ahead of the clock; nil if there is no clock.
  let now: Milliseconds?
  /// The counts of earlier rounds of the ingest that no part has. They are kept only with a clock.
  let carried: IngestTally
  /// Whether events of the log are replaced by other readings of their rows.
  let replaces: Bool
  let threads: Int
  /// Knows which events the existing parts may have; nil if they are looked up without it.
  var known: KnownEvents?
  /// The counts that the part gets if its events were stored before, so that none are its own.
  var formerTally: IngestTally??

  /// The least rows of a group of partitions; fewer if a thread would be idle.
  private static let rowsPerGroup = 400_000
  /// Fewer rows than half a block are not worth a thread, nor a block of their own.
  private static let leastRowsPerGroup = PartFormat.rowsPerBlock / 2

  struct Written: Sendable {
    /// Nil if no event was new.
    var part: PartDescription?
    var counts = IngestCounts()
    var contradictions = Contradictions()
    var late = LateTally()
    var users = UserTally()
    /// Events of earlier rounds that were replaced by copies of this one. The counts are as if they had not existed.
    var replaced = ReplacedCounts()
    /// Of this round and those carried along; the part keeps it, if there is one.
    var tally = IngestTally()
    /// Hashes of users who were erased.
    var erasedUsers: Set<UInt64> = []
    /// For the filter of a writer that stays open.
    var keys: [UInt64] = []
  }

  func write(part id: UInt64) throws -> Written {
    try round.close()
    var builder = PartDictionaryBuilder()
    let codes = RoundRecoding(round.dictionary.contents, &builder)
    let dictionary = builder.dictionary
    let recodings = existing.map { builder.find($0.reader.footer.dictionary) }

    let lengths = (0..<PartitionStore.partitionCount).map {
      round.store.length(partition: $0) + (joined?.store.length(partition: $0) ?? 0)
    }
    let total = lengths.reduce(0, +)
    let size = MemoryLayout<PackedEvent>.size
    let share = max(total / max(1, threads), Self.leastRowsPerGroup * size)
    let groups = Self.groups(lengths, target: max(total / 16, min(share, Self.rowsPerGroup * size)))
    let tasks = Workers.Tasks(count: groups.count)
    let writer = try PartWriter(id: id, directory: directory.path, files: directory.files, dictionary: dictionary)
    let sum = Mutex((written: Written(), ahead: 0))
    do {
      try Workers.run(threads: min(threads, groups.count)) { _ in
        let worker = try IngestWorker(self, codes, recodings, writer)
        while let task = tasks.claim() { try worker.encode(groups[task]) }
        let (found, late, ahead, replaced) = (worker.counts, worker.late, worker.ahead, worker.replaced)
        let (contradictions, users, keys) = (worker.contradictions, worker.users, worker.keys)
        let erased = worker.erasedUsers
        sum.withLock {
          $0.written.counts += found
          $0.written.contradictions += contradictions
          $0.written.replaced += replaced
          $0.written.late += late
          $0.written.users += users
          $0.written.keys += keys
          $0.written.erasedUsers.formUnion(erased)
          $0.ahead += ahead
        }
      }
      // Joining ids reads few event ids of a block; this code mostly reads all of them later.
      if joined != nil { for part in existing { try part.reader.checkEventIDs() } }
      var (written, ahead) = sum.withLock { $0 }
      written.tally = carried
      written.tally += IngestTally(written.counts, ahead: ahead)
      written.part = try finish(writer, tally: formerTally ?? (now == nil ? nil : written.tally))
      return written
    } catch {
      writer.abandon()
      throw error
    }
  }

  /// Waits until the part is on disk. What the system has to do to forget the spilled events is done meanwhile.
  private func finish(_ writer: PartWriter, tally: IngestTally?) throws -> PartDescription? {
    let part = Mutex<PartDescription?>(nil)
    try Workers.run(threads: min(threads, 2)) { thread in
      if thread == 0 {
        let written = try writer.finish(tally: tally)
        part.withLock { $0 = written }
      } else {
        round.store.forget()
        joined?.store.forget()
      }
    }
    return part.withLock { $0 }
  }

  /// Ranges of partitions of about `target` bytes each.
  private static func groups(_ lengths: [Int], target: Int) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var start = 0
    var bytes = 0
    for partition in lengths.indices {
      bytes += lengths[partition]
      if bytes >= target || partition == lengths.count - 1 {
        groups.append(start..<partition + 1)
        start = partition + 1
        bytes = 0
      }
    }
    return groups
  }
}

/// For the codes of a round's tuples those in the dictionary of the part to write.
struct RoundRecoding: Sendable {
  struct Recoded: Sendable {
    var context: UInt32
    var feature: UInt32
    var status: UInt8
  }
  var contexts: [Recoded]
  var attributes: [UInt32]

  init(_ contents: EventDictionary.Contents, _ builder: inout PartDictionaryBuilder) {
    let values = builder.codes(ofValues: contents.values)
    func code(_ field: StringField, _ code: UInt32) -> UInt32 { values[field.rawValue][Int(code)] }
    contexts = contents.contexts.map { c in
      let context = PartDictionary.StoredContext(
        permission: code(.permission, c.permission), variant: code(.variant, c.variant),
        experiment: code(.experiment, c.experiment), surface: code(.surface, c.surface))
      return Recoded(context: builder.code(context), feature: code(.feature, c.feature), status: c.status.rawValue)
    }
    attributes = contents.attributes.map { a in builder.code(AttributeTuple { code($0, a[$0]) }) }
  }
}

// MARK: A round of an ingest: the events that one dictionary and one set of partitions take
// An ordinary ingest is one round; a huge one, or one with very many distinct values, is several.

package final class IngestRound: EventSink {
  package let dictionary = EventDictionary()
  let store: PartitionStore
  /// Takes the numbers of all rounds of an ingest.
  private let numbers: NumberCollector
  private let idle = Mutex<Idle>(Idle())
  /// Each once.
  private let foundLinks = Mutex<Set<UserLink>>([])

  private struct Idle: @unchecked Sendable {
    var scatters: [Scatter] = []
    var all: [Scatter] = []
  }

  /// Longest partition, in bytes. A thread sorts one in two and a half times its memory, and the pages are still there:
  /// an ingest on two threads stays within 256 MB for any input, as long as no user has hundreds of thousands of
  /// events. The price is that more than 64 million events make more than one part.
  private static let partitionLimit = 12 << 20

  init(directory: LogDirectory, memory: Int, numbers: NumberCollector) {
    store = PartitionStore(directory: directory, memory: memory)
    self.numbers = numbers
  }

  package func append(_ batch: EventBatch) throws {
    guard !dictionary.isOverfull else {
      throw LogError(.limit, "too many different combinations of values are being read at once", .useFewerThreads)
    }
    if !batch.links.isEmpty {
      let links = batch.links
      foundLinks.withLock { $0.formUnion(links) }
    }
    if !batch.numbers.isEmpty { try numbers.append(batch.numbers, dictionary) }
    guard !batch.events.isEmpty else { return }
    let store = store
    // A scatter is used by one thread at a time: it is out of the list while it is used.
    let scatter = idle.withLock { idle -> UncheckedBox<Scatter> in
      if let scatter = idle.scatters.popLast() { return UncheckedBox(scatter) }
      let scatter = Scatter(store)
      idle.all.append(scatter)
      return UncheckedBox(scatter)
    }
    try scatter.value.append(batch)
    idle.withLock { $0.scatters.append(scatter.value) }
  }

  package var isFull: Bool { store.longestPartition > Self.partitionLimit || dictionary.isFull }

  /// The links in the records, in an order that does not depend on the records' order.
  var links: [UserLink] { foundLinks.withLock { Array($0) }.sorted { UserLink.isBefore($0, $1) } }

  func close() throws {
    let all = idle.withLock { idle in
      defer { idle = Idle() }
      return UncheckedBox(idle.all)
    }
    for scatter in all.value { try scatter.flush() }
    try numbers.endRound()
  }
}

/// Carries a value that is handed from thread to thread, and used by one at a time.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

// MARK: The users of an ingest, and the events that it adds although newer ones have been in the log

/// The users of an ingest: each is counted once in a round.
package struct UserTally: Sendable, Equatable {
  package private(set) var users = 0
  /// Users that the log did not have.
  package private(set) var new = 0
  /// Users with new events from before the newest event of the log.
  package private(set) var late = 0
  /// Users with such events, or with copies.
  package private(set) var overlapping = 0
  /// Users with an id that is a UUID in lower case, in upper case, or anything else.
  package private(set) var lowercaseIDs = 0
  package private(set) var uppercaseIDs = 0

  package init() {}

  @inline(__always)
  mutating func add(form: UInt8, isNew: Bool, isLate: Bool, isCopied: Bool) {
    users += 1
    if isNew { new += 1 }
    if isLate { late += 1 }
    if isLate || isCopied { overlapping += 1 }
    if form == IdentifierForm.lowercaseUUID.rawValue { lowercaseIDs += 1 }
    if form == IdentifierForm.uppercaseUUID.rawValue { uppercaseIDs += 1 }
  }

  static func += (a: inout Self, b: Self) {
    a.users += b.users
    a.new += b.new
    a.late += b.late
    a.overlapping += b.overlapping
    a.lowercaseIDs += b.lowercaseIDs
    a.uppercaseIDs += b.uppercaseIDs
  }
}

struct LateTally: Sendable, Equatable {
  struct Events: Sendable, Equatable {
    var count = 0
    var oldest = Milliseconds.max

    static func += (a: inout Self, b: Self) {
      a.count += b.count
      a.oldest = min(a.oldest, b.oldest)
    }
  }

  var permission = Events()
  /// Use of the app, and installs.
  var activity = Events()

  mutating func add(_ time: Milliseconds, kind: UInt8) {
    let one = Events(count: 1, oldest: time)
    if EventKind(rawValue: kind)?.needsPermission == true { permission += one } else { activity += one }
  }

  /// Adds the events of a part of this ingest before a time.
  mutating func add(_ part: PartReader, before reach: Milliseconds) throws {
    let block = try BlockDecoder(part: part)
    for (i, entry) in part.footer.blocks.enumerated() where entry.minimumTime < reach {
      try block.open(i)
      try block.load(.history)
      for row in 0..<Int(entry.rows) where block.times[row] < reach {
        add(block.times[row], kind: UInt8(truncatingIfNeeded: block.codes[row] & 15))
      }
    }
  }

  static func += (a: inout Self, b: Self) {
    a.permission += b.permission
    a.activity += b.activity
  }

  func changes(at time: Milliseconds, reach: Milliseconds) -> [PastChange] {
    [(PastChange.Kind.latePermission, permission), (.lateActivity, activity)].filter { $0.1.count > 0 }.map {
      PastChange(kind: $0, first: time, last: time, reach: reach, oldest: $1.oldest, count: $1.count)
    }
  }
}
