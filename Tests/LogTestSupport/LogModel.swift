// What a log should hold, by the plainest means: a dictionary by user and event id.

import EventLog
import PermissionEvents

/// A log as a dictionary. Erased users and expired events are left out; of the rest the first copy of an event stays.
package struct LogModel: Sendable {
  private struct Key: Hashable {
    var user: [UInt8]
    var id: [UInt8]
  }

  private var events: [Key: TestEvent] = [:]
  package private(set) var counts = IngestCounts()
  package private(set) var erased: Set<[UInt8]> = []
  package private(set) var expiredBefore: Milliseconds?
  /// True if the key of the list of erased users is not in the log.
  package private(set) var isKeyOutside = false

  package init() {}

  package init(_ events: [TestEvent]) { ingest(events) }

  package mutating func ingest(_ new: [TestEvent]) {
    for event in new {
      guard !erased.contains(event.user) else {
        counts.erased += 1
        continue
      }
      guard event.time >= expiredBefore ?? .min else {
        counts.expired += 1
        continue
      }
      let key = Key(user: event.user, id: event.id)
      if let kept = events[key] {
        counts.duplicates += 1
        if kept != event { counts.conflicts += 1 }
      } else {
        events[key] = event
        counts.new += 1
      }
    }
  }

  package mutating func erase(_ users: [[UInt8]], withKey: Bool = false) -> ErasureCounts {
    let named = Set(users)
    if erased.isEmpty, withKey { isKeyOutside = true }
    let removed = events.filter { named.contains($0.key.user) }
    var counts = ErasureCounts()
    counts.users = named.subtracting(erased).count
    counts.found = Set(removed.keys.map(\.user)).count
    counts.events = removed.count
    for key in removed.keys { events[key] = nil }
    erased.formUnion(named)
    return counts
  }

  package mutating func readmit(_ users: [[UInt8]]) -> Int {
    let named = erased.intersection(users)
    erased.subtract(named)
    if erased.isEmpty { isKeyOutside = false }
    return named.count
  }

  package mutating func moveKey() { isKeyOutside = !erased.isEmpty }

  package mutating func expire(before time: Milliseconds) -> ErasureCounts {
    var counts = ErasureCounts()
    counts.events = events.count
    events = events.filter { $0.value.time >= time }
    counts.events -= events.count
    expiredBefore = max(time, expiredBefore ?? .min)
    return counts
  }

  package mutating func readmitExpired() -> Milliseconds? {
    defer { expiredBefore = nil }
    return expiredBefore
  }

  /// In the log's order.
  package var export: [TestEvent] { events.values.sorted(by: TestEvent.isBefore) }
}
