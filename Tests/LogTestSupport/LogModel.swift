// What a log should hold, by the plainest means: a dictionary by user and event id.

import EventLog
import PermissionEvents

/// A log as a dictionary. The first copy of an event stays.
package struct LogModel {
  private struct Key: Hashable {
    var user: [UInt8]
    var id: [UInt8]
  }

  private var events: [Key: TestEvent] = [:]
  package private(set) var counts = IngestCounts()

  package init() {}

  package init(_ events: [TestEvent]) { ingest(events) }

  package mutating func ingest(_ new: [TestEvent]) {
    for event in new {
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

  /// In the log's order.
  package var export: [TestEvent] { events.values.sorted(by: TestEvent.isBefore) }
}
