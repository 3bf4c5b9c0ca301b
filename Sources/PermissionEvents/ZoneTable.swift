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
