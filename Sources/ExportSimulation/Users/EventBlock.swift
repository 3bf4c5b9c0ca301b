// The events of a block of users, in memory that is used again for the next block.

import PermissionEvents

/// A growing flat buffer of events.
final class EventBlock {
  private(set) var events: UnsafeMutablePointer<SimulatedEvent>
  private(set) var count = 0
  private var capacity: Int

  init() {
    capacity = 1 << 16
    events = .allocate(capacity: capacity)
  }

  deinit { events.deallocate() }

  func removeAll() { count = 0 }

  @inline(__always)
  func append(_ event: SimulatedEvent) {
    if count == capacity { grow() }
    events[count] = event
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutablePointer<SimulatedEvent>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: events, count: count)
    events.deallocate()
    events = larger
    capacity *= 2
  }

  /// The batch of events from `first` on reaches the server at `time`.
  func receive(from first: Int, at time: Milliseconds) {
    for i in first..<count { events[i].received = time }
  }

  /// The batch reaches the server a second time, because the device did not hear that the first had arrived.
  /// - Parameter osVersion: what the copies say instead, where the device stamps events when it sends them.
  func resend(_ batch: Range<Int>, at time: Milliseconds, osVersion: UInt8?) {
    for i in batch {
      var copy = events[i]
      copy.received = time
      if let osVersion { copy.osVersion = osVersion }
      append(copy)
    }
  }
}
