// What ingests found out about the events that they read, as the log keeps it with each part.

/// How many events were read into a log, and what became of them. Tallies add up; events that are removed later stay counted.
public struct IngestTally: Sendable, Hashable {
  /// Events that the log did not have.
  public var new: Int64
  /// Copies of events that it had, or that came twice in the input.
  public var duplicates: Int64
  /// Duplicates that differ from the event that was kept.
  public var conflicts: Int64
  /// New events whose time is past the clock of the machine after they were read, by a second or more.
  public var ahead: Int64
  /// Counters of a later version, in its order: they are kept and added up.
  package var later: [Int64] = []

  /// Events that were new or copies.
  public var read: Int64 { new + duplicates }

  /// The largest counter: sums stay at it, so that all of them are numbers of JSON.
  package static let limit: Int64 = 1 << 52
  /// Most counters of a later version.
  package static let mostLater = 12

  /// - Parameters: counts from 0 to 2^52; others become the nearest of these.
  public init(new: Int64 = 0, duplicates: Int64 = 0, conflicts: Int64 = 0, ahead: Int64 = 0) {
    func bounded(_ count: Int64, _ most: Int64) -> Int64 { min(max(count, 0), most) }
    self.new = bounded(new, Self.limit)
    self.duplicates = bounded(duplicates, Self.limit)
    self.conflicts = bounded(conflicts, self.duplicates)
    self.ahead = bounded(ahead, self.new)
  }

  public var isEmpty: Bool { self == IngestTally() }

  public static func += (a: inout Self, b: Self) {
    func sum(_ a: Int64, _ b: Int64) -> Int64 { min(a + b, limit) }
    a.new = sum(a.new, b.new)
    a.duplicates = sum(a.duplicates, b.duplicates)
    a.conflicts = sum(a.conflicts, b.conflicts)
    a.ahead = sum(a.ahead, b.ahead)
    for (place, count) in b.later.enumerated() {
      if place < a.later.count { a.later[place] = sum(a.later[place], count) } else { a.later.append(count) }
    }
  }

  /// The sum of those that are known; nil if none is. A tally is for ratios of two of its own counters, so what is not
  /// known is left out of both.
  public static func sum(_ tallies: some Sequence<IngestTally?>) -> IngestTally? {
    tallies.reduce(nil) { sum, tally in
      guard let tally else { return sum }
      var total = sum ?? IngestTally()
      total += tally
      return total
    }
  }
}
