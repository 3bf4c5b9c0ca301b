// A thread's memory of the values and tuples that it has seen, so that the shared dictionary is used once for each.
// Both caches are direct-mapped: a new value replaces the one in its slot. Owned by one thread and one sink, because
// codes of another dictionary differ.

import Buffers
import CVectorBytes

/// Codes by field and value: 256 slots a field, keyed by length and the first 16 bytes; longer values are compared in full.
struct CodeCache: ~Copyable {
  struct Known {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var count = UInt32.max
    var code: UInt32 = 0
  }

  private static let bits = 8
  private static let longest = 256
  private let slots: Buffer<Known>
  /// The bytes of values longer than 16, by slot. Pages that are never touched cost nothing.
  private let texts: Buffer<UInt8>

  init(fields: Int) {
    slots = Buffer(repeating: Known(), count: fields << Self.bits)
    texts = Buffer(capacity: (fields << Self.bits) * Self.longest)
  }

  @inline(__always)
  private static func index(_ field: Int, _ low: UInt64, _ high: UInt64) -> Int {
    let mixed = (low &+ high &* 0xD6E8_FEB8_6659_FD93) &* 0x9E37_79B9_7F4A_7C15
    return field << bits | Int(truncatingIfNeeded: mixed >> 56)
  }

  /// The code of a value; nil if it is not in the cache.
  /// - Parameter words: its first 16 bytes.
  @inline(__always)
  func find(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    let index = Self.index(field, words.low, words.high)
    let known = slots.unsafeAddress + index
    guard known.pointee.low == words.low, known.pointee.high == words.high,
      known.pointee.count == UInt32(truncatingIfNeeded: text.count),
      text.count <= 16 || rest(of: index, is: text.bytes.dropFirst(16))
    else { return nil }
    return known.pointee.code
  }

  @inline(never)
  private func rest(of index: Int, is rest: Slice<UnsafeRawBufferPointer>) -> Bool {
    UnsafeRawBufferPointer(start: texts.unsafeAddress + index * Self.longest, count: rest.count).elementsEqual(rest)
  }

  /// Remembers a value of at most 256 bytes.
  func insert(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64), code: UInt32) {
    let index = Self.index(field, words.low, words.high)
    if text.count > 16 {
      let kept = texts.unsafeAddress + index * Self.longest
      UnsafeMutableRawBufferPointer(start: kept, count: Self.longest).copyBytes(from: text.bytes.dropFirst(16))
    }
    slots[index] = Known(low: words.low, high: words.high, count: UInt32(truncatingIfNeeded: text.count), code: code)
  }
}

/// Codes of tuples, keyed by three words.
struct TupleCache: ~Copyable {
  struct Known {
    var first: UInt64 = 0
    var second: UInt64 = 0
    /// No tuple has the initial value: the upper half of a third word is a status or nothing.
    var third = UInt64.max
    var code: UInt32 = 0
  }

  private let shift: UInt64
  private let slots: Buffer<Known>

  /// - Parameter bits: logarithm of the number of slots, of 32 bytes each.
  init(bits: Int) {
    shift = UInt64(64 - bits)
    slots = Buffer(repeating: Known(), count: 1 << bits)
  }

  struct Search {
    let first: UInt64
    let second: UInt64
    let third: UInt64
    let slot: UnsafeMutablePointer<Known>
  }

  /// Begins the search for a tuple; its slot is fetched meanwhile.
  @inline(__always)
  func search(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> Search {
    var mixed = first &* 0x9E37_79B9_7F4A_7C15 ^ second &* 0xD6E8_FEB8_6659_FD93 ^ third &* 0xA076_1D64_78BD_642F
    mixed = (mixed ^ mixed >> 32) &* 0x9E37_79B9_7F4A_7C15
    let slot = slots.unsafeAddress + Int(truncatingIfNeeded: mixed &>> shift)
    cvb_prefetch(slot)
    return Search(first: first, second: second, third: third, slot: slot)
  }

  /// The code of a tuple, made by `make` if it is not in the cache.
  @inline(__always)
  func code(_ search: Search, make: (Search) -> UInt32) -> UInt32 {
    let slot = search.slot
    if slot.pointee.first == search.first, slot.pointee.second == search.second, slot.pointee.third == search.third {
      return slot.pointee.code
    }
    let code = make(search)
    slot.pointee = Known(first: search.first, second: search.second, third: search.third, code: code)
    return code
  }
}

// MARK: A thread's memory of short values, found by one look at the text: the fast path's way to a value's code. Longer
// and unknown values go to `EventAssembler.code`.

/// Codes by field and value, for values of at most `CVB_LONGEST` bytes: a table with open addressing that grows with
/// its content, up to a limit at which it is cleared. Owned by one thread and one sink: codes of another dictionary
/// differ.
struct ShortValueTable: ~Copyable {
  static let longest = Int(CVB_LONGEST)
  private static let largest = 1 << 16
  /// The most slots that are compared, even if all values have one index.
  private static let maximumProbes = 16

  private var slots: Buffer<cvb_slot>
  private var used = 0
  /// The shift that turns a 64-bit hash into an index.
  private var shift: UInt64
  /// By field.
  private let tags: Buffer<cvb_tag>

  init() {
    slots = Buffer(repeating: cvb_slot(), count: 1 << 10)
    shift = 64 - 10
    tags = Buffer(repeating: cvb_tag(), count: ImportField.codeCount)
    for field in 0..<ImportField.codeCount { tags[field] = cvb_tag(words: (0, Self.tag(field))) }
  }

  private static func tag(_ field: Int) -> UInt64 { UInt64(field + 1) << 56 }

  /// Looks up the value that begins at `text`, after its quote; 32 bytes must be readable.
  @inline(__always)
  func find(_ field: Int, _ text: UnsafeRawPointer) -> cvb_found {
    cvb_find(slots.unsafeAddress, shift, tags.unsafeAddress + field, text)
  }

  /// The code of a value that was not at its own index, remembered if it was nowhere; nil if the value is not in its
  /// closed list. An empty value is an absent one.
  @inline(never)
  mutating func code(
    _ field: Int, _ start: UnsafeRawPointer, _ found: cvb_found, _ assembler: EventAssembler
  ) -> UInt64? {
    let text = PaddedBytes(unsafePadded: start, count: Int(truncatingIfNeeded: found.count))
    let first = text.words
    let last = text.count > 16 ? text[16..<text.count].words : (low: 0, high: 0)
    let wanted = (first.low, first.high, last.low, last.high | Self.tag(field))
    let place = place(of: wanted, from: found.index)
    if let place, words(of: place) != nil { return slots[place].code }
    if text.isEmpty {
      let code = EventAssembler.absentCode(field)
      if let place { insert(wanted, code: code, at: place) }
      return code
    }
    guard let code = assembler.code(field, text, first) else { return nil }
    if let place { insert(wanted, code: UInt64(code), at: place) }
    return UInt64(code)
  }

  private typealias Words = (UInt64, UInt64, UInt64, UInt64)

  /// The slot with a text, or the empty slot for it; nil if all compared slots have other texts.
  private mutating func place(of wanted: Words, from index: UInt64) -> Int? {
    var index = Int(truncatingIfNeeded: index)
    for _ in 0..<Self.maximumProbes {
      guard let known = words(of: index), known != wanted else { return index }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func words(of index: Int) -> Words? { Self.words(slots.unsafeAddress + index) }

  private static func words(_ slot: UnsafeMutablePointer<cvb_slot>) -> Words? {
    let words = UnsafeRawPointer(slot).load(as: Words.self)
    return words.3 >> 56 == 0 ? nil : words
  }

  private mutating func insert(_ words: Words, code: UInt64, at index: Int) {
    if used >= slots.count / 2 {
      // The next line looks it up again, in the grown table.
      if slots.count < Self.largest { return grow() }
      slots = Buffer(repeating: cvb_slot(), count: slots.count)
      used = 0
      return
    }
    UnsafeMutableRawPointer(slots.unsafeAddress + index).storeBytes(of: words, as: Words.self)
    slots.unsafeAddress[index].code = code
    used += 1
  }

  private mutating func grow() {
    var old = Buffer(repeating: cvb_slot(), count: slots.count * 4)
    swap(&slots, &old)
    shift -= 2
    for i in 0..<old.count {
      let slot = old.unsafeAddress + i
      guard let words = Self.words(slot) else { continue }
      if let place = place(of: words, from: cvb_index(slot, shift)) { slots[place] = old[i] } else { used -= 1 }
    }
  }
}
