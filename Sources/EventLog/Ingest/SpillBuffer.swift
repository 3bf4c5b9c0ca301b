// Pages on their way to the spill file. Whole pages, many at once: the kernel then fills its own pages without clearing
// them first, and is asked less often.

/// Collects one thread's pages that are to be spilled.
final class SpillBuffer {
  private static let capacity = 16

  private let store: PartitionStore
  private let memory: UnsafeMutableRawPointer
  private var pages: [(partition: Int, count: Int)] = []

  init(_ store: PartitionStore) {
    self.store = store
    memory = .allocate(byteCount: Self.capacity * PartitionStore.pageLength, alignment: 4096)
  }

  deinit { memory.deallocate() }

  /// Copies a page, which can be reused afterwards.
  func add(_ page: UnsafeMutableRawPointer, count: Int, partition: Int) throws {
    let target = memory + pages.count * PartitionStore.pageLength
    target.copyMemory(from: page, byteCount: count)
    // What lies behind is written too; it shall not be what memory held before.
    (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: PartitionStore.pageLength - count)
    pages.append((partition, count))
    if pages.count == Self.capacity { try flush() }
  }

  /// Writes what was collected.
  func flush() throws {
    guard !pages.isEmpty else { return }
    // Where writing fails the ingest does too; what was collected is not added to.
    defer { pages.removeAll(keepingCapacity: true) }
    try store.spill(
      UnsafeRawBufferPointer(start: memory, count: pages.count * PartitionStore.pageLength), pages: pages)
  }
}
