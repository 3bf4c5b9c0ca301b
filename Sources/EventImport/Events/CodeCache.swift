// A thread's memory of the values that it has seen, so that the shared dictionary is asked once a value.

/// Codes by field and value: a direct-mapped cache of 256 values a field, keyed by length and the first 16 bytes;
/// longer values are compared in full. Owned by one thread and one sink: codes of another dictionary differ.
struct CodeCache {
  private struct Slot {
    var low: UInt64
    var high: UInt64
    var count: UInt32
    var code: UInt32
  }

  private static let slotBits = 8
  private static let longest = 256
  private static let empty = UInt32.max

  private let tables: Int
  private let slots: UnsafeMutablePointer<Slot>
  /// The bytes of values longer than 16, by slot. Pages that are never touched cost nothing.
  private let texts: UnsafeMutableRawPointer

  init(tables: Int) {
    self.tables = tables
    slots = .allocate(capacity: tables << Self.slotBits)
    texts = .allocate(byteCount: (tables << Self.slotBits) * Self.longest, alignment: 16)
    removeAll()
  }

  func deallocate() {
    slots.deallocate()
    texts.deallocate()
  }

  func removeAll() {
    slots.update(repeating: Slot(low: 0, high: 0, count: Self.empty, code: 0), count: tables << Self.slotBits)
  }

  /// The first 16 bytes of a value, zeros behind its end. 16 bytes must be readable.
  @inline(__always)
  static func words(_ base: UnsafeRawPointer, _ count: Int) -> (low: UInt64, high: UInt64) {
    let low = base.loadUnaligned(as: UInt64.self)
    if count < 8 { return (low & mask(count), 0) }
    let high = base.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    if count < 16 { return (low, high & mask(count &- 8)) }
    return (low, high)
  }

  /// Ones in the first `count` bytes of a word; 0 to 7.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 { ((1 as UInt64) &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1 }

  @inline(__always)
  private static func index(_ table: Int, _ low: UInt64, _ high: UInt64) -> Int {
    let mixed = (low &+ high &* 0xD6E8_FEB8_6659_FD93) &* 0x9E37_79B9_7F4A_7C15
    return table << slotBits | Int(truncatingIfNeeded: mixed >> 56)
  }

  /// The code of a value; nil where it is not in the cache.
  @inline(__always)
  func find(_ table: Int, _ base: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64) -> UInt32? {
    let index = Self.index(table, low, high)
    let slot = slots + index
    guard slot.pointee.low == low, slot.pointee.high == high, slot.pointee.count == UInt32(truncatingIfNeeded: count)
    else { return nil }
    if count > 16, !Self.equal(base + 16, texts + index * Self.longest, count - 16) { return nil }
    return slot.pointee.code
  }

  @inline(never)
  private static func equal(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
    var i = 0
    while i < count {
      if a.load(fromByteOffset: i, as: UInt8.self) != b.load(fromByteOffset: i, as: UInt8.self) { return false }
      i += 1
    }
    return true
  }

  /// Remembers a value of at most 256 bytes.
  func insert(
    _ table: Int, _ base: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64, code: UInt32
  ) {
    let index = Self.index(table, low, high)
    if count > 16 { (texts + index * Self.longest).copyMemory(from: base + 16, byteCount: count - 16) }
    slots[index] = Slot(low: low, high: high, count: UInt32(truncatingIfNeeded: count), code: code)
  }
}
