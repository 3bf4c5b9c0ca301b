// A time zone as a table of its transitions, made once; days are then integer arithmetic.

/// A time zone: an offset from UTC for every moment.
public struct ZoneTable: Sendable {
  public struct Transition: Sendable {
    public let at: Milliseconds
    /// Milliseconds east of UTC from `at` on.
    public let offset: Milliseconds
    public init(at: Milliseconds, offset: Milliseconds) {
      self.at = at
      self.offset = offset
    }
  }

  public let name: String
  /// Segment i holds from `starts[i]` up to `starts[i + 1]`; the first starts at the beginning of time.
  let starts: [Milliseconds]
  let offsets: [Milliseconds]

  /// - Parameter transitions: in time order.
  public init(name: String, initialOffset: Milliseconds, transitions: [Transition] = []) {
    self.name = name
    starts = [Milliseconds.min] + transitions.map(\.at)
    offsets = [initialOffset] + transitions.map(\.offset)
  }

  /// All offsets and the moments from which they hold, as text: two tables of one text are one zone.
  public var transitionsText: String {
    zip(starts, offsets).map { start, offset in
      "\(start == .min ? "" : Timestamp.text(start))\(offset < 0 ? "-" : "+")\(offset.magnitude / 1000)"
    }.joined(separator: ",")
  }

  public static let utc = ZoneTable(name: "UTC", initialOffset: 0)

  /// The offset before the first transition, and the transitions in the order of time: what a table is made of.
  package var initialOffset: Milliseconds { offsets[0] }
  package var transitions: [Transition] {
    zip(starts, offsets).dropFirst().map { Transition(at: $0, offset: $1) }
  }

  /// Largest offset that is taken from a file, a day less a second; those of all zones since 2008 are within 14 hours.
  private static let mostOffset = millisecondsPerDay - 1000
  /// Least time between two transitions that are taken from a file; in all zones it is about a week.
  private static let leastGap = 3 * millisecondsPerDay

  /// A table that anybody may have written; nil unless days can be told by it: offsets of less than a day in whole seconds, changes by a
  /// day at most, three days or more between them, in the order of time, from 1969 to 2102. So no day is more than one away from where
  /// a log's first and last moments put it, and no sum overflows.
  package init?(checking name: String, initialOffset: Milliseconds, transitions: [Transition]) {
    let years = -millisecondsPerDay * 365...Timestamp.latest + 2 * 366 * millisecondsPerDay
    func isOffset(_ offset: Milliseconds) -> Bool {
      (-Self.mostOffset...Self.mostOffset).contains(offset) && offset % 1000 == 0
    }
    guard isOffset(initialOffset) else { return nil }
    var last = (at: Milliseconds?.none, offset: initialOffset)
    for transition in transitions {
      guard years.contains(transition.at), transition.at % 1000 == 0, isOffset(transition.offset),
        transition.offset != last.offset, abs(transition.offset - last.offset) <= millisecondsPerDay,
        last.at.map({ transition.at - $0 >= Self.leastGap }) ?? true
      else { return nil }
      last = (transition.at, transition.offset)
    }
    self.init(name: name, initialOffset: initialOffset, transitions: transitions)
  }

  func segment(at time: Milliseconds) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= time { low = middle } else { high = middle }
    }
    return low
  }

  func end(ofSegment i: Int) -> Milliseconds { i + 1 < starts.count ? starts[i + 1] : .max }

  /// The segment of constant offset that a moment is in: from `start` up to `end`.
  public func span(at time: Milliseconds) -> (start: Milliseconds, end: Milliseconds, offset: Milliseconds) {
    let i = segment(at: time)
    return (starts[i], end(ofSegment: i), offsets[i])
  }

  public func offset(at time: Milliseconds) -> Milliseconds { offsets[segment(at: time)] }

  /// The calendar day of a moment.
  public func day(of time: Milliseconds) -> DayNumber { floorDivide(time + offset(at: time), millisecondsPerDay) }

  /// The first moment whose calendar day is `day` or later: midnight, or the moment of the change
  /// if the clocks skip midnight (or, once in Samoa, a whole day).
  public func firstMoment(of day: DayNumber) -> Milliseconds {
    let local = day * millisecondsPerDay
    // No offset is as much as two days, so the segments around the nominal midnight are all that can matter.
    var i = segment(at: local - 2 * millisecondsPerDay)
    while true {
      let candidate = max(starts[i], local - offsets[i])
      if candidate < end(ofSegment: i) { return candidate }
      i += 1
    }
  }

  /// The last day whose first moment is not after a time.
  public func lastBegunDay(at time: Milliseconds) -> DayNumber {
    var day = day(of: time)
    while firstMoment(of: day + 1) <= time { day += 1 }
    return day
  }
}
