// Distributes the events of batches to the partitions of the hash space.

import PermissionEvents

/// One thread's open pages, one a partition.
final class Scatter {
  private let store: PartitionStore
  private let spill: SpillBuffer
  /// By partition: the page, and the bytes of it that are used.
  private let pages: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let fills: UnsafeMutablePointer<Int>
  /// By partition: true where the page has a text.
  private let texts: UnsafeMutablePointer<Bool>

  init(_ store: PartitionStore) {
    self.store = store
    spill = SpillBuffer(store)
    pages = .allocate(capacity: PartitionStore.partitionCount)
    fills = .allocate(capacity: PartitionStore.partitionCount)
    texts = .allocate(capacity: PartitionStore.partitionCount)
    for partition in 0..<PartitionStore.partitionCount {
      (pages + partition).initialize(to: PartitionStore.newPage())
      (fills + partition).initialize(to: 0)
      (texts + partition).initialize(to: false)
    }
  }

  deinit {
    for partition in 0..<PartitionStore.partitionCount { pages[partition].deallocate() }
    pages.deallocate()
    fills.deallocate()
    texts.deallocate()
  }

  /// Copies a batch's events to their partitions.
  func append(_ batch: EventBatch) throws {
    let (pages, fills, hasTexts) = (pages, fills, texts)
    try batch.texts.withUnsafeBytes { texts in
      for event in batch.events {
        let partition = Int(truncatingIfNeeded: event.userHash &>> PartitionStore.partitionShift)
        var fill = fills[partition]
        if fill > PartitionStore.pageLength - PartitionStore.maximumRecord {
          try handOver(partition)
          fill = 0
        }
        let target = pages[partition] + fill
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

  /// Puts the texts of an event's ids behind it; returns their bytes, which are a multiple of 8.
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
    let (page, count) = (pages[partition], fills[partition])
    fills[partition] = 0
    let hasTexts = texts[partition]
    texts[partition] = false
    if let empty = store.keep(page, count: count, hasTexts: hasTexts, partition: partition) {
      pages[partition] = empty
    } else {
      try spill.add(page, count: count, partition: partition)
    }
  }

  /// Hands all pages that are not empty to the store.
  func flush() throws {
    for partition in 0..<PartitionStore.partitionCount where fills[partition] > 0 { try handOver(partition) }
    try spill.flush()
  }
}
