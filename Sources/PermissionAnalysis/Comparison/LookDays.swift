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
    self.ends = ends
  }

  /// The first day whose end is not before a moment. The zone is always the same one.
  @inline(__always)
  func day(knowing moment: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    let sinceFirst = moment &- ends[0]
    guard sinceFirst > 0, moment <= ends[ends.count - 1] else { return zone.lastBegunDay(at: moment - 1) }
    // Days are about as long as each other, so that this is at most a few places off.
    var place = min(
      Int(truncatingIfNeeded: UInt64(truncatingIfNeeded: sinceFirst) / UInt64(Self.millisecondsPerDay)),
      ends.count - 1)
    while ends[place] < moment { place += 1 }
    while ends[place - 1] >= moment { place -= 1 }
    return range.lowerBound + DayNumber(place)
  }

  /// The first moment after a day.
  @inline(__always)
  func end(of day: DayNumber, in zone: borrowing ZoneTable) -> Milliseconds {
    range.contains(day) ? ends[Int(day - range.lowerBound)] : zone.firstMoment(of: day + 1)
  }
}
