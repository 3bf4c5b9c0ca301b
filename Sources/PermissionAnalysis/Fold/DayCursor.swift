// Calendar days and ISO weeks of moments that mostly follow one another.

import PermissionEvents

/// Days of a zone: remembers the span of constant offset of the last moment, so that most need no search.
struct DayCursor {
  private var start: Milliseconds = 0
  private var end: Milliseconds = 0
  private var offset: Milliseconds = 0

  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The calendar day of a moment, which lies after 1970 in every zone. The zone is always the same one; it is not
  /// kept here, so that a copy of the cursor costs nothing.
  @inline(__always)
  mutating func day(of time: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    if time < start || time >= end { (start, end, offset) = zone.span(at: time) }
    return DayNumber(truncatingIfNeeded: UInt64(truncatingIfNeeded: time &+ offset) / UInt64(Self.millisecondsPerDay))
  }

  /// The index of the ISO week of such a day.
  @inline(__always)
  static func week(of day: DayNumber) -> Int64 {
    Int64(truncatingIfNeeded: UInt64(truncatingIfNeeded: day &+ 3) / 7)
  }
}
