// Exact removal of copies among one user's new events and against that user's stored events. An event is
// the same where user and event id are the same, whatever else differs; the first committed wins, and
// within an ingest the first in the input.

import PermissionEvents

/// What an ingest found out about its events.
public struct IngestCounts: Sendable, Equatable {
  /// Events that the log did not have.
  public var new = 0
  /// Copies of events that it had, or that came earlier in the input.
  public var duplicates = 0
  /// Duplicates that differ from the event that was kept.
  public var conflicts = 0
  /// Events of users that were erased: left out.
  public var erased = 0
  /// Events before the time up to which the log was expired: left out.
  public var expired = 0

  public init() {}

  public static func += (a: inout Self, b: Self) {
    a.new += b.new
    a.duplicates += b.duplicates
    a.conflicts += b.conflicts
    a.erased += b.erased
    a.expired += b.expired
  }
}

/// Marks the copies among a user's events. Owned by one thread and reused.
final class UserDeduplication {
  private let table = GrowingBuffer<UInt32>()
  @exclusivity(unchecked) private var mask = 0
  /// For each new event the next one with its id, plus one; 0 behind the last.
  private let chain = GrowingBuffer<UInt32>()
  let dropped = GrowingBuffer<Bool>()
  @exclusivity(unchecked) private var hasCopies = false
  /// The `filterBit`s of the events' ids.
  @exclusivity(unchecked) private(set) var filter: UInt64 = 0

  /// Enters the events `first ..< end` of a sorted partition.
  func begin(_ partition: SortedPartition, _ first: Int, _ end: Int) {
    let count = end - first
    dropped.reserve(count)
    dropped.pointer.update(repeating: false, count: count)
    hasCopies = false
    chain.reserve(count)
    chain.pointer.update(repeating: 0, count: count)
    var capacity = 4
    while capacity < 2 * count { capacity *= 2 }
    mask = capacity - 1
    table.reserve(capacity)
    table.pointer.update(repeating: 0, count: capacity)
    let (table, mask, events) = (table.pointer, mask, partition.events + first)
    var filter: UInt64 = 0
    for i in 0..<count {
      let hash = Self.hash(events[i], partition)
      filter |= IdentifierView.filterBit(hash)
      var slot = Self.slot(hash, mask)
      while table[slot] != 0 {
        if Self.isSame(events[Int(table[slot]) - 1], events[i], partition) {
          chain.pointer[i] = table[slot]
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

  /// True where two events have one id.
  @inline(__always)
  private static func isSame(_ a: PackedEvent, _ b: PackedEvent, _ partition: SortedPartition) -> Bool {
    if a.eventForm != b.eventForm { return false }
    if a.eventForm != 0 { return a.eventHigh == b.eventHigh && a.eventLow == b.eventLow }
    return partition.eventID(a) == partition.eventID(b)
  }

  /// The first of the new events that have the id of a stored one, plus one; 0 where none has it.
  func find(_ stored: IdentifierView, _ partition: SortedPartition, _ first: Int) -> UInt32 {
    var slot = Self.slot(stored.hash, mask)
    while table.pointer[slot] != 0 {
      let head = Int(table.pointer[slot]) - 1
      if partition.eventID(partition.events[first + head]) == stored { return table.pointer[slot] }
      slot = (slot + 1) & mask
    }
    return 0
  }

  /// Drops the new events from one on that have its id. `isEqual` tells whether new event i says the same as the stored.
  /// - Parameter head: what `find` returned.
  func drop(_ head: UInt32, _ first: Int, counts: inout IngestCounts, isEqual: (Int) -> Bool) {
    var next = head
    while next != 0 {
      let i = Int(next) - 1
      if !dropped.pointer[i] {
        dropped.pointer[i] = true
        counts.duplicates += 1
        if !isEqual(first + i) { counts.conflicts += 1 }
      }
      next = chain.pointer[i]
    }
  }

  /// Drops all but the first in the input of those new events that have one id.
  func dropCopies(
    _ partition: SortedPartition, _ first: Int, _ end: Int, counts: inout IngestCounts,
    isEqual: (Int, Int) -> Bool
  ) {
    guard hasCopies else { return }
    for slot in 0...mask where table.pointer[slot] != 0 {
      let head = Int(table.pointer[slot]) - 1
      guard chain.pointer[head] != 0, !dropped.pointer[head] else { continue }
      var winner = head
      var next = chain.pointer[head]
      while next != 0 {
        let i = Int(next) - 1
        if partition.events[first + i].sequence < partition.events[first + winner].sequence { winner = i }
        next = chain.pointer[i]
      }
      next = table.pointer[slot]
      while next != 0 {
        let i = Int(next) - 1
        if i != winner {
          dropped.pointer[i] = true
          counts.duplicates += 1
          if !isEqual(first + i, first + winner) { counts.conflicts += 1 }
        }
        next = chain.pointer[i]
      }
    }
  }
}
