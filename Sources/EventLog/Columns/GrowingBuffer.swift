// A buffer of plain values that is reused from block to block.

/// Uninitialised memory for trivial values, grown on demand and freed with its owner.
final class GrowingBuffer<Element: BitwiseCopyable> {
  // Unchecked: one thread owns a buffer, and nothing holds an access to it across a call.
  @exclusivity(unchecked) private(set) var pointer: UnsafeMutablePointer<Element>
  @exclusivity(unchecked) private(set) var capacity: Int
  /// Values that were appended; other uses keep their own count.
  @exclusivity(unchecked) private(set) var count = 0

  init(capacity: Int = 0) {
    self.capacity = max(capacity, 16)
    pointer = .allocate(capacity: self.capacity)
  }

  deinit { pointer.deallocate() }

  /// Room for `count` values; what was there may be gone.
  func reserve(_ count: Int) {
    guard count > capacity else { return }
    pointer.deallocate()
    capacity = count + count / 4
    pointer = .allocate(capacity: capacity)
  }

  /// Room for `count` values; the first `kept` stay.
  func grow(_ count: Int, keeping kept: Int) {
    assert(kept <= capacity, "there are fewer values than are to stay")
    guard count > capacity else { return }
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(count, capacity * 2))
    larger.update(from: pointer, count: kept)
    pointer.deallocate()
    capacity = max(count, capacity * 2)
    pointer = larger
  }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { makeRoom() }
    pointer[count] = element
    count += 1
  }

  @inline(never)
  private func makeRoom() { grow(count + 1, keeping: count) }

  /// Forgets what was appended.
  func removeAll() { count = 0 }
}
