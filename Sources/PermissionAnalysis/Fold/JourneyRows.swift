// The events of one journey, gathered from a user's history. Reused from journey to journey.

import PermissionEvents

struct JourneyRows: ~Copyable {
  private var times = FlatBuffer<Milliseconds>(capacity: 256)
  private var codes = FlatBuffer<UInt32>(capacity: 256)
  /// The number of each event among the user's events of permissions.
  private var rows = FlatBuffer<Int>(capacity: 256)

  mutating func removeAll() {
    times.removeAll()
    codes.removeAll()
    rows.removeAll()
  }

  @inline(__always)
  mutating func append(time: Milliseconds, code: UInt32, row: Int) {
    times.append(time)
    codes.append(code)
    rows.append(row)
  }

  /// By number of an event in the journey its number among the user's events of permissions. Valid until the next change.
  var rowNumbers: UnsafePointer<Int> { UnsafePointer(rows.pointer) }

  /// Valid until the next change.
  var events: EventList { EventList(times: times.pointer, codes: codes.pointer, count: times.count) }
}
