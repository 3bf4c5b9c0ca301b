// A sweep over the days: each day's planned permission events, filled up with visits to that day's share of all lines,
// put in the order in which a server would have received them. Memory holds the users, the events planned for later
// days and one day's lines.

/// What was written.
public struct GeneratorSummary: Equatable, Sendable {
  public var lines = 0
  public var duplicates = 0
  public var engagement = 0
  public var users = 0
}

/// Generates canonical NDJSON for benchmarks: the same bytes for the same settings.
public struct EventGenerator {
  /// Number of lines, exact copies included.
  public let events: Int
  public let users: Int
  public let seed: UInt64
  public let days: Int
  public let start: CivilDate
  /// Share of lines that are exact copies of an earlier line, as exporters that retry leave them.
  public static let duplicateShare = 0.004

  /// Settings for `events` lines. `users` is by default such that a user has about 26.7 lines: 300,000 for 8 million.
  public init(
    events: Int, users: Int? = nil, seed: UInt64, days: Int = 343,
    start: CivilDate = CivilDate(year: 2025, month: 1, day: 6)
  ) {
    self.events = max(0, events)
    self.users = max(1, users ?? self.events * 3 / 80)
    self.seed = seed
    self.days = max(1, min(days, Int(UInt16.max)))
    self.start = start
  }

  /// Writes all lines to `sink`, in pieces of about a mebibyte that end at a line's end.
  public func run(sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws -> GeneratorSummary {
    var sweep = DaySweep(settings: self)
    var writer = LineWriter(start: start, days: days, seed: seed, sink: sink)
    for day in 0..<days { try sweep.run(day: day, writer: &writer) }
    try sweep.finish(writer: &writer)
    try writer.flush()
    return sweep.summary
  }
}
