// What a writer tells about what it did.

import PermissionEvents

/// What an ingest found out about its events.
public struct IngestCounts: Sendable, Equatable {
  /// Events that the log did not have.
  public var new = 0
  /// Copies of events that it had, or that came twice in the input.
  public var duplicates = 0
  /// Duplicates that differ from the event that was kept.
  public var conflicts = 0
  /// Events of users that were erased: left out.
  public var erased = 0
  /// Events before the time up to which the log was expired: left out.
  public var expired = 0
  /// New events over the number that the log holds of one user: left out.
  public var surplus = 0
  /// The users that those are of: the hash by which the log orders users, in 16 hexadecimal digits. It names a user to who
  /// has the id already, and does not give the id away.
  public var surplusUsers: Set<String> = []

  /// Most events of one user that a log holds.
  public static let mostEventsOfUser = PartFormat.maximumRows

  public init() {}

  public static func += (a: inout Self, b: Self) {
    a.new += b.new
    a.duplicates += b.duplicates
    a.conflicts += b.conflicts
    a.erased += b.erased
    a.expired += b.expired
    a.surplus += b.surplus
    a.surplusUsers.formUnion(b.surplusUsers)
  }
}

/// Events of an ingest that were written, and gave way to lesser copies that a later round had.
struct ReplacedCounts: Sendable, Equatable {
  var events = 0
  /// Their equal copies, which were no conflicts before.
  var copies = 0
  /// Of the events, those ahead of the clock.
  var ahead = 0

  mutating func add(copies: Int, isAhead: Bool) { self += Self(events: 1, copies: copies, ahead: isAhead ? 1 : 0) }

  static func += (a: inout Self, b: Self) {
    a.events += b.events
    a.copies += b.copies
    a.ahead += b.ahead
  }

  /// What they change in the counts of their rounds.
  var counts: IngestCounts {
    var counts = IngestCounts()
    counts.new = -events
    counts.duplicates = events
    counts.conflicts = events + copies
    return counts
  }
}

extension IngestTally {
  /// The tally of rounds of which some events gave way.
  func corrected(_ replaced: ReplacedCounts) -> IngestTally {
    let counts = replaced.counts
    return IngestTally(
      new: new + Int64(counts.new), duplicates: duplicates + Int64(counts.duplicates),
      conflicts: conflicts + Int64(counts.conflicts), ahead: ahead - Int64(replaced.ahead), lines: lines,
      notUnderstood: notUnderstood, sessions: sessions, changedSessions: changedSessions)
  }

  init(_ counts: IngestCounts, ahead: Int) {
    self.init(
      new: Int64(counts.new), duplicates: Int64(counts.duplicates), conflicts: Int64(counts.conflicts),
      ahead: Int64(ahead))
  }
}

/// What an erasure did.
package struct ErasureCounts: Sendable, Equatable {
  /// Users that are kept out from now on and were not before.
  package var users = 0
  /// Users of those named who had events.
  package var found = 0
  /// Events that were removed.
  package var events = 0
  /// Parts that were rewritten or dropped.
  package var parts = 0

  package init() {}
}
