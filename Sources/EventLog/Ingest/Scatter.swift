// Distributes the events of batches to the partitions of the hash space.

import Buffers
import PermissionEvents

/// One thread's open pages, one a partition.
final class Scatter {
  private let store: PartitionStore
  private let spill: SpillBuffer
  // By partition: the page and its address, the bytes of it that are used, and true if it has a text.
  private var pages: [EventPage]
  private let addresses: Buffer<UnsafeMutableRawPointer>
  private let fills = Buffer(repeating: 0, count: PartitionStore.partitionCount)
  private let texts = Buffer(repeating: false, count: PartitionStore.partitionCount)

  init(_ store: PartitionStore) {
    self.store = store
    spill = SpillBuffer(store)
    pages = (0..<PartitionStore.partitionCount).map { _ in EventPage() }
    addresses = Buffer(repeating: pages[0].address, count: PartitionStore.partitionCount)
    for partition in pages.indices { addresses[partition] = pages[partition].address }
  }

  /// Copies a batch's events to their partitions.
  func append(_ batch: EventBatch) throws {
    // A hot loop.
    let (addresses, fills, hasTexts) = (addresses.unsafeAddress, fills.unsafeAddress, texts.unsafeAddress)
    try batch.texts.withUnsafeBytes { texts in
      for event in batch.events {
        let partition = Int(truncatingIfNeeded: event.userHash &>> PartitionStore.partitionShift)
        var fill = fills[partition]
        if fill > EventPage.length - PartitionStore.maximumRecord {
          try handOver(partition)
          fill = 0
        }
        let target = addresses[partition] + fill
        target.storeBytes(of: event, as: PackedEvent.self)
        fill += MemoryLayout<PackedEvent>.size
        if event.userForm == 0 || event.eventForm == 0 {
          fill += Self.copyTexts(of: event, texts, to: target)
          hasTexts[partition] = true
        }
        fills[partition] = fill
      }
    }
  }

  /// Puts the texts of an event's ids after it; returns their bytes, which are a multiple of 8.
  @inline(never)
  private static func copyTexts(
    of event: PackedEvent, _ texts: UnsafeRawBufferPointer, to record: UnsafeMutableRawPointer
  ) -> Int {
    let target = record + MemoryLayout<PackedEvent>.size
    var count = 0
    if event.userForm == 0 { count += copy(event.userWord, texts, to: target) }
    if event.eventForm == 0 { count += copy(event.eventHigh, texts, to: target + count) }
    return (count + 7) & ~7
  }

  private static func copy(
    _ range: UInt64, _ texts: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
  ) -> Int {
    let range = TextRange(word: range)
    target.storeBytes(of: UInt16(truncatingIfNeeded: range.count), as: UInt16.self)
    let text = UnsafeRawBufferPointer(rebasing: texts[range.offset..<range.offset + range.count])
    if let base = text.baseAddress { (target + 2).copyMemory(from: base, byteCount: text.count) }
    return 2 + text.count
  }

  /// Hands a partition's page to the store; the page in its place is empty.
  @inline(never)
  private func handOver(_ partition: Int) throws {
    let (page, count, hasTexts) = (pages[partition], fills[partition], texts[partition])
    fills[partition] = 0
    texts[partition] = false
    if store.keep(page, count: count, hasTexts: hasTexts, partition: partition) {
      pages[partition] = EventPage()
      addresses[partition] = pages[partition].address
    } else {
      try spill.add(page, count: count, partition: partition)
    }
  }

  /// Hands all pages that are not empty to the store.
  func flush() throws {
    for partition in pages.indices where fills[partition] > 0 { try handOver(partition) }
    try spill.flush()
  }
}

/// One thread's pages on their way to the spill file. Whole pages, many at once: the kernel then fills its own pages without
/// clearing them first, and is asked less often.
final class SpillBuffer {
  private static let capacity = 16

  private let store: PartitionStore
  // Unchecked: one thread owns the buffer, and an access lasts no longer than a call.
  @exclusivity(unchecked) private var memory = Buffer<UInt8>(capacity: capacity * EventPage.length)
  private var pages: [(partition: Int, count: Int)] = []

  init(_ store: PartitionStore) { self.store = store }

  /// Copies a page, which can be reused afterwards.
  func add(_ page: EventPage, count: Int, partition: Int) throws {
    let target = UnsafeMutableRawPointer(memory.unsafeAppend(EventPage.length))
    target.copyMemory(from: page.address, byteCount: count)
    // The rest of the page is written too; it shall not be what memory held before.
    (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: EventPage.length - count)
    pages.append((partition, count))
    if pages.count == Self.capacity { try flush() }
  }

  /// Writes what was collected.
  func flush() throws {
    guard !pages.isEmpty else { return }
    // If writing fails the ingest does too; what was collected is not added to.
    defer {
      pages.removeAll(keepingCapacity: true)
      memory.removeAll()
    }
    try store.spill(UnsafeRawBufferPointer(start: memory.unsafeAddress, count: memory.count), pages: pages)
  }
}
