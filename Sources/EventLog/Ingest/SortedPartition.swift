// The events of one partition in the log's order: bucketed by the next bits of the hash, then sorted
// inside each bucket, which rarely holds more than one user.

import Buffers
import PermissionEvents

/// Sorts partitions; owned by one thread and reused.
final class SortedPartition {
  // Unchecked: one thread owns the partition, and an access lasts no longer than a call.
  @exclusivity(unchecked) private var bytes = Buffer<UInt8>()
  @exclusivity(unchecked) private var unsorted = Buffer<PackedEvent>()
  @exclusivity(unchecked) private var sorted = Buffer<PackedEvent>()
  @exclusivity(unchecked) private var bucketEnds = Buffer<UInt32>()

  var count: Int { sorted.count }
  var events: UnsafeMutablePointer<PackedEvent> { sorted.unsafeAddress }

  /// Takes a partition out of a store and sorts it by user, time, kind, event id.
  /// - Parameter joined: events that belong to this partition under a different id than their own. Events of the store
  ///   with such an id are left out, because they are among these.
  func load(_ store: PartitionStore, partition: Int, joined: JoinedEvents? = nil) throws {
    let hasTexts = store.hasTexts(partition: partition)
    bytes.removeAll()
    try store.drain(partition: partition, into: &bytes)
    if hasTexts || joined != nil {
      let ofStore = bytes.count
      try joined?.store.drain(partition: partition, into: &bytes)
      unpack(ofStore, joined?.links)
      bucket(UnsafePointer(unsorted.unsafeAddress), unsorted.count)
    } else {
      let count = bytes.count / MemoryLayout<PackedEvent>.size
      UnsafeRawPointer(bytes.unsafeAddress).withMemoryRebound(to: PackedEvent.self, capacity: count) {
        bucket($0, count)
      }
    }
  }

  /// Splits records of different lengths.
  /// - Parameters:
  ///   - ofStore: the bytes before the joined events.
  ///   - links: decide which of the store's events are among these.
  private func unpack(_ ofStore: Int, _ links: UserLinks?) {
    unsorted.removeAll()
    unsorted.reserve(bytes.count / MemoryLayout<PackedEvent>.size)
    let records = UnsafeRawBufferPointer(start: bytes.unsafeAddress, count: bytes.count)
    Self.forEachRecord(UnsafeRawBufferPointer(rebasing: records.prefix(ofStore))) { event in
      if links?.name(of: event, in: records) == nil { unsorted.append(event) }
    }
    Self.forEachRecord(records, from: ofStore) { unsorted.append($0) }
  }

  /// Calls `body` with each record; the words of text ids are their ranges in the bytes.
  static func forEachRecord(
    _ records: UnsafeRawBufferPointer, from start: Int = 0, _ body: (PackedEvent) throws -> Void
  ) rethrows {
    let size = MemoryLayout<PackedEvent>.size
    var position = start
    while position < records.count {
      var event = records.loadUnaligned(fromByteOffset: position, as: PackedEvent.self)
      position += size
      func takeText() -> UInt64 {
        let length = Int(records.loadUnaligned(fromByteOffset: position, as: UInt16.self))
        defer { position += 2 + length }
        return TextRange(offset: position + 2, count: length).word
      }
      if event.userForm == 0 { event.userWord = takeText() }
      if event.eventForm == 0 { event.eventHigh = takeText() }
      position = (position + 7) & ~7
      try body(event)
    }
  }

  private func bucket(_ source: UnsafePointer<PackedEvent>, _ count: Int) {
    var bits: UInt64 = 0
    while bits < 18, 2 << bits < count { bits += 1 }
    // The bits above are the partition.
    let shift = PartitionStore.partitionShift - bits
    let mask: UInt64 = (1 << bits) - 1
    let buckets = 1 << Int(bits)
    bucketEnds.removeAll()
    bucketEnds.extend(to: buckets + 1, repeating: 0)
    let ends = bucketEnds.unsafeAddress
    for i in 0..<count { ends[Int(truncatingIfNeeded: source[i].userHash &>> shift & mask) &+ 1] &+= 1 }
    for bucket in 0..<buckets { ends[bucket + 1] &+= ends[bucket] }
    sorted.resizeDiscarding(to: count)
    let target = sorted.unsafeAddress
    for i in 0..<count {
      let bucket = Int(truncatingIfNeeded: source[i].userHash &>> shift & mask)
      let place = ends[bucket]
      ends[bucket] = place &+ 1
      target[Int(place)] = source[i]
    }
    // Each entry has moved to the end of its bucket.
    var start = 0
    for bucket in 0..<buckets {
      let end = Int(ends[bucket])
      if end - start > 1 { sort(target, start, end) }
      start = end
    }
  }

  @inline(__always)
  private func sort(_ events: UnsafeMutablePointer<PackedEvent>, _ start: Int, _ end: Int) {
    if end - start > 200 {
      var slice = UnsafeMutableBufferPointer(start: events + start, count: end - start)
      slice.sort { isBefore($0, $1) }
      return
    }
    // Mostly one user's, and nearly in the order of time.
    for i in start + 1..<end where isBefore(events[i], events[i - 1]) {
      let event = events[i]
      var hole = i
      repeat {
        events[hole] = events[hole - 1]
        hole -= 1
      } while hole > start && isBefore(event, events[hole - 1])
      events[hole] = event
    }
  }

  @inline(__always)
  private func isBefore(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    if a.userHash != b.userHash { return a.userHash < b.userHash }
    if a.userWord == b.userWord && a.userForm == b.userForm && a.userForm != 0 {
      if a.timeAndKind != b.timeAndKind { return a.timeAndKind < b.timeAndKind }
    }
    return isBeforeByIdentifiers(a, b)
  }

  @inline(never)
  private func isBeforeByIdentifiers(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    let users = IdentifierView.compare(user(a), user(b))
    if users != 0 { return users < 0 }
    if a.timeAndKind != b.timeAndKind { return a.timeAndKind < b.timeAndKind }
    return IdentifierView.compare(eventID(a), eventID(b)) < 0
  }

  private func text(_ word: UInt64) -> UnsafeRawBufferPointer {
    let (range, texts) = (TextRange(word: word), UnsafeRawBufferPointer(start: bytes.unsafeAddress, count: bytes.count))
    return UnsafeRawBufferPointer(rebasing: texts[range.offset..<range.offset + range.count])
  }

  func user(_ event: PackedEvent) -> IdentifierView {
    guard event.userForm != 0 else { return IdentifierView(form: 0, text: text(event.userWord)) }
    let high = UserHash.highWord(hash: event.userHash, low: event.userWord)
    return IdentifierView(form: event.userForm, high: high, low: event.userWord)
  }

  func eventID(_ event: PackedEvent) -> IdentifierView {
    guard event.eventForm != 0 else { return IdentifierView(form: 0, text: text(event.eventHigh)) }
    return IdentifierView(form: event.eventForm, high: event.eventHigh, low: event.eventLow)
  }

  /// The end of the events of the user with the event at `start`.
  func endOfUser(_ start: Int) -> Int {
    let events = sorted.unsafeAddress
    let first = events[start]
    var end = start + 1
    while end < count, events[end].userHash == first.userHash {
      let next = events[end]
      let isSame =
        next.userForm == first.userForm
        && (first.userForm != 0 ? next.userWord == first.userWord : user(next) == user(first))
      if !isSame { break }
      end += 1
    }
    return end
  }
}
