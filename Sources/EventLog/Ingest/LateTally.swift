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

  mutating func add(_ time: Milliseconds, kind: UInt8) {
    let one = Events(count: 1, oldest: time)
    if EventKind(rawValue: kind)?.needsPermission == true { permission += one } else { activity += one }
  }

  /// Adds the events of a part of this ingest before a time.
  mutating func add(_ part: PartReader, before reach: Milliseconds) throws {
    let block = try BlockDecoder(part: part)
    for (i, entry) in part.footer.blocks.enumerated() where entry.minimumTime < reach {
      try block.open(i)
      try block.load(.history)
      for row in 0..<Int(entry.rows) where block.times[row] < reach {
        add(block.times[row], kind: UInt8(truncatingIfNeeded: block.codes[row] & 15))
      }
    }
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
