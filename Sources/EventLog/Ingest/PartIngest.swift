// Writes a round of an ingest as a part: sorts each partition, drops copies, and writes the rest. Partitions in
// order are the order of the log, so groups of them are independent work for the cores.

import PermissionEvents
import Threads

/// A part whose events an ingest has already.
struct ExistingPart: Sendable {
  let reader: PartReader
  /// What is noted of copies of its events, if it is of this ingest; nil for a part of the log, which stays as it is.
  var ledger: CopyLedger?
  /// Its events are the log's: they give way only to other readings of their rows.
  var isCommitted = false
  /// Events after this were ahead of the clock as it was written; nil if it was not written by this ingest, or without a clock.
  var now: Milliseconds?
}

struct PartIngest {
  let round: IngestRound
  /// Events under another id than theirs; nil if no ids are linked.
  let joined: JoinedEvents?
  let directory: LogDirectory
  /// What is already kept. Copies of events of the log are dropped; an event of this ingest gives way to a lesser copy.
  let existing: [ExistingPart]
  /// Takes notes of the events that are written, for later rounds; nil if there are none.
  let ledger: CopyLedger?
  let admission: Admission
  /// Events before this are late; nil if none is.
  let reach: Milliseconds?
  /// Events after this are ahead of the clock; nil if there is no clock.
  let now: Milliseconds?
  /// What earlier rounds of the ingest found out and no part of theirs keeps. It is kept only if there is a clock.
  let carried: IngestTally
  /// Events of the log give way to other readings of their rows.
  let replaces: Bool
  let threads: Int

  /// Rows of a group of partitions at least; fewer if some thread would have nothing to do.
  private static let rowsPerGroup = 400_000
  /// Fewer rows than half a block are not worth a thread, nor a block of their own.
  private static let leastRowsPerGroup = PartFormat.rowsPerBlock / 2

  struct Written: Sendable {
    /// Nil if no event was new.
    var part: PartDescription?
    var counts = IngestCounts()
    var contradictions = Contradictions()
    var late = LateTally()
    /// Events of earlier rounds that gave way to copies of this one. The counts are as if they had not been there.
    var replaced = ReplacedCounts()
    /// Of this round and those carried along; the part keeps it, if there is one.
    var tally = IngestTally()
  }

  /// Writes the part.
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
        let worker = try IngestWorker(
          store: round.store, joined: joined, replaces: replaces, codes: codes, existing: existing,
          recodings: recodings, ledger: ledger,
          admission: admission, reach: reach, now: now, writer: writer)
        while let task = tasks.claim() { try worker.encode(groups[task]) }
        let (found, late, ahead, replaced) = (worker.counts, worker.late, worker.ahead, worker.replaced)
        let contradictions = worker.contradictions
        sum.withLock {
          $0.written.counts += found
          $0.written.contradictions += contradictions
          $0.written.replaced += replaced
          $0.written.late += late
          $0.ahead += ahead
        }
      }
      // Joining ids reads few event ids of a block; this has mostly looked at all of them meanwhile.
      if joined != nil { for part in existing { try part.reader.checkEventIDs() } }
      var (written, ahead) = sum.withLock { $0 }
      written.tally = carried
      written.tally += IngestTally(written.counts, ahead: ahead)
      written.part = try finish(writer, tally: now == nil ? nil : written.tally)
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
