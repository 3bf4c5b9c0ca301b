// A growing run of plain values behind a pointer: what the fold writes to once an event costs an addition
// and a store, no uniqueness or exclusivity check.

/// Plain values, freed with their owner. Indices are not checked: only the fold's own arithmetic makes them.
struct FlatBuffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var pointer: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 64) {
    self.capacity = max(capacity, 16)
    pointer = .allocate(capacity: self.capacity)
  }

  /// `count` copies of a value.
  init(repeating value: Element, count: Int) {
    self.init(capacity: count)
    pointer.initialize(repeating: value, count: count)
    self.count = count
  }

  deinit { pointer.deallocate() }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(count + 1) }
    pointer[count] = element
    count += 1
  }

  /// Appends copies of a value up to a number of values.
  mutating func extend(to newCount: Int, repeating value: Element) {
    guard newCount > count else { return }
    if newCount > capacity { grow(newCount) }
    (pointer + count).initialize(repeating: value, count: newCount - count)
    count = newCount
  }

  @inline(never)
  private mutating func grow(_ needed: Int) {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(needed, capacity * 2))
    larger.update(from: pointer, count: count)
    pointer.deallocate()
    capacity = max(needed, capacity * 2)
    pointer = larger
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  subscript(_ index: Int) -> Element {
    get { pointer[index] }
    nonmutating set { pointer[index] = newValue }
  }
}
