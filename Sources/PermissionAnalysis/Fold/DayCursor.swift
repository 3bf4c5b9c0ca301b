// Calendar days and ISO weeks of moments that mostly follow one another.

import PermissionEvents

/// Days of a zone: remembers the span of constant offset of the last moment, so that most need no search.
struct DayCursor {
  private var start: Milliseconds = 0
  private var end: Milliseconds = 0
  private var offset: Milliseconds = 0

  /// A constant of this module, so that dividing by it is a multiplication.
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The calendar day of a moment, which lies after 1970 in every zone. The zone is always the same one; it is not
  /// kept here, so that a copy of the cursor costs nothing.
  @inline(__always)
  mutating func day(of time: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    if time < start || time >= end { (start, end, offset) = zone.span(at: time) }
    return Self.day(ofLocal: time &+ offset)
  }

  /// Calls `body` with stretches of ascending moments, by number, that have one offset from UTC, and that offset.
  @inline(__always)
  mutating func forEachOffset(
    of count: Int, in zone: borrowing ZoneTable, time: (Int) -> Milliseconds,
    _ body: (_ moments: Range<Int>, _ offset: Milliseconds) -> Void
  ) {
    var first = 0
    while first < count {
      let moment = time(first)
      if moment < start || moment >= end { (start, end, offset) = zone.span(at: moment) }
      var next = count
      if time(count - 1) >= end {
        next = first + 1
        while time(next) < end { next += 1 }
      }
      body(first..<next, offset)
      first = next
    }
  }

  /// The index of the ISO week of a moment by local time, which lies after 1970.
  @inline(__always)
  static func week(ofLocal time: Milliseconds) -> Int64 {
    // 1970-01-01 was a Thursday.
    let sinceMonday = UInt64(truncatingIfNeeded: time &+ 3 &* Self.millisecondsPerDay)
    return Int64(truncatingIfNeeded: sinceMonday / UInt64(7 * Self.millisecondsPerDay))
  }

  /// The day of a moment by local time, which lies after 1970.
  @inline(__always)
  static func day(ofLocal time: Milliseconds) -> DayNumber {
    DayNumber(truncatingIfNeeded: UInt64(truncatingIfNeeded: time) / UInt64(Self.millisecondsPerDay))
  }

  /// The index of the ISO week of such a day.
  @inline(__always)
  static func week(of day: DayNumber) -> Int64 {
    Int64(truncatingIfNeeded: UInt64(truncatingIfNeeded: day &+ 3) / 7)
  }
}
