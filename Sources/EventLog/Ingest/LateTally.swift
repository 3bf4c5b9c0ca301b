// Events that an ingest adds although newer ones have been in the log.

import PermissionEvents

/// Late events of an ingest.
struct LateTally: Sendable, Equatable {
  struct Events: Sendable, Equatable {
    var count = 0
    var oldest = Milliseconds.max

    static func += (a: inout Self, b: Self) {
      a.count += b.count
      a.oldest = min(a.oldest, b.oldest)
    }
  }

  var permission = Events()
  /// Use of the app, and installs.
  var activity = Events()

  mutating func add(_ event: PackedEvent) {
    let one = Events(count: 1, oldest: event.time)
    if EventKind(rawValue: event.kindCode)?.needsPermission == true { permission += one } else { activity += one }
  }

  static func += (a: inout Self, b: Self) {
    a.permission += b.permission
    a.activity += b.activity
  }

  /// The changes of the past that they are.
  func changes(at time: Milliseconds, reach: Milliseconds) -> [PastChange] {
    [(PastChange.Kind.latePermission, permission), (.lateActivity, activity)].filter { $0.1.count > 0 }.map {
      PastChange(kind: $0, first: time, last: time, reach: reach, oldest: $1.oldest, count: $1.count)
    }
  }
}
