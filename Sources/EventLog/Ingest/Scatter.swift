// Distributes the events of batches to the partitions of the hash space.

import PermissionEvents

/// One thread's open pages, one a partition.
final class Scatter {
  private let store: PartitionStore
  private var pages: [UnsafeMutableRawPointer]
  private var fills: [Int]

  init(_ store: PartitionStore) {
    self.store = store
    pages = (0..<PartitionStore.partitionCount).map { _ in PartitionStore.newPage() }
    fills = [Int](repeating: 0, count: PartitionStore.partitionCount)
  }

  deinit { for page in pages { page.deallocate() } }

  /// Copies a batch's events to their partitions.
  func append(_ batch: EventBatch) throws {
    try batch.texts.withUnsafeBytes { texts in
      for event in batch.events { try append(event, texts: texts) }
    }
  }

  @inline(__always)
  private func append(_ event: PackedEvent, texts: UnsafeRawBufferPointer) throws {
    let partition = Int(truncatingIfNeeded: event.userHash >> 56)
    var fill = fills[partition]
    if fill + PartitionStore.maximumRecord > PartitionStore.pageLength {
      pages[partition] = try store.take(pages[partition], count: fill, partition: partition)
      fill = 0
    }
    let target = pages[partition] + fill
    target.storeBytes(of: event, as: PackedEvent.self)
    fill += MemoryLayout<PackedEvent>.size
    if event.userForm == 0 { fill += Self.copy(event.userWord, texts, to: pages[partition] + fill) }
    if event.eventForm == 0 { fill += Self.copy(event.eventHigh, texts, to: pages[partition] + fill) }
    fills[partition] = (fill + 7) & ~7
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

  /// Hands all pages that are not empty to the store.
  func flush() throws {
    for partition in pages.indices where fills[partition] > 0 {
      pages[partition] = try store.take(pages[partition], count: fills[partition], partition: partition)
      fills[partition] = 0
    }
  }
}
