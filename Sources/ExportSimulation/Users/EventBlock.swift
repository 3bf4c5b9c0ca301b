// The events of a block of users, and the order of their lines: by the time at which the server received them.

import Buffers
import PermissionEvents

/// Events in memory that is used again for the next block.
final class EventBlock {
  @exclusivity(unchecked) private var memory = Buffer<SimulatedEvent>(capacity: 1 << 16)

  var count: Int { memory.count }
  subscript(_ place: Int) -> SimulatedEvent { memory[place] }

  func removeAll() { memory.removeAll() }

  @inline(__always)
  func append(_ event: SimulatedEvent) { memory.append(event) }

  /// The batch of events from `first` on reaches the server at `time`.
  func receive(from first: Int, at time: Milliseconds) {
    for i in first..<count { memory.unsafeAddress[i].received = time }
  }

  /// The batch reaches the server a second time, because the device did not hear that the first had arrived.
  /// - Parameter osVersion: what the copies say instead, if the device stamps events when it sends them.
  func resend(_ batch: Range<Int>, at time: Milliseconds, osVersion: UInt8?) {
    for i in batch {
      var copy = memory[i]
      copy.received = time
      if let osVersion { copy.osVersion = osVersion }
      append(copy)
    }
  }
}

/// Sorts the events of a block by arrival; events that arrive together stay in the order in which they happened.
struct ArrivalOrder {
  private var keys: [UInt64] = []
  private var spare: [UInt64] = []

  /// Bits of a key that hold the event's place; the arrival has the rest, enough for 17 years.
  private static let placeBits: UInt64 = 25
  private static let digitBits: UInt64 = 10
  /// A block with as many events is written before it grows further, so that places fit.
  static let mostEvents = 1 << 20

  /// Calls `body` with each event, in order.
  /// - Parameter start: no event arrives before this.
  mutating func forEach(
    _ block: EventBlock, since start: Milliseconds, _ body: (SimulatedEvent) throws -> Void
  ) rethrows {
    keys.removeAll(keepingCapacity: true)
    for i in 0..<block.count {
      keys.append(UInt64(clamping: block[i].received - start) << Self.placeBits | UInt64(i))
    }
    if spare.count < keys.count { spare = [UInt64](repeating: 0, count: keys.count * 5 / 4) }
    // A radix sort of the arrival, least significant digit first: stable, and the same on every platform.
    for pass in 0..<4 {
      let shift = Self.placeBits + UInt64(pass) * Self.digitBits
      var places = [Int](repeating: 0, count: 1 << Self.digitBits)
      for key in keys { places[Int(key >> shift & 0x3FF)] += 1 }
      var sum = 0
      for digit in places.indices { (places[digit], sum) = (sum, sum + places[digit]) }
      for key in keys {
        let digit = Int(key >> shift & 0x3FF)
        spare[places[digit]] = key
        places[digit] += 1
      }
      keys.replaceSubrange(0..., with: spare[..<keys.count])
    }
    for key in keys { try body(block[Int(key & (1 << Self.placeBits - 1))]) }
  }
}
