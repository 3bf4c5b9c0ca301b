// Plain values in memory of their own: the one growing memory of this program.

/// Values in memory that one owner holds, grown on demand and freed with it.
///
/// `span` and `mutableSpan` are how others see the values. A subscript checks its index in debug builds alone: only the
/// owner's own arithmetic makes indices, never what a file says. Inner loops go through `unsafeAddress`, and say so.
public struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  /// The first value. Changes if the memory grows.
  @inlinable public var unsafeAddress: UnsafeMutablePointer<Element> {
    @inline(__always) get { memory }
  }
  @usableFromInline var memory: UnsafeMutablePointer<Element>
  /// Values that there is room for.
  public private(set) var capacity: Int
  /// Values that are there.
  @usableFromInline var used = 0

  /// No values, with room for some.
  @inlinable public init(capacity: Int = 0) {
    let room = max(capacity, 16)
    self.init(memory: .allocate(capacity: room), capacity: room)
  }

  @usableFromInline init(memory: UnsafeMutablePointer<Element>, capacity: Int) {
    self.memory = memory
    self.capacity = capacity
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
    if used == capacity { grow(to: used + 1) }
    memory[used] = element
    used += 1
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

  /// Room for a number of values; those that are there stay.
  @inlinable public mutating func reserve(_ count: Int) {
    if count > capacity { grow(to: count) }
  }

  /// Makes it a number of values. What they are is for the caller to write: those that were there may be gone.
  @inlinable public mutating func resizeDiscarding(to count: Int) {
    if count > capacity {
      used = 0
      grow(to: count + count / 4)
    }
    used = count
  }

  @inline(never)
  @usableFromInline mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
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

  /// Forgets the values after the first ones; the memory stays.
  @inlinable public mutating func truncate(to count: Int) {
    assert(count >= 0 && count <= used, "a buffer cannot be cut to more values than it has")
    used = count
  }
}
