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

  package static let longestUsers = 1_000_000_000
  package static let longestWeeks = 520

  package init(users: Int, seed: UInt64, weeks: Int, firstDay: DayNumber) {
    self.users = max(1, min(users, Self.longestUsers))
    self.seed = seed
    self.weeks = max(1, min(weeks, Self.longestWeeks))
    self.firstDay = firstDay
  }

  var days: Int { weeks * 7 }
  /// The moment at which the export ends; no event is as late.
  package var end: Milliseconds { (firstDay + Int64(days)) * millisecondsPerDay }
}
