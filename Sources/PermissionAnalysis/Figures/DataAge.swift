// How old the events are that an answer is made of.

import PermissionEvents

/// The newest event of a log beside the clock. Times are UTC milliseconds.
public struct DataAge: Sendable, Hashable {
  public let newest: Milliseconds
  /// The newest that is not ahead of the clock; nil if all are.
  public let latest: Milliseconds?
  /// When the question was asked.
  public let clock: Milliseconds

  /// - Parameter newest: of all events; it is not ahead of the clock.
  package init(newest: Milliseconds, clock: Milliseconds) { self.init(newest: newest, latest: newest, clock: clock) }

  package init(newest: Milliseconds, latest: Milliseconds?, clock: Milliseconds) {
    (self.newest, self.latest, self.clock) = (newest, latest, clock)
  }

  /// Whole days since the latest event that is not ahead of the clock; nil without one.
  public var days: Int? { latest.map { Int((clock - $0) / millisecondsPerDay) } }

  /// True if nothing came in for more than two days: the log is not fed, or nobody asks any more.
  public var isOld: Bool { latest.map { clock - $0 > 2 * millisecondsPerDay } ?? false }

  /// True if a phone's clock is ahead: such events are not looked at yet.
  public var isAhead: Bool { newest > clock }
}
