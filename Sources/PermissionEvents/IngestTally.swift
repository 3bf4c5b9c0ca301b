// The findings of ingests about the events that they read, stored in the log with each part.

/// The number of events read into a log, by outcome. Tallies add up; events that are removed later stay counted.
public struct IngestTally: Sendable, Hashable {
  /// Events that the log did not have.
  public var new: Int64
  /// Copies of events that it had, or that came twice in the input.
  public var duplicates: Int64
  /// Duplicates that differ from the event that was kept.
  public var conflicts: Int64
  /// New events with a time that is a second or more after the machine's clock when they were read.
  public var ahead: Int64
  /// Lines, records and rows that were read and are not empty, with any result. 0 if unknown: older parts have no
  /// counters from here on, so a share is of the parts that have them.
  public var lines: Int64
  /// The lines that were rejected because a name in them was not understood.
  public var notUnderstood: Int64
  /// Sessions that were checked for changes of the user's id.
  public var sessions: Int64
  /// The sessions in which the id changed without a link between the ids. Later links change that, so parts have 0,
  /// and the log's links have the number.
  public var changedSessions: Int64
  /// Counters of a later version, in its order: they are kept and added up.
  package var later: [Int64] = []

  /// Events that were new or copies.
  public var read: Int64 { new + duplicates }

  /// The largest counter: sums stay at it, so that all of them are numbers of JSON.
  package static let limit: Int64 = 1 << 52
  /// Most counters of a later version.
  package static let mostLater = 8

  /// - Parameters: counts from 0 to 2^52; others become the nearest of these.
  public init(
    new: Int64 = 0, duplicates: Int64 = 0, conflicts: Int64 = 0, ahead: Int64 = 0, lines: Int64 = 0,
    notUnderstood: Int64 = 0, sessions: Int64 = 0, changedSessions: Int64 = 0
  ) {
    func bounded(_ count: Int64, _ most: Int64) -> Int64 { min(max(count, 0), most) }
    self.new = bounded(new, Self.limit)
    self.duplicates = bounded(duplicates, Self.limit)
    self.conflicts = bounded(conflicts, self.duplicates)
    self.ahead = bounded(ahead, self.new)
    self.lines = bounded(lines, Self.limit)
    self.notUnderstood = bounded(notUnderstood, self.lines)
    self.sessions = bounded(sessions, Self.limit)
    self.changedSessions = bounded(changedSessions, self.sessions)
  }

  /// The counters that this version knows, in the order in which they are stored.
  package var counters: [Int64] {
    [new, duplicates, conflicts, ahead, lines, notUnderstood, sessions, changedSessions]
  }

  /// The names of the counters in sums, in the same order.
  package static let counterNames = [
    "new", "duplicates", "conflicts", "ahead", "lines", "not_understood", "sessions", "changed_sessions",
  ]

  /// - Parameter counters: in that order; missing ones are 0.
  /// - Returns: nil if one is out of its range, or if they contradict each other.
  package init?(counters: [Int64]) {
    let all = counters + [Int64](repeating: 0, count: max(0, Self.counterNames.count - counters.count))
    guard all.count == Self.counterNames.count else { return nil }
    self.init(
      new: all[0], duplicates: all[1], conflicts: all[2], ahead: all[3], lines: all[4], notUnderstood: all[5],
      sessions: all[6], changedSessions: all[7])
    guard self.counters == all else { return nil }
  }

  public var isEmpty: Bool { self == IngestTally() }

  public static func += (a: inout Self, b: Self) {
    func sum(_ a: Int64, _ b: Int64) -> Int64 { min(a + b, limit) }
    var total = IngestTally(counters: zip(a.counters, b.counters).map(sum)) ?? a
    total.later = a.later
    for (index, count) in b.later.enumerated() {
      if index < total.later.count {
        total.later[index] = sum(total.later[index], count)
      } else {
        total.later.append(count)
      }
    }
    a = total
  }

  /// The sum of the known tallies, or nil if none is known. A tally is for ratios of two of its own counters, so
  /// unknown tallies are left out of both.
  public static func sum(_ tallies: some Sequence<IngestTally?>) -> IngestTally? {
    tallies.reduce(nil) { sum, tally in
      guard let tally else { return sum }
      var total = sum ?? IngestTally()
      total += tally
      return total
    }
  }

  // MARK: Lines that were not understood

  /// Lines that were rejected because a name in them was not understood, and how many lines there were.
  public struct LineShare: Sendable, Hashable {
    public var lines: Int64
    public var of: Int64

    /// From this share on, figures that lack these lines are warned of.
    public static let warned = 0.05

    /// - Returns: nil of no lines.
    public init?(_ lines: Int64, of all: Int64) {
      guard all > 0 else { return nil }
      (self.lines, of) = (lines, all)
    }

    public var share: Double { Double(lines) / Double(of) }
    public var isWarned: Bool { share >= Self.warned }
  }

  /// The share of the lines that were not understood; nil if no lines are known.
  public var notUnderstoodShare: LineShare? { LineShare(notUnderstood, of: lines) }
}

// MARK: The user ids of the events of one session. A phone with an id that changes within a session counts as two users
// in every figure

/// Sessions of an import with the ids of their users. Beyond a number of sessions it keeps those with the least hashes:
/// the same ones for any order of the events and any number of threads.
public struct SessionSample: Sendable {
  /// Most sessions that are kept.
  package static let mostSessions = 1 << 16
  /// Most ids of one session that are kept: the bytewise least.
  package static let mostIDs = 8

  private var sessions: [UInt64: [[UInt8]]] = [:]
  /// Sessions from this hash on are left out.
  private var bound = UInt64.max
  /// The session and the user of the last event: mostly the next event's too.
  private var last: (session: UInt64, user: UInt64)?

  public init() {}

  /// Sessions that were checked.
  public var count: Int { sessions.count }

  /// For each session with several ids, these in bytewise order. The sessions are in no order.
  public var changed: [[[UInt8]]] { sessions.values.filter { $0.count > 1 } }

  /// Notes the user of one event.
  /// - Parameters:
  ///   - session: hash of the session's id.
  ///   - user: hash of the user's id.
  ///   - id: gives the id, if it has to be known.
  @inline(__always)
  public mutating func note(session: UInt64, user: UInt64, id: () -> [UInt8]) {
    if session >= bound { return }
    if let last, last == (session, user) { return }
    last = (session, user)
    insert(id(), into: session)
  }

  public static func += (a: inout Self, b: Self) {
    a.bound = min(a.bound, b.bound)
    a.sessions = a.sessions.filter { $0.key < a.bound }
    a.last = nil
    for (session, ids) in b.sessions { for id in ids { a.insert(id, into: session) } }
  }

  private mutating func insert(_ id: [UInt8], into session: UInt64) {
    guard session < bound else { return }
    var ids = sessions[session] ?? []
    guard !ids.contains(id) else { return }
    ids.append(id)
    if ids.count > 1 { ids.sort { $0.lexicographicallyPrecedes($1) } }
    sessions[session] = Array(ids.prefix(Self.mostIDs))
    while sessions.count > Self.mostSessions {
      bound /= 2
      sessions = sessions.filter { $0.key < bound }
    }
  }
}
