// How many users install the app on each day: more at the weekend, and more in some weeks than in others. The numbers are
// fixed by the options, so that only what users do is random.

import PermissionEvents

struct JoinCalendar {
  /// Users who joined before each day, and all of them at the end; a user's number is the place in the order of joining.
  private let before: [Int]

  private static let weekday = [96, 94, 93, 97, 103, 112, 105]

  init(_ options: SimulationOptions) {
    var sum = 0
    let weights = (0..<options.days).map { offset in
      let day = options.firstDay + Int64(offset)
      // A week's campaigns: 82 to 118 % of the usual.
      let week = UInt64(bitPattern: ISOWeek(day: day).index)
      let campaign = 82 + Int(UserHash.mix(options.seed ^ UserHash.mix(week)) % 37)
      sum += Self.weekday[weekdayIndex(day)] * campaign
      return sum
    }
    // At most 10⁹ users times 4.8·10⁷ of weight.
    before = [0] + weights.map { options.users * $0 / max(1, sum) }
  }

  /// Numbers of the users who join on a day, counted from the first.
  func users(on day: Int) -> Range<Int> { before[day]..<before[day + 1] }
}

/// 0 for Monday to 6 for Sunday.
@inline(__always)
func weekdayIndex(_ day: DayNumber) -> Int { Int(day - ISOWeek(day: day).firstDay) }
