// Exact removal of copies among one user's new events and against that user's stored events. An event is
// the same if user and event id are the same, whatever else differs; the first committed wins, and
// within an ingest the least, so that the order of the input changes nothing.

import Buffers
import PermissionEvents

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
  /// Of events that are kept, those that had equal copies: their number among the new ones, and how many were dropped.
  @exclusivity(unchecked) private(set) var repeated = Buffer<Repeated>()
  /// The `filterBit`s of the events' ids.
  @exclusivity(unchecked) private(set) var filter: UInt64 = 0

  struct Repeated: BitwiseCopyable {
    var event: Int
    var copies: Int
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
    var filter: UInt64 = 0
    for i in 0..<count {
      let hash = Self.hash(events[i], partition)
      filter |= IdentifierView.filterBit(hash)
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

  /// `IdentifierView.hash` of an event's id.
  @inline(__always)
  private static func hash(_ event: PackedEvent, _ partition: SortedPartition) -> UInt64 {
    event.eventForm == 0
      ? partition.eventID(event).hash : IdentifierView.hash(high: event.eventHigh, low: event.eventLow)
  }

  /// True if two events have one id.
  @inline(__always)
  private static func isSame(_ a: PackedEvent, _ b: PackedEvent, _ partition: SortedPartition) -> Bool {
    if a.eventForm != b.eventForm { return false }
    if a.eventForm != 0 { return a.eventHigh == b.eventHigh && a.eventLow == b.eventLow }
    return partition.eventID(a) == partition.eventID(b)
  }

  /// The first of the new events that have the id of a stored one, plus one; 0 if none has it.
  func find(_ stored: IdentifierView, _ partition: SortedPartition, _ first: Int) -> UInt32 {
    var slot = Self.slot(stored.hash, mask)
    while table[slot] != 0 {
      let head = Int(table[slot]) - 1
      if partition.eventID(partition.events[first + head]) == stored { return table[slot] }
      slot = (slot + 1) & mask
    }
    return 0
  }

  /// Drops the new events from one on that have its id. `isEqual` tells whether new event i says the same as the stored.
  /// - Parameter head: what `find` returned.
  func drop(_ head: UInt32, _ first: Int, counts: inout IngestCounts, isEqual: (Int) -> Bool) {
    forEachCopy(head) { i in if !dropped[i] { drop(i, counts: &counts, isConflict: !isEqual(first + i)) } }
  }

  /// The least of the new events from one on that have its id.
  /// - Parameter isLess: whether one of two copies is the lesser; of equal ones none is.
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

  /// Whether an event was in the log before.
  @inline(__always)
  private func wasStored(_ i: Int) -> Bool { events?[i].storedRank != nil }

  /// Marks an event that is not to be written and is no copy.
  func leaveOut(_ i: Int) { dropped[i] = true }

  /// Drops the latest of the events that are kept so far, so that no more than a number stay. What the log had stays.
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
    // What is no event was not counted as one either.
    if events?[i].kindCode == PackedEvent.noEvent { return }
    counts.duplicates += 1
    if isConflict { counts.conflicts += 1 }
  }
}
