// A thread's memory of the tuples of codes that it has seen.

import CVectorBytes

/// Codes of tuples: a direct-mapped cache keyed by three words. Owned by one thread and one sink.
struct TupleCache {
  fileprivate struct Slot {
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

  /// A tuple on its way to its code.
  struct Search {
    let first: UInt64
    let second: UInt64
    let third: UInt64
    fileprivate let slot: UnsafeMutablePointer<Slot>
  }

  /// Begins the search for a tuple; its slot is fetched meanwhile.
  @inline(__always)
  func search(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> Search {
    var mixed = first &* 0x9E37_79B9_7F4A_7C15 ^ second &* 0xD6E8_FEB8_6659_FD93 ^ third &* 0xA076_1D64_78BD_642F
    mixed = (mixed ^ mixed >> 32) &* 0x9E37_79B9_7F4A_7C15
    let slot = slots + Int(truncatingIfNeeded: mixed &>> shift)
    cvb_prefetch(slot)
    return Search(first: first, second: second, third: third, slot: slot)
  }

  /// The code of a tuple, made by `make` where it is not in the cache.
  @inline(__always)
  func code(_ search: Search, make: (Search) -> UInt32) -> UInt32 {
    let slot = search.slot
    if slot.pointee.first == search.first, slot.pointee.second == search.second, slot.pointee.third == search.third {
      return slot.pointee.code
    }
    let code = make(search)
    slot.pointee = Slot(first: search.first, second: search.second, third: search.third, code: code)
    return code
  }
}
