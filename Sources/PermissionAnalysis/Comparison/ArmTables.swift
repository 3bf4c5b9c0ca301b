// The counters of all arms under the codes of one walk, of users who saw one variant and of those who saw several.

import Buffers

/// Where the counters of an arm lie in a flat array of all arms.
enum ArmPlace {
  /// - Parameter isContaminated: of users who saw several variants.
  @inline(__always)
  static func number(_ arm: Int, isContaminated: Bool) -> Int { arm * 2 + (isContaminated ? 1 : 0) }
}

/// Counters by arm and by whether the user saw several variants. Owned by one thread.
struct ArmTable: ~Copyable {
  private let counters: Buffer<Int64>

  init(arms: Int) { counters = Buffer(repeating: 0, count: arms * 2 * ArmCounter.places) }

  @inline(__always)
  func counters(of arm: Int, isContaminated: Bool) -> UnsafeMutablePointer<Int64> {
    counters.unsafeAddress + ArmPlace.number(arm, isContaminated: isContaminated) * ArmCounter.places
  }

  func integers() -> [Int64] { counters.span.withUnsafeBufferPointer { Array($0) } }
}

/// Counters by key, then by arm and by whether the user saw several variants. Owned by one thread.
struct ArmCounterTable: ~Copyable {
  private(set) var keys: [Int] = []
  /// By key minus the first the slot plus one; 0 without one.
  private let slots: Buffer<Int32>
  /// Slots of keys out of that range.
  private var others: [Int: Int] = [:]
  private var counters = Buffer<Int64>()
  private let first: Int
  private let width: Int

  /// - Parameter keys: that are looked up without hashing.
  init(keys: ClosedRange<Int>, arms: Int) {
    first = keys.lowerBound
    slots = Buffer(repeating: 0, count: min(keys.count, 1 << 20))
    width = arms * 2 * ArmCounter.count
  }

  /// The counters of a key and an arm; valid until the next key.
  @inline(__always)
  mutating func counters(of key: Int, arm: Int, isContaminated: Bool) -> UnsafeMutablePointer<Int64> {
    // First the slot: a new one may move the counters.
    let slot = slot(key)
    return counters.unsafeAddress + slot * width + ArmPlace.number(arm, isContaminated: isContaminated)
      * ArmCounter.count
  }

  @inline(__always)
  private mutating func slot(_ key: Int) -> Int {
    let place = key - first
    if place >= 0, place < slots.count, slots[place] > 0 { return Int(slots[place]) - 1 }
    return newSlot(key)
  }

  @inline(never)
  private mutating func newSlot(_ key: Int) -> Int {
    if let slot = others[key] { return slot }
    let slot = keys.count
    keys.append(key)
    let place = key - first
    if place >= 0, place < slots.count {
      slots[place] = Int32(truncatingIfNeeded: slot + 1)
    } else {
      others[key] = slot
    }
    counters.extend(to: (slot + 1) * width, repeating: 0)
    return slot
  }

  /// The counters of a slot, which is the place of its key in `keys`.
  func integers(slot: Int) -> [Int64] {
    counters.span.extracting(slot * width..<(slot + 1) * width).withUnsafeBufferPointer { Array($0) }
  }
}
