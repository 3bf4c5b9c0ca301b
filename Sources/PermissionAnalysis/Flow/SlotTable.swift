// Slots by key, for tables that are looked up once a step.

import Buffers

/// Numbers from 0 for keys, in the order in which they come: open addressing, so that a look-up is mostly one read.
struct SlotTable: ~Copyable {
  /// By slot.
  private(set) var keys = Buffer<UInt64>()
  /// By place the slot plus one; 0 is free. Their number is a power of two.
  private var places = Buffer<UInt32>(repeating: 0, count: 64)

  var count: Int { keys.count }

  /// The slot of a key; one that is new gets the next one.
  @inline(__always)
  mutating func slot(_ key: UInt64) -> Int {
    let mask = places.count - 1
    var place = Self.place(key) & mask
    while true {
      let known = places[place]
      if known == 0 { return insert(key) }
      let slot = Int(known) - 1
      if keys[slot] == key { return slot }
      place = (place + 1) & mask
    }
  }

  @inline(never)
  private mutating func insert(_ key: UInt64) -> Int {
    if keys.count * 2 >= places.count { grow() }
    put(key, slot: keys.count)
    keys.append(key)
    return keys.count - 1
  }

  private mutating func grow() {
    places = Buffer(repeating: 0, count: places.count * 2)
    for slot in 0..<keys.count { put(keys[slot], slot: slot) }
  }

  private func put(_ key: UInt64, slot: Int) {
    let mask = places.count - 1
    var place = Self.place(key) & mask
    while places[place] != 0 { place = (place + 1) & mask }
    places[place] = UInt32(truncatingIfNeeded: slot + 1)
  }

  /// Mixes all bits into the low ones (the finalizer of SplitMix64).
  @inline(__always)
  private static func place(_ key: UInt64) -> Int {
    var mixed = key
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 31)) & 0x7FFF_FFFF)
  }
}
