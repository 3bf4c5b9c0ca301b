// ISO weeks and days of moments that mostly follow one another.

import PermissionEvents

/// Remembers the week of the last moment, so that most need no arithmetic.
struct WeekCursor {
  private let zone: ZoneTable
  private var start: Milliseconds = 0
  private var end: Milliseconds = 0
  private var week: Int64 = 0

  init(_ zone: ZoneTable) { self.zone = zone }

  /// Index of the ISO week of a moment's calendar day.
  @inline(__always)
  mutating func index(of time: Milliseconds) -> Int64 {
    if time < start || time >= end { move(to: time) }
    return week
  }

  @inline(never)
  private mutating func move(to time: Milliseconds) {
    let found = ISOWeek(day: zone.day(of: time))
    week = found.index
    start = zone.firstMoment(of: found.firstDay)
    end = zone.firstMoment(of: found.firstDay + 7)
    if time < start || time >= end {
      // Clocks set back over a Monday's midnight: an hour of the old week comes after the new one began.
      start = time
      end = time + 1
    }
  }
}
