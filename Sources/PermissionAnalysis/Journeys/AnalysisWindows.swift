// The windows that all figures share, and the moment that they look from.

import PermissionEvents

/// Durations in milliseconds.
package struct AnalysisWindows: Sendable, Hashable {
  /// W: how long after the exposure an answer counts.
  package var response: Milliseconds = 30 * 60_000
  /// H: how long a journey is followed.
  package var followUp: Milliseconds = 28 * millisecondsPerDay
  /// S: how long after a Settings prompt an enabling counts as following it.
  package let settings: Milliseconds = 7 * millisecondsPerDay
  /// Answers that come less than this after a prompt, or before it, are no person's; 0 takes all for answers.
  package var atOnce: Milliseconds = AnalysisWindows.usualAtOnce
  /// The moment that the report looks from; later events are not looked at.
  package var asOf: Milliseconds

  package init(asOf: Milliseconds) { self.asOf = asOf }

  /// How many of a user's events, which are in the order of their times, are looked at.
  @inline(__always)
  func events(_ times: UnsafePointer<Milliseconds>, _ count: Int) -> Int {
    var count = count
    while count > 0, times[count - 1] > asOf { count -= 1 }
    return count
  }

  package static let usualAtOnce: Milliseconds = 250
  /// The longest that can be asked for: a minute.
  package static let longestAtOnce: Milliseconds = 60_000

  /// How long after a prompt a look at the status can tell the answer.
  package var shortestAnswer: Milliseconds { atOnce == 0 ? Self.usualAtOnce : atOnce }

  /// Longest window that can be asked for: ten years.
  package static let longest: Milliseconds = 3660 * millisecondsPerDay
}
