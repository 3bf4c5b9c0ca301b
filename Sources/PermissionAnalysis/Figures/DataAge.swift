// How old the events are that an answer is made of.

import PermissionEvents

/// The newest event of a log beside the clock. Times are UTC milliseconds.
public struct DataAge: Sendable, Hashable {
  public let newest: Milliseconds
  /// When the question was asked.
  public let clock: Milliseconds

  package init(newest: Milliseconds, clock: Milliseconds) { (self.newest, self.clock) = (newest, clock) }

  /// Whole days since the newest event; 0 if it is ahead of the clock.
  public var days: Int { Int(max(0, clock - newest) / millisecondsPerDay) }

  /// True if nothing came in for more than two days: the log is not fed, or nobody asks any more.
  public var isOld: Bool { clock - newest > 2 * millisecondsPerDay }

  /// True if a phone's clock is ahead: such events are not looked at yet.
  public var isAhead: Bool { newest > clock }
}
