// A moment as people name one: a time, or the beginning of a date somewhere.

import PermissionEvents

/// A point in time, or the first moment of a date in the zone of the request.
public enum Moment: Sendable, Hashable {
  /// Milliseconds since 1970.
  case time(Milliseconds)
  /// The first moment of a date.
  case startOf(CivilDate)

  /// Milliseconds since 1970.
  func time(in zone: ZoneTable) throws(PermlogError) -> Milliseconds {
    switch self {
    case .startOf(let date): return zone.firstMoment(of: try date.checkedDay())
    case .time(let time):
      guard (0...Timestamp.latest + millisecondsPerDay * 366).contains(time) else {
        throw PermlogError(.usage, "the time \(time) is not in the years 1970 to 2100")
      }
      return time
    }
  }
}

extension CivilDate {
  /// The day's number.
  /// - Throws: for a date outside the years that a log can have.
  func checkedDay() throws(PermlogError) -> DayNumber {
    // Weeks of 2008 and 2100 begin and end in the years beside them.
    guard (2007...2101).contains(year), isValid else {
      throw PermlogError(.usage, "\(year)-\(month)-\(day) is no date of the years 2008 to 2100")
    }
    return dayNumber
  }
}
