// Ends of days: the moments at which a comparison is looked at.

import Buffers
import PermissionEvents

/// Which look is the first to know something.
///
/// The look of a day is made at its end, which is the first moment of the next day, and sees what is not later. If a zone
/// leaves out a day, two days end together; the first of them has the look.
struct LookDays: ~Copyable {
  /// Days that are found by dividing.
  let range: ClosedRange<DayNumber>
  /// Of each of them.
  private let ends: Buffer<Milliseconds>
  private let firstEnd, lastEnd: Milliseconds

  /// Most days that a table is laid out for.
  private static let most: DayNumber = 1 << 16
  /// A constant of this module, so that dividing by it is a multiplication.
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// - Parameter moments: that are found by dividing; others are searched for in the zone's table.
  init(_ moments: ClosedRange<Milliseconds>, in zone: ZoneTable) {
    let first = zone.day(of: moments.lowerBound) - 1
    range = first...min(zone.day(of: moments.upperBound) + 1, first + Self.most)
    var ends = Buffer<Milliseconds>(capacity: range.count)
    for day in range { ends.append(zone.firstMoment(of: day + 1)) }
    firstEnd = ends[0]
    lastEnd = ends[ends.count - 1]
    self.ends = ends
  }

  /// The first day whose end is not before a moment. The zone is always the same one.
  @inline(__always)
  func day(knowing moment: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    guard moment > firstEnd, moment <= lastEnd else { return searchedDay(knowing: moment, in: zone) }
    // Days are about as long as each other, so that this is at most a few places off.
    let days = UInt64(truncatingIfNeeded: moment &- firstEnd) / UInt64(Self.millisecondsPerDay)
    var place = min(Int(truncatingIfNeeded: days), ends.count &- 1)
    while ends[place] < moment { place &+= 1 }
    while ends[place &- 1] >= moment { place &-= 1 }
    return range.lowerBound &+ DayNumber(truncatingIfNeeded: place)
  }

  @inline(never)
  private func searchedDay(knowing moment: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    zone.lastBegunDay(at: moment - 1)
  }

  /// The first moment after a day.
  @inline(__always)
  func end(of day: DayNumber, in zone: borrowing ZoneTable) -> Milliseconds {
    let place = Int(truncatingIfNeeded: day &- range.lowerBound)
    return place >= 0 && place < ends.count ? ends[place] : zone.firstMoment(of: day + 1)
  }

  /// The first day that ends when a day does: the day itself, unless the zone leaves it out.
  @inline(__always)
  func firstDay(endingWith day: DayNumber, in zone: borrowing ZoneTable) -> DayNumber {
    let place = Int(truncatingIfNeeded: day &- range.lowerBound)
    if place > 0, place < ends.count, ends[place &- 1] < ends[place] { return day }
    return searchedDay(knowing: end(of: day, in: zone), in: zone)
  }
}
