// A thread's memory of the tuples of codes that it has seen.

/// Codes of tuples: a direct-mapped cache keyed by three words. Owned by one thread and one sink.
struct TupleCache {
  private struct Slot {
    var first: UInt64
    var second: UInt64
    var third: UInt64
    var code: UInt32
  }

  /// No tuple has it: the upper half of a third word is a status or nothing.
  private static let empty = UInt64.max
  private let shift: UInt64
  private let slots: UnsafeMutablePointer<Slot>

  /// - Parameter bits: logarithm of the number of slots, of 32 bytes each.
  init(bits: Int) {
    shift = UInt64(64 - bits)
    slots = .allocate(capacity: 1 << bits)
    slots.initialize(repeating: Slot(first: 0, second: 0, third: Self.empty, code: 0), count: 1 << bits)
  }

  func deallocate() { slots.deallocate() }

  /// The code of a tuple, made by `make` where it is not in the cache.
  @inline(__always)
  func code(_ first: UInt64, _ second: UInt64, _ third: UInt64, make: () -> UInt32) -> UInt32 {
    var mixed = first &* 0x9E37_79B9_7F4A_7C15 ^ second &* 0xD6E8_FEB8_6659_FD93 ^ third &* 0xA076_1D64_78BD_642F
    mixed = (mixed ^ mixed >> 32) &* 0x9E37_79B9_7F4A_7C15
    let slot = slots + Int(truncatingIfNeeded: mixed &>> shift)
    if slot.pointee.first == first, slot.pointee.second == second, slot.pointee.third == third {
      return slot.pointee.code
    }
    let code = make()
    slot.pointee = Slot(first: first, second: second, third: third, code: code)
    return code
  }
}
