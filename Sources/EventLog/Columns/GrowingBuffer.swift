// A buffer of plain values that is reused from block to block.

/// Uninitialised memory for trivial values, grown on demand and freed with its owner.
final class GrowingBuffer<Element: BitwiseCopyable> {
  private(set) var pointer: UnsafeMutablePointer<Element>
  private(set) var capacity: Int

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
    guard count > capacity else { return }
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(count, capacity * 2))
    larger.update(from: pointer, count: kept)
    pointer.deallocate()
    capacity = max(count, capacity * 2)
    pointer = larger
  }
}
