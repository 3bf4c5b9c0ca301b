// The windows that all figures share, and the moment that they look from.

import PermissionEvents

/// Durations in milliseconds.
package struct AnalysisWindows: Sendable {
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

  package static let usualAtOnce: Milliseconds = 250
  /// The longest that can be asked for: a minute.
  package static let longestAtOnce: Milliseconds = 60_000

  /// How long after a prompt a look at the status can tell the answer.
  package var shortestAnswer: Milliseconds { atOnce == 0 ? Self.usualAtOnce : atOnce }

  /// Longest window that can be asked for: ten years.
  package static let longest: Milliseconds = 3660 * millisecondsPerDay
}
