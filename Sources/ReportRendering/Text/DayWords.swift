// Days and weeks as people write them.

import PermissionEvents

enum DayWords {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// `23 March 2026`.
  static func day(_ day: DayNumber) -> String {
    let date = CivilDate(day)
    return "\(date.day) \(month(date)) \(date.year)"
  }

  /// `23 to 29 March 2026`, `30 March to 5 April 2026`: what both ends have in common is said once.
  static func range(_ first: DayNumber, _ last: DayNumber) -> String {
    guard first < last else { return day(last) }
    let (a, b) = (CivilDate(first), CivilDate(last))
    if a.year != b.year { return day(first) + " to " + day(last) }
    let start = a.month == b.month ? "\(a.day)" : "\(a.day) \(month(a))"
    return start + " to " + day(last)
  }

  /// `23 to 29 March 2026 (2026-W13)`.
  static func week(_ week: ISOWeek) -> String { range(week.firstDay, week.firstDay + 6) + " (" + week.text + ")" }

  /// The week, or the days, that were asked for: `week of …`, `since …`, `up to …`; nil for all.
  /// - Parameters:
  ///   - from: the moment at which they begin.
  ///   - to: the moment after them.
  static func span(from: Milliseconds?, to: Milliseconds?, _ zone: ZoneTable) -> String? {
    switch (from.map { zone.day(of: $0) }, to.map { zone.day(of: $0 - 1) }) {
    case (let first?, let last?):
      let week = ISOWeek(day: first)
      return week.firstDay == first && last == first + 6 ? "week of " + self.week(week) : range(first, last)
    case (let first?, nil): return "since " + day(first)
    case (nil, let last?): return "up to " + day(last)
    case (nil, nil): return nil
    }
  }

  /// `1 day`, `17 days`.
  static func count(_ days: Int) -> String { NumberText.counted(days, "day") }

  private static func month(_ date: CivilDate) -> String {
    let place = Int(date.month) - 1
    return months.indices.contains(place) ? months[place] : ""
  }
}
