// The counts of a writer.

import PermissionEvents

/// The findings of an ingest about its events.
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
  /// With replacing: events of the log that were replaced by another reading. They are also conflicts.
  public var replaced = 0
  /// With replacing: events of the log with rows that are no longer events.
  public var withdrawn = 0
  /// Links between ids that the log did not know.
  public var links = 0
  /// Links that would have given a user too many ids.
  public var refusedLinks = 0
  /// Stored events that were written again under the id of their user.
  public var moved = 0
  /// Of stored events that turned out to be one, the copies that went.
  public var joinedCopies = 0
  /// The copies that differ from the event that stays.
  public var joinedConflicts = 0
  /// Ids that are erased because they were linked with an erased one.
  public var erasedByLink = 0
  /// New events over the number that the log holds of one user: left out.
  public var surplus = 0
  /// The users of these events: the hash by which the log orders users, in 16 hexadecimal digits. It identifies a user
  /// for anyone who already has the id, but does not reveal the id.
  public var surplusUsers: Set<String> = []

  /// Most ids that one user has.
  public static let mostIDsOfUser = UserLinks.mostIDsOfUser
  /// Most events of one user that a log holds.
  public static let mostEventsOfUser = PartFormat.maximumRows

  public init() {}

  /// Counts an event of the log that is replaced by another reading of its row. The reading is written like a new
  /// event, and counted as a copy that differs. A row that is no longer an event is neither.
  mutating func countReplaced(by reading: PackedEvent) {
    if reading.kindCode == PackedEvent.noEvent {
      withdrawn += 1
      return
    }
    replaced += 1
    new -= 1
    duplicates += 1
    if !reading.isDaily { conflicts += 1 }
  }

  public static func += (a: inout Self, b: Self) {
    a.new += b.new
    a.duplicates += b.duplicates
    a.conflicts += b.conflicts
    a.erased += b.erased
    a.expired += b.expired
    a.surplus += b.surplus
    a.surplusUsers.formUnion(b.surplusUsers)
    a.replaced += b.replaced
    a.withdrawn += b.withdrawn
    a.links += b.links
    a.refusedLinks += b.refusedLinks
    a.moved += b.moved
    a.joinedCopies += b.joinedCopies
    a.joinedConflicts += b.joinedConflicts
    a.erasedByLink += b.erasedByLink
  }
}

/// Copies with a different meaning than the events that the log had: their kind, permission, status, variant or time differs.
public struct Contradictions: Sendable, Equatable {
  public var count = 0
  /// Some of them, in the order of the log.
  public var examples: [Contradiction] = []
  /// Events with the id of another event of their user in the same ingest, of another kind or time: only one of them is kept.
  public var namesakes = 0

  public init() {}

  static func += (a: inout Self, b: Self) {
    a.count += b.count
    a.namesakes += b.namesakes
    a.examples = Contradiction.least(of: a.examples + b.examples)
  }
}

/// A copy of an event with a different meaning than the event that is kept.
public struct Contradiction: Sendable, Equatable {
  /// The user's position in the log.
  var order: UInt64
  /// The event that is kept, and the copy, as lines of an export.
  public var kept: [UInt8]
  public var copy: [UInt8]

  static let shown = 3

  /// The first few in the order of their lines, independent of the order in which they were found.
  static func least(of all: [Contradiction]) -> [Contradiction] {
    let sorted = all.sorted {
      $0.order == $1.order ? $0.copy.lexicographicallyPrecedes($1.copy) : $0.order < $1.order
    }
    var kept: [Contradiction] = []
    for one in sorted where kept.last != one && kept.count < shown { kept.append(one) }
    return kept
  }
}

/// Events of an ingest that were written, but then replaced by lesser copies of a later round.
struct ReplacedCounts: Sendable, Equatable {
  var events = 0
  /// Their equal copies, which were no conflicts before.
  var copies = 0
  /// Of the events, those ahead of the clock.
  var ahead = 0
  /// Of the events and their copies, those that many rows of a day make: they never are conflicts.
  var daily = 0

  mutating func add(copies: Int, isAhead: Bool, areDaily: Bool) {
    self += Self(events: 1, copies: copies, ahead: isAhead ? 1 : 0, daily: areDaily ? copies + 1 : 0)
  }

  static func += (a: inout Self, b: Self) {
    a.events += b.events
    a.copies += b.copies
    a.ahead += b.ahead
    a.daily += b.daily
  }

  var counts: IngestCounts {
    var counts = IngestCounts()
    counts.new = -events
    counts.duplicates = events
    counts.conflicts = events + copies - daily
    return counts
  }
}

extension IngestTally {
  /// The tally of rounds with some events that were replaced.
  func corrected(_ replaced: ReplacedCounts) -> IngestTally {
    let counts = replaced.counts
    return IngestTally(
      new: new + Int64(counts.new), duplicates: duplicates + Int64(counts.duplicates),
      conflicts: conflicts + Int64(counts.conflicts), ahead: ahead - Int64(replaced.ahead), lines: lines,
      notUnderstood: notUnderstood, sessions: sessions, changedSessions: changedSessions)
  }

  init(_ counts: IngestCounts, ahead: Int) {
    // Events that turned out to be copies were new to their ingests, and the counts of their parts include them. So
    // they are counted here, as far as there are new ones.
    self.init(
      new: Int64(max(0, counts.new - counts.joinedCopies)), duplicates: Int64(counts.duplicates + counts.joinedCopies),
      conflicts: Int64(counts.conflicts + counts.joinedConflicts), ahead: Int64(ahead))
  }
}

/// What became of one id that was to be erased.
package struct ErasedPerson: Sendable, Equatable {
  /// Events that were removed: of the id, and of those that are linked with it.
  package var events = 0
  /// Whether the log had numbers of the person's rows, which are removed, too.
  package var hasNumbers = false
  /// The other ids of the same person, which go too.
  package var linked: [[UInt8]] = []
  /// The earlier request that named the id, or an id linked with it; nil if there was none.
  package var earlier: ErasureRecord?

  package init() {}
}

package struct ErasureCounts: Sendable, Equatable {
  /// Users that are kept out from now on and were not before.
  package var users = 0
  /// Ids that were erased because they are linked with those named.
  package var linked = 0
  /// The named users who had events.
  package var found = 0
  package var events = 0
  package var parts = 0
  /// Ids of those named that had no events, and were not kept out before.
  package var absent: Set<[UInt8]> = []
  /// What became of each of those named, by its id.
  package var people: [[UInt8]: ErasedPerson] = [:]

  package init() {}
}
