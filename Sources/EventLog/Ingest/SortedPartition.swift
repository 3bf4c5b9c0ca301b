// The events of one partition in the log's order: bucketed by the next bits of the hash, then sorted
// inside each bucket, which rarely holds more than one user.

import PermissionEvents

/// Sorts partitions; owned by one thread and reused.
final class SortedPartition {
  private let bytes = GrowingBuffer<UInt8>()
  private let unsorted = GrowingBuffer<PackedEvent>()
  private let sorted = GrowingBuffer<PackedEvent>()
  private let bucketEnds = GrowingBuffer<UInt32>()
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var byteCount = 0

  var events: UnsafeMutablePointer<PackedEvent> { sorted.pointer }
  /// What the `TextRange`s of `events` point into.
  var texts: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes.pointer, count: byteCount) }

  /// Takes a partition out of a store and sorts it by user, time, kind, event id and place in the input.
  func load(_ store: PartitionStore, partition: Int) throws {
    let hasTexts = store.hasTexts(partition: partition)
    byteCount = try store.drain(partition: partition, into: bytes)
    if hasTexts {
      unpack()
      bucket(UnsafePointer(unsorted.pointer))
    } else {
      count = byteCount / MemoryLayout<PackedEvent>.size
      UnsafeRawPointer(bytes.pointer).withMemoryRebound(to: PackedEvent.self, capacity: count) { bucket($0) }
    }
  }

  /// Takes records of different lengths apart.
  private func unpack() {
    let size = MemoryLayout<PackedEvent>.size
    unsorted.reserve(byteCount / size)
    let base = UnsafeRawPointer(bytes.pointer)
    var position = 0
    count = 0
    while position < byteCount {
      var event = base.loadUnaligned(fromByteOffset: position, as: PackedEvent.self)
      position += size
      func takeText() -> UInt64 {
        let length = Int(base.loadUnaligned(fromByteOffset: position, as: UInt16.self))
        defer { position += 2 + length }
        return TextRange(offset: position + 2, count: length).word
      }
      if event.userForm == 0 { event.userWord = takeText() }
      if event.eventForm == 0 { event.eventHigh = takeText() }
      position = (position + 7) & ~7
      unsorted.pointer[count] = event
      count += 1
    }
  }

  private func bucket(_ source: UnsafePointer<PackedEvent>) {
    let count = count
    var bits: UInt64 = 0
    while bits < 18, 2 << bits < count { bits += 1 }
    // The bits above are the partition.
    let shift = PartitionStore.partitionShift - bits
    let mask: UInt64 = (1 << bits) - 1
    let buckets = 1 << Int(bits)
    bucketEnds.reserve(buckets + 1)
    let ends = bucketEnds.pointer
    ends.update(repeating: 0, count: buckets + 1)
    for i in 0..<count { ends[Int(truncatingIfNeeded: source[i].userHash &>> shift & mask) &+ 1] &+= 1 }
    for bucket in 0..<buckets { ends[bucket + 1] &+= ends[bucket] }
    sorted.reserve(count)
    let target = sorted.pointer
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
    let ids = IdentifierView.compare(eventID(a), eventID(b))
    return ids == 0 ? a.sequence < b.sequence : ids < 0
  }

  private func text(_ word: UInt64) -> UnsafeRawBufferPointer {
    let range = TextRange(word: word)
    return UnsafeRawBufferPointer(rebasing: texts[range.offset..<range.offset + range.count])
  }

  func user(_ event: PackedEvent) -> IdentifierView {
    guard event.userForm != 0 else { return IdentifierView(form: 0, high: 0, low: 0, text: text(event.userWord)) }
    return IdentifierView(
      form: event.userForm, high: UserHash.highWord(hash: event.userHash, low: event.userWord), low: event.userWord,
      text: .init(start: nil, count: 0))
  }

  func eventID(_ event: PackedEvent) -> IdentifierView {
    guard event.eventForm != 0 else { return IdentifierView(form: 0, high: 0, low: 0, text: text(event.eventHigh)) }
    return IdentifierView(
      form: event.eventForm, high: event.eventHigh, low: event.eventLow, text: .init(start: nil, count: 0))
  }

  /// The end of the run of events of the user who has the event at `start`.
  func endOfUser(_ start: Int) -> Int {
    let events = sorted.pointer
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
