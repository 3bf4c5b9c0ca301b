// Weeks: of ISO 8601, from Monday to Sunday, or from Sunday or Saturday on.

/// The day on which weeks begin.
public enum WeekStart: String, Sendable, CaseIterable {
  case monday, sunday, saturday

  /// `Monday`.
  public var name: String {
    switch self {
    case .monday: "Monday"
    case .sunday: "Sunday"
    case .saturday: "Saturday"
    }
  }

  /// Days from the beginning of a week to its Monday.
  fileprivate var daysBeforeMonday: Int64 {
    switch self {
    case .monday: 0
    case .sunday: 1
    case .saturday: 2
    }
  }
}

/// A week. An ISO week is named by its year and number, the first being the one with the year's first Thursday; a week
/// that begins on another day is named by its first day.
public struct CalendarWeek: Hashable, Comparable, Sendable {
  /// Weeks since the one that holds 1970-01-01, plus a million for each day by which weeks begin before Monday: so the
  /// number of a week says when it begins, and neighbours have neighbouring numbers.
  public let index: Int64

  static let numbersOfStart: Int64 = 1_000_000

  public init(index: Int64) { self.index = index }

  /// The week of a day. 1970-01-01 was a Thursday.
  public init(day: DayNumber, from start: WeekStart = .monday) {
    let terms = Self.terms(from: start)
    index = floorDivide(day + terms.days, 7) + terms.index
  }

  /// The number of days to add to a day, and the number to add to its seventh, for the index of its week.
  package static func terms(from start: WeekStart) -> (days: Int64, index: Int64) {
    (3 + start.daysBeforeMonday, start.daysBeforeMonday * numbersOfStart)
  }

  public var start: WeekStart {
    let days = floorDivide(index + Self.numbersOfStart / 2, Self.numbersOfStart)
    return WeekStart.allCases.first { $0.daysBeforeMonday == days } ?? .monday
  }

  public var firstDay: DayNumber {
    let days = start.daysBeforeMonday
    return (index - days * Self.numbersOfStart) * 7 - 3 - days
  }

  public static func < (a: Self, b: Self) -> Bool { a.index < b.index }

  /// `2026-W14`, or `2026-03-29` of a week that does not begin on Monday.
  public var text: String { String(bounded: bytes) }

  public var bytes: [UInt8] {
    guard start == .monday else { return CivilDate(firstDay).bytes }
    let thursday = firstDay + 3
    let year = CivilDate(thursday).year
    let week = (thursday - CivilDate(year: year, month: 1, day: 1).dayNumber) / 7 + 1
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8)
    DateDigits.append(year, 4, to: &bytes)
    bytes.append(0x2D)
    bytes.append(0x57)
    DateDigits.append(week, 2, to: &bytes)
    return bytes
  }

  /// `2026-W14`, or the date of a Sunday or a Saturday; nil if the text is not a week, or the year has no such week.
  public init?(parsing text: String) { self.init(parsing: Array(text.utf8)) }

  public init?(parsing bytes: [UInt8]) {
    if let date = CivilDate(parsing: bytes) {
      let day = date.dayNumber
      for start in WeekStart.allCases where start != .monday {
        let week = CalendarWeek(day: day, from: start)
        if week.firstDay == day {
          self = week
          return
        }
      }
      return nil
    }
    guard bytes.count == 8, bytes[4] == 0x2D, bytes[5] == 0x57, let year = DateDigits.value(bytes[..<4]), year >= 1,
      let week = DateDigits.value(bytes[6...]), (1...53).contains(week)
    else { return nil }
    let fourth = CalendarWeek(day: CivilDate(year: year, month: 1, day: 4).dayNumber)
    index = fourth.index + week - 1
    // A 53rd week may be the first of the next year, which has another name.
    guard self.bytes == bytes else { return nil }
  }
}

extension ZoneTable {
  /// The week of a day.
  public func week(of day: DayNumber) -> CalendarWeek { CalendarWeek(day: day, from: weekStart) }

  /// The week of the day that began last before or at a moment.
  package func lastBegunWeek(at time: Milliseconds) -> CalendarWeek { week(of: lastBegunDay(at: time)) }
}
