// What is asked of a simulation.

import PermissionEvents

/// The size, place in time and seed of a simulated population. Equal options give equal bytes on every platform.
package struct SimulationOptions: Sendable {
  /// Users who install the app, 1 to a thousand million.
  package var users: Int
  package var seed: UInt64
  /// Length of the export in weeks, 1 to 520.
  package var weeks: Int
  /// The first day, UTC.
  package var firstDay: DayNumber
  package var population: SimulatedPopulation
  /// Percent of the users who had decided before the export begins, 0 to 80; of the everyday population.
  package var decidedBefore: Int

  package static let longestUsers = 1_000_000_000
  package static let longestWeeks = 520
  /// With more, fewer than 1 in 100 answers could be people's: prompts that are logged with their answers look like that.
  package static let mostDecidedBefore = 80

  package init(
    users: Int, seed: UInt64, weeks: Int, firstDay: DayNumber, population: SimulatedPopulation = .everyday,
    decidedBefore: Int = 0
  ) {
    self.users = max(1, min(users, Self.longestUsers))
    self.seed = seed
    self.weeks = max(1, min(weeks, Self.longestWeeks))
    self.firstDay = firstDay
    self.population = population
    self.decidedBefore = population == .everyday ? max(0, min(decidedBefore, Self.mostDecidedBefore)) : 0
  }

  /// How many of the users before a number had decided. Numbers decide, so that the true number is exact.
  func decided(before number: Int) -> Int { number * decidedBefore / 100 }

  var days: Int { weeks * 7 }
  /// The moment at which the export ends; no event is as late.
  package var end: Milliseconds { (firstDay + Int64(days)) * millisecondsPerDay }
}

/// How many users install the app on each day: more at the weekend, and more in some weeks than in others. The numbers are
/// fixed by the options, so that only what users do is random.
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
