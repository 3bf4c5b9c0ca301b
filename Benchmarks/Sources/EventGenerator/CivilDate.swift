// A date of the Gregorian calendar, without Foundation.

/// Year, month and day.
public struct CivilDate: Equatable, CustomStringConvertible, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date `days` days later (`days` ≥ 0).
  public func adding(days: Int) -> CivilDate {
    var (year, month, day) = (year, month, day + days)
    while day > Self.length(ofMonth: month, year: year) {
      day -= Self.length(ofMonth: month, year: year)
      month += 1
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    return CivilDate(year: year, month: month, day: day)
  }

  /// `YYYY-MM-DD`, for years 1000 to 9999.
  public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
