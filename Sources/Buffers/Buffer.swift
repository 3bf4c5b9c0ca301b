// Plain values in memory of their own: the one growing memory of this program.

/// Values in memory that one owner holds, grown on demand and freed with it.
///
/// `span` and `mutableSpan` show the values to code that is not called for every event. Loops over events use a
/// subscript, which checks its index in debug builds alone, or `unsafeAddress`: indices come only from the owner's own
/// arithmetic, never from a file. A value can be set wherever the buffer is borrowed; only calls that move the memory
/// need it `inout`.
public struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  /// The first value. Changes if the memory grows.
  @inlinable public var unsafeAddress: UnsafeMutablePointer<Element> {
    @inline(__always) get { memory }
  }
  @usableFromInline var memory: UnsafeMutablePointer<Element>
  /// The number of values that fit.
  @inlinable public var capacity: Int {
    @inline(__always) get { room }
  }
  @usableFromInline var room: Int
  /// The number of values.
  @usableFromInline var used = 0

  /// No values, with room for some.
  @inlinable public init(capacity: Int = 0) {
    let room = max(capacity, 16)
    self.init(memory: .allocate(capacity: room), capacity: room)
  }

  @inlinable init(memory: UnsafeMutablePointer<Element>, capacity: Int) {
    self.memory = memory
    room = capacity
  }

  /// Copies of a value.
  @inlinable public init(repeating value: Element, count: Int) {
    self.init(capacity: count)
    memory.initialize(repeating: value, count: count)
    used = count
  }

  deinit { memory.deallocate() }

  @inlinable public var count: Int {
    @inline(__always) get { used }
  }

  @inlinable
  @inline(__always)
  public subscript(_ index: Int) -> Element {
    get {
      assert(index >= 0 && index < used, "an index past the values of a buffer")
      return memory[index]
    }
    nonmutating set {
      assert(index >= 0 && index < used, "an index past the values of a buffer")
      memory[index] = newValue
    }
  }

  /// The values.
  @inlinable public var span: Span<Element> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: memory, count: used), borrowing: self) }
  }

  /// The values, to be changed.
  @inlinable public var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self)
    mutating get { unsafe _overrideLifetime(MutableSpan(_unsafeStart: memory, count: used), mutating: &self) }
  }
}

// MARK: Growing

extension Buffer {
  @inlinable
  @inline(__always)
  public mutating func append(_ element: Element) {
    unsafeAppend().initialize(to: element)
  }

  /// Appends a value that the caller writes, at the address that is returned, before anything else is done.
  @inlinable
  @inline(__always)
  public mutating func unsafeAppend() -> UnsafeMutablePointer<Element> {
    if used == capacity { grow(to: used + 1) }
    let slot = memory + used
    used &+= 1
    return slot
  }

  /// The same of several values, from that address on.
  @inlinable
  @inline(__always)
  public mutating func unsafeAppend(_ count: Int) -> UnsafeMutablePointer<Element> {
    if count > capacity &- used { grow(to: used + count) }
    let slot = memory + used
    used &+= count
    return slot
  }

  /// Appends copies of values, which are not this memory's own: it may move.
  @inlinable
  @inline(__always)
  public mutating func append(from source: UnsafePointer<Element>, count: Int) {
    unsafeAppend(count).update(from: source, count: count)
  }

  /// Appends copies of a value up to a number of values.
  @inlinable public mutating func extend(to count: Int, repeating value: Element) {
    guard count > used else { return }
    reserve(count)
    (memory + used).initialize(repeating: value, count: count - used)
    used = count
  }

  /// Forgets the values; the memory stays.
  @inlinable
  @inline(__always)
  public mutating func removeAll() { used = 0 }

  /// Reserves memory for a number of values. Existing values stay.
  @inlinable public mutating func reserve(_ count: Int) {
    if count > capacity { grow(to: count) }
  }

  /// Changes the number of values. Existing values stay; the caller writes the new ones.
  @inlinable public mutating func resize(to count: Int) {
    reserve(count)
    used = count
  }

  /// Changes the number of values. The caller writes all of them: existing values may be lost.
  @inlinable public mutating func resizeDiscarding(to count: Int) {
    if count > capacity {
      used = 0
      grow(to: count + count / 4)
    }
    used = count
  }

  @inlinable
  @inline(never)
  mutating func grow(to needed: Int) {
    room = max(needed, room * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: room)
    larger.update(from: memory, count: used)
    memory.deallocate()
    memory = larger
  }
}

// MARK: Pieces

extension Buffer {
  /// Appends copies of values from elsewhere.
  @inlinable public mutating func append(contentsOf values: UnsafeBufferPointer<Element>) {
    guard let first = values.baseAddress else { return }
    reserve(used + values.count)
    (memory + used).initialize(from: first, count: values.count)
    used += values.count
  }
}
