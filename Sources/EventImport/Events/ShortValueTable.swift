// A thread's memory of short values, found by one look at the text: the fast path's way to a value's code. Longer
// values, and those that are not here, go to `EventAssembler.code`.

import Buffers
import CVectorBytes

/// Codes by field and value, for values of at most `CVB_LONGEST` bytes: a table with open addressing that grows with
/// what it holds, up to a limit at which it begins anew. Owned by one thread and one sink: codes of another dictionary
/// differ.
struct ShortValueTable: ~Copyable {
  static let longest = Int(CVB_LONGEST)
  private static let largest = 1 << 16
  /// Slots that are looked at: values that all have one index cost no more than so many comparisons.
  private static let maximumProbes = 16

  private var slots: Buffer<cvb_slot>
  private var used = 0
  /// What leaves an index of a 64-bit hash.
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

  /// The slot that has a text, or the empty one in which it belongs; nil if all that are looked at have others.
  private mutating func place(of wanted: Words, from index: UInt64) -> Int? {
    var index = Int(truncatingIfNeeded: index)
    for _ in 0..<Self.maximumProbes {
      guard let known = words(of: index), known != wanted else { return index }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The text of a slot; nil if it is empty.
  private mutating func words(of index: Int) -> Words? { Self.words(slots.unsafeAddress + index) }

  private static func words(_ slot: UnsafeMutablePointer<cvb_slot>) -> Words? {
    let words = UnsafeRawPointer(slot).load(as: Words.self)
    return words.3 >> 56 == 0 ? nil : words
  }

  private mutating func insert(_ words: Words, code: UInt64, at index: Int) {
    if used >= slots.count / 2 {
      // The next line looks it up again and finds its place in the table as it is then.
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
