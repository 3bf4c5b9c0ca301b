// ISO 8601 weeks: Monday to Sunday, the first week of a year is the one with its first Thursday.

/// An ISO week, as the number of weeks since the one that holds 1970-01-01.
public struct ISOWeek: Hashable, Comparable, Sendable {
  public let index: Int64

  public init(index: Int64) { self.index = index }

  /// The week of a day. 1970-01-01 was a Thursday.
  public init(day: DayNumber) { index = floorDivide(day + 3, 7) }

  /// The Monday.
  public var firstDay: DayNumber { index * 7 - 3 }

  public static func < (a: Self, b: Self) -> Bool { a.index < b.index }

  /// `2026-W14`.
  public var text: String {
    let thursday = firstDay + 3
    let year = CivilDate(thursday).year
    let week = (thursday - CivilDate(year: year, month: 1, day: 1).dayNumber) / 7 + 1
    return pad(year, 4) + "-W" + pad(week, 2)
  }

  /// `2026-W14`; nil if the text is not a week, or the year has no such week.
  public init?(parsing text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 3, parts[1].hasPrefix("W"),
      let year = Int64(parts[0]), year >= 1, let week = Int64(parts[1].dropFirst()), (1...53).contains(week)
    else { return nil }
    let fourth = ISOWeek(day: CivilDate(year: year, month: 1, day: 4).dayNumber)
    index = fourth.index + week - 1
    guard self.text == text else { return nil }
  }
}
