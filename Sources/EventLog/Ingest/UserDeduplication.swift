// Exact removal of copies among one user's new events and against that user's stored events. An event is the same if
// user and event id are the same, even if the rest differs; the first committed wins, and within an ingest the least,
// so that the order of the input changes nothing.

import Buffers
import PermissionEvents
import Threads

/// Marks the copies among a user's events. Owned by one thread and reused.
final class UserDeduplication {
  // Unchecked: one thread owns them, and an access lasts no longer than a call.
  @exclusivity(unchecked) private var table = Buffer<UInt32>()
  @exclusivity(unchecked) private var mask = 0
  /// For each new event the next one with its id, plus one; 0 after the last.
  @exclusivity(unchecked) private var chain = Buffer<UInt32>()
  @exclusivity(unchecked) private(set) var dropped = Buffer<Bool>()
  @exclusivity(unchecked) private var hasCopies = false
  /// The events, of which copies are marked.
  @exclusivity(unchecked) private var events: UnsafeMutablePointer<PackedEvent>?
  /// The kept events with equal copies: their number among the new ones, and how many copies were dropped.
  @exclusivity(unchecked) private(set) var repeated = Buffer<Repeated>()
  private let hash: IdentifierHash
  /// The events' ids.
  @exclusivity(unchecked) private(set) var filter: IdentifierFilter

  struct Repeated: BitwiseCopyable {
    var event: Int
    var copies: Int
  }

  init() {
    hash = IdentifierHash()
    filter = IdentifierFilter(hash)
  }

  /// Enters the events `first ..< end` of a sorted partition.
  func begin(_ partition: SortedPartition, _ first: Int, _ end: Int) {
    let count = end - first
    dropped.removeAll()
    dropped.extend(to: count, repeating: false)
    hasCopies = false
    repeated.removeAll()
    chain.removeAll()
    chain.extend(to: count, repeating: 0)
    var capacity = 4
    while capacity < 2 * count { capacity *= 2 }
    mask = capacity - 1
    table.removeAll()
    table.extend(to: capacity, repeating: 0)
    let (table, mask, events) = (table.unsafeAddress, mask, partition.events + first)
    self.events = events
    var filter = IdentifierFilter(hash)
    for i in 0..<count {
      let hash = hash(events[i], partition)
      filter.insert(hash)
      var slot = Self.slot(hash, mask)
      while table[slot] != 0 {
        if Self.isSame(events[Int(table[slot]) - 1], events[i], partition) {
          chain[i] = table[slot]
          hasCopies = true
          break
        }
        slot = (slot + 1) & mask
      }
      table[slot] = UInt32(truncatingIfNeeded: i + 1)
    }
    self.filter = filter
  }

  @inline(__always)
  private static func slot(_ hash: UInt64, _ mask: Int) -> Int { Int(truncatingIfNeeded: hash >> 20) & mask }

  @inline(__always)
  private func hash(_ event: PackedEvent, _ partition: SortedPartition) -> UInt64 {
    event.eventForm == 0 ? hash(partition.eventID(event).text) : hash(high: event.eventHigh, low: event.eventLow)
  }

  @inline(__always)
  private static func isSame(_ a: PackedEvent, _ b: PackedEvent, _ partition: SortedPartition) -> Bool {
    if a.eventForm != b.eventForm { return false }
    if a.eventForm != 0 { return a.eventHigh == b.eventHigh && a.eventLow == b.eventLow }
    return partition.eventID(a) == partition.eventID(b)
  }

  /// The first of the new events that have the id of a stored one, plus one; 0 if none has it.
  func find(_ stored: IdentifierView, _ partition: SortedPartition, _ first: Int) -> UInt32 {
    var slot = Self.slot(hash(stored), mask)
    while table[slot] != 0 {
      let head = Int(table[slot]) - 1
      if partition.eventID(partition.events[first + head]) == stored { return table[slot] }
      slot = (slot + 1) & mask
    }
    return 0
  }

  /// Drops the new events with its id, from a given one on. `isEqual` tells whether new event i equals the stored one.
  /// - Parameter head: what `find` returned.
  func drop(_ head: UInt32, _ first: Int, counts: inout IngestCounts, isEqual: (Int) -> Bool) {
    forEachCopy(head) { i in if !dropped[i] { drop(i, counts: &counts, isConflict: !isEqual(first + i)) } }
  }

  /// The least of the new events from one on that have its id.
  /// - Parameter isLess: whether one of two copies is the lesser; false for equal ones.
  func least(_ head: UInt32, isLess: (Int, Int) -> Bool) -> Int {
    var least = Int(head) - 1
    forEachCopy(head) { i in if isLess(i, least) { least = i } }
    return least
  }

  /// Drops all but the least of those new events that have one id.
  func dropCopies(counts: inout IngestCounts, isLess: (Int, Int) -> Bool, isEqual: (Int, Int) -> Bool) {
    guard hasCopies else { return }
    for slot in 0...mask where table[slot] != 0 {
      let head = Int(table[slot]) - 1
      guard chain[head] != 0, !dropped[head] else { continue }
      let winner = least(table[slot], isLess: isLess)
      var equal = 0
      forEachCopy(table[slot]) { i in
        guard i != winner else { return }
        if wasStored(i), !wasStored(winner), let events { counts.countReplaced(by: events[winner]) }
        let isConflict = !isEqual(i, winner)
        if !isConflict { equal += 1 }
        drop(i, counts: &counts, isConflict: isConflict)
      }
      if equal > 0 { repeated.append(Repeated(event: winner, copies: equal)) }
    }
  }

  @inline(__always)
  private func wasStored(_ i: Int) -> Bool { events?[i].storedRank != nil }

  /// Marks an event that must not be written and is not a copy.
  func leaveOut(_ i: Int) { dropped[i] = true }

  /// Drops the latest of the events that are kept so far, so that at most a number stay. Stored events stay.
  /// - Returns: how many it dropped.
  func keep(atMost most: Int) -> Int {
    guard dropped.count > most else { return 0 }
    var kept = 0
    for i in 0..<dropped.count where !dropped[i] && wasStored(i) { kept += 1 }
    var surplus = 0
    for i in 0..<dropped.count where !dropped[i] && !wasStored(i) {
      if kept < most {
        kept += 1
      } else {
        dropped[i] = true
        surplus += 1
      }
    }
    return surplus
  }

  /// Calls `body` with the new events from one on that have its id.
  private func forEachCopy(_ head: UInt32, _ body: (Int) -> Void) {
    var next = head
    while next != 0 {
      body(Int(next) - 1)
      next = chain[Int(next) - 1]
    }
  }

  private func drop(_ i: Int, counts: inout IngestCounts, isConflict: Bool) {
    dropped[i] = true
    if wasStored(i) {
      counts.joinedCopies += 1
      if isConflict { counts.joinedConflicts += 1 }
      return
    }
    // A record that is not an event was not counted as one.
    if events?[i].kindCode == PackedEvent.noEvent { return }
    counts.duplicates += 1
    if isConflict { counts.conflicts += 1 }
  }
}

// MARK: The notes of an ingest of several rounds about its written events: how many equal copies of each it has
// dropped, and which were replaced by a lesser copy later. So the least copy stays, and the counts are the same,
// wherever the rounds end. The notes are in a file without a name, because they are as long as the parts. Most ingests
// have one round and no notes.

/// A word for each row of this ingest's parts; a row that nothing was noted of has 0. Safe to use from several threads.
final class CopyLedger: Sendable {
  private struct Block: Hashable {
    var part: UInt64
    var number: UInt32
  }

  private struct State {
    /// Where the words of a block's rows begin, in bytes.
    var places: [Block: Int] = [:]
    var end = 0
    var file: OpenFile?
    /// By part, of rows that were replaced.
    var replaced: [UInt64: Int] = [:]
  }

  private let state = Mutex(State())
  private let directory: LogDirectory

  init(_ directory: LogDirectory) { self.directory = directory }

  func replaced(part: UInt64) -> Int { state.withLock { $0.replaced[part] ?? 0 } }

  var hasReplaced: Bool { state.withLock { !$0.replaced.isEmpty } }

  func addReplaced(_ count: Int, part: UInt64) {
    guard count > 0 else { return }
    state.withLock { $0.replaced[part, default: 0] += count }
  }

  /// Reads the words of a block's rows.
  /// - Parameter words: as many as the block has rows.
  func read(part: UInt64, block: UInt32, into words: inout Buffer<UInt64>) throws {
    let (offset, file) = state.withLock { ($0.places[Block(part: part, number: block)], $0.file) }
    let bytes = UnsafeMutableRawBufferPointer(
      UnsafeMutableBufferPointer(start: words.unsafeAddress, count: words.count))
    var known = 0
    if let offset, let file { known = try file.read(into: bytes, at: offset) }
    // Bytes after the end of the file were never written.
    for i in known..<bytes.count { bytes[i] = 0 }
  }

  /// Writes the words of some of a block's rows. Two threads may write to one block if their rows differ.
  /// - Parameters:
  ///   - words: of all of the block's rows.
  ///   - rows: those to write.
  func write(_ words: borrowing Buffer<UInt64>, rows: Range<Int>, part: UInt64, block: UInt32) throws {
    let size = MemoryLayout<UInt64>.size
    let count = words.count
    let (offset, file) = try state.withLock { state in
      let file =
        try state.file ?? OpenFile(directory.file(LogDirectory.spillPrefix + "copies"), .scratch, directory.files)
      state.file = file
      let key = Block(part: part, number: block)
      let offset = state.places[key] ?? state.end
      if state.places.updateValue(offset, forKey: key) == nil { state.end += count * size }
      return (offset, file)
    }
    let bytes = UnsafeRawBufferPointer(start: words.unsafeAddress + rows.lowerBound, count: rows.count * size)
    try file.write(bytes, at: offset + rows.lowerBound * size)
  }
}

/// The notes of one thread about one part's rows. Other threads have its rows only in other groups of partitions, so that each
/// writes its own.
final class CopyMarks {
  let ledger: CopyLedger
  private let part: UInt64
  private var block: UInt32?
  // Unchecked: one thread owns them, and an access lasts no longer than a call.
  /// For each row twice the number of its dropped equal copies, plus one if it was replaced.
  @exclusivity(unchecked) private var words = Buffer<UInt64>()
  /// Rows that were changed since the last `flush`, and maybe others between them.
  private var changed = 0..<0
  private var replaced = 0

  init(_ ledger: CopyLedger, part: UInt64) {
    self.ledger = ledger
    self.part = part
  }

  /// Takes up the block that a decoder is at; rows are its rows from here on.
  func open(_ decoder: BlockDecoder) throws {
    try open(decoder.entry.number, rows: Int(decoder.entry.rows)) {
      try ledger.read(part: part, block: $0, into: &words)
    }
  }

  /// Takes up a block that was just written, and of which nothing is noted.
  func begin(block number: UInt32, rows: Int) throws {
    try open(number, rows: rows) { _ in for row in 0..<rows { words[row] = 0 } }
  }

  private func open(_ number: UInt32, rows: Int, _ load: (UInt32) throws -> Void) throws {
    guard block != number else { return }
    try flush()
    block = nil
    words.resizeDiscarding(to: rows)
    try load(number)
    block = number
  }

  /// Gives the block's memory back, as `StoredUsers.forget` does; the block can be opened again.
  func forget() throws {
    try flush()
    block = nil
    words = Buffer()
  }

  /// Whether a lesser copy came later.
  func isReplaced(_ row: Int) -> Bool { words[row] & 1 != 0 }

  func copies(_ row: Int) -> Int { Int(truncatingIfNeeded: words[row] >> 1) }

  func countReplaced(_ rows: Range<Int>) -> Int { rows.count { isReplaced($0) } }

  func add(copies: Int, _ row: Int) {
    guard copies > 0 else { return }
    words[row] &+= UInt64(copies) << 1
    change(row)
  }

  func replace(_ row: Int) {
    words[row] |= 1
    replaced += 1
    change(row)
  }

  private func change(_ row: Int) {
    changed = changed.isEmpty ? row..<row + 1 : min(changed.lowerBound, row)..<max(changed.upperBound, row + 1)
  }

  func flush() throws {
    ledger.addReplaced(replaced, part: part)
    replaced = 0
    guard let block, !changed.isEmpty else { return }
    try ledger.write(words, rows: changed, part: part, block: block)
    changed = 0..<0
  }
}
