// A thread's memory of short values, found by one look at the text: the fast path's way to a value's code. Longer
// values, and those that are not here, go to `EventAssembler.code`.

import CVectorBytes

/// Codes by field and value, for values of at most `CVB_LONGEST` bytes: a table with open addressing that grows with
/// what it holds, up to a limit at which it begins anew. Owned by one thread and one sink: codes of another dictionary
/// differ.
struct ShortValueTable {
  static let longest = Int(CVB_LONGEST)
  private static let largest = 1 << 16
  /// Slots that are looked at: values that all have one index cost no more than so many comparisons.
  private static let maximumProbes = 16

  private var slots: UnsafeMutablePointer<cvb_slot>
  private var capacity = 1 << 10
  private var used = 0
  /// What leaves an index of a 64-bit hash.
  private var shift: UInt64
  /// By field.
  private let tags: UnsafeMutablePointer<cvb_tag>

  init() {
    slots = .allocate(capacity: capacity)
    shift = Self.shift(capacity)
    tags = .allocate(capacity: ImportField.codeCount)
    for field in 0..<ImportField.codeCount { (tags + field).initialize(to: cvb_tag(words: (0, Self.tag(field)))) }
    removeAll()
  }

  private static func shift(_ capacity: Int) -> UInt64 { UInt64(64 - capacity.trailingZeroBitCount) }
  private static func tag(_ field: Int) -> UInt64 { UInt64(field + 1) << 56 }

  func deallocate() {
    slots.deallocate()
    tags.deallocate()
  }

  private mutating func removeAll() {
    slots.initialize(repeating: cvb_slot(), count: capacity)
    used = 0
  }

  /// Looks up the value that begins at `text`, behind its quote; 32 bytes must be readable.
  @inline(__always)
  func find(_ field: Int, _ text: UnsafeRawPointer) -> cvb_found {
    cvb_find(slots, shift, tags + field, text)
  }

  /// The code of a value that was not at its own index, remembered where it was nowhere; nil where the value is not in
  /// its closed list.
  @inline(never)
  mutating func code(
    _ field: Int, _ text: UnsafeRawPointer, _ found: cvb_found, _ assembler: EventAssembler
  ) -> UInt64? {
    let count = Int(truncatingIfNeeded: found.count)
    let (first, second) = CodeCache.words(text, count)
    let (third, last) = count > 16 ? CodeCache.words(text + 16, count - 16) : (0, 0)
    let wanted = (first, second, third, last | Self.tag(field))
    let place = place(of: wanted, from: found.index)
    if let place, words(of: place) != nil { return slots[place].code }
    guard let code = Self.code(field, text, count, first, second, assembler) else { return nil }
    if let place { insert(wanted, code: code, at: place) }
    return code
  }

  /// An empty value is an absent one.
  private static func code(
    _ field: Int, _ text: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64, _ assembler: EventAssembler
  ) -> UInt64? {
    if count == 0 { return EventAssembler.absentCode(field) }
    return assembler.code(field, text, count, low, high).map { UInt64($0) }
  }

  private typealias Words = (UInt64, UInt64, UInt64, UInt64)

  /// The slot that has a text, or the empty one where it belongs; nil where all that are looked at have others.
  private func place(of wanted: Words, from index: UInt64) -> Int? {
    var index = Int(truncatingIfNeeded: index)
    for _ in 0..<Self.maximumProbes {
      guard let known = words(of: index), known != wanted else { return index }
      index = (index + 1) & (capacity - 1)
    }
    return nil
  }

  private func words(of index: Int) -> Words? { Self.words(slots + index) }

  /// The text of a slot; nil where it is empty.
  private static func words(_ slot: UnsafeMutablePointer<cvb_slot>) -> Words? {
    let text = UnsafeRawPointer(slot)
    let last = text.load(fromByteOffset: 24, as: UInt64.self)
    guard last >> 56 != 0 else { return nil }
    return (
      text.load(as: UInt64.self), text.load(fromByteOffset: 8, as: UInt64.self),
      text.load(fromByteOffset: 16, as: UInt64.self), last
    )
  }

  private mutating func insert(_ words: Words, code: UInt64, at index: Int) {
    if used >= capacity / 2 {
      // The next line looks it up again and finds its place in the table as it is then.
      return capacity < Self.largest ? grow() : removeAll()
    }
    store(words, code, at: index)
    used += 1
  }

  private func store(_ words: Words, _ code: UInt64, at index: Int) {
    let slot = UnsafeMutableRawPointer(slots + index)
    slot.storeBytes(of: words.0, as: UInt64.self)
    slot.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
    slot.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
    slot.storeBytes(of: words.3, toByteOffset: 24, as: UInt64.self)
    slots[index].code = code
  }

  private mutating func grow() {
    let (old, count) = (slots, capacity)
    capacity = count * 4
    shift = Self.shift(capacity)
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: cvb_slot(), count: capacity)
    for i in 0..<count where (old + i).pointee.text.31 != 0 {
      if let words = Self.words(old + i), let place = place(of: words, from: cvb_index(old + i, shift)) {
        slots[place] = old[i]
      } else {
        used -= 1
      }
    }
    old.deallocate()
  }
}
