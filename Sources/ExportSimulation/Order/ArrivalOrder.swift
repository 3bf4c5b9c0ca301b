// The order of lines: by the time at which the server received them, within a block of users.

import PermissionEvents

/// Sorts the events of a block by arrival; events that arrive together stay in the order in which they happened.
struct ArrivalOrder {
  private var keys: [UInt64] = []
  private var spare: [UInt64] = []

  /// Bits of a key that hold the event's place; the arrival has the rest, enough for 17 years.
  private static let placeBits: UInt64 = 25
  private static let digitBits: UInt64 = 10
  /// A block with as many events is written before it grows further, so that places fit.
  static let mostEvents = 1 << 20

  /// Calls `body` with the place of each event, in order.
  /// - Parameter start: no event arrives before this.
  mutating func forEach(
    _ block: EventBlock, since start: Milliseconds, _ body: (Int) throws -> Void
  ) rethrows {
    let count = block.count
    keys.removeAll(keepingCapacity: true)
    for i in 0..<count {
      keys.append(UInt64(clamping: block.events[i].received - start) << Self.placeBits | UInt64(i))
    }
    if spare.count < count { spare = [UInt64](repeating: 0, count: count * 5 / 4) }
    // A radix sort of the arrival, least significant digit first: stable, and the same on every platform.
    for pass in 0..<4 {
      let shift = Self.placeBits + UInt64(pass) * Self.digitBits
      var places = [Int](repeating: 0, count: 1 << Self.digitBits)
      for key in keys { places[Int(key >> shift & 0x3FF)] += 1 }
      var sum = 0
      for digit in places.indices {
        let n = places[digit]
        places[digit] = sum
        sum += n
      }
      keys.withUnsafeMutableBufferPointer { keys in
        spare.withUnsafeMutableBufferPointer { spare in
          for key in keys {
            let digit = Int(key >> shift & 0x3FF)
            spare[places[digit]] = key
            places[digit] += 1
          }
          for i in keys.indices { keys[i] = spare[i] }
        }
      }
    }
    for key in keys { try body(Int(key & (1 << Self.placeBits - 1))) }
  }
}
