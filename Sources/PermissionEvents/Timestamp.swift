// Timestamps: UTC milliseconds since 1970, read from RFC 3339 text or digits and written back as text.
// Bytes in, integers out: this is called once an event.

/// UTC milliseconds since 1970-01-01T00:00:00Z.
public typealias Milliseconds = Int64

public enum Timestamp {
  /// 2008-01-01T00:00:00Z, the oldest time that is kept: before it there were no apps that could ask.
  public static let earliest: Milliseconds = 1_199_145_600_000
  /// 2100-01-01T00:00:00Z, the end of time with `--allow-future`.
  public static let latest: Milliseconds = 4_102_444_800_000
  /// How far past the clock a device's clock may be: a day's zone error and an hour.
  public static let futureAllowance: Milliseconds = 25 * 3_600_000

  /// RFC 3339 with `Z` or an offset and 0 to 9 fraction digits, cut to milliseconds; nil if it is not that.
  public static func parse(rfc3339 bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    let n = bytes.count
    guard n >= 20, n <= 35, let base = bytes.baseAddress else { return nil }
    let p = base.assumingMemoryBound(to: UInt8.self)
    @inline(__always) func two(_ i: Int) -> Int64 {
      let tens = p[i] &- 48
      let ones = p[i + 1] &- 48
      return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : 1 << 20
    }
    guard p[4] == 0x2D, p[7] == 0x2D, p[13] == 0x3A, p[16] == 0x3A else { return nil }
    guard p[10] | 0x20 == 0x74 || p[10] == 0x20 else { return nil }
    let date = CivilDate(year: two(0) * 100 + two(2), month: two(5), day: two(8))
    let hour = two(11)
    let minute = two(14)
    let second = two(17)
    // A leap second is read as the second after, as POSIX time does.
    guard date.isValid, hour <= 23, minute <= 59, second <= 60 else { return nil }
    var i = 19
    var millisecond: Int64 = 0
    if p[i] == 0x2E {
      i += 1
      let first = i
      var scale: Int64 = 100
      while i < n, p[i] >= 48, p[i] <= 57 {
        millisecond += Int64(p[i] - 48) * scale
        scale /= 10
        i += 1
      }
      guard i > first, i - first <= 9 else { return nil }
    }
    guard i < n else { return nil }
    var offset: Int64 = 0
    if p[i] | 0x20 == 0x7A {
      guard i + 1 == n else { return nil }
    } else {
      guard p[i] == 0x2B || p[i] == 0x2D, i + 6 == n, p[i + 3] == 0x3A else { return nil }
      let hours = two(i + 1)
      let minutes = two(i + 4)
      guard hours <= 23, minutes <= 59 else { return nil }
      offset = (hours * 60 + minutes) * (p[i] == 0x2B ? 1 : -1)
    }
    let seconds = date.dayNumber * 86_400 + hour * 3600 + (minute - offset) * 60 + second
    return seconds * 1000 + millisecond
  }

  /// Epoch milliseconds as decimal digits; nil if a byte is not a digit or the number has more than 15.
  public static func parse(digits bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    guard bytes.count >= 1, bytes.count <= 15 else { return nil }
    var n: Int64 = 0
    for b in bytes {
      guard b >= 48, b <= 57 else { return nil }
      n = n * 10 + Int64(b - 48)
    }
    return n
  }

  /// Appends `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public static func write(_ time: Milliseconds, into out: inout [UInt8]) {
    let day = floorDivide(time, millisecondsPerDay)
    var rest = time - day * millisecondsPerDay
    func write(_ value: Int64, _ width: Int, then separator: UInt8) {
      DateDigits.append(value, width, to: &out)
      out.append(separator)
    }
    CivilDate(day).write(into: &out)
    out.append(0x54)
    write(rest / 3_600_000, 2, then: 0x3A)
    rest %= 3_600_000
    write(rest / 60_000, 2, then: 0x3A)
    rest %= 60_000
    write(rest / 1000, 2, then: 0x2E)
    write(rest % 1000, 3, then: 0x5A)
  }

  /// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public static func text(_ time: Milliseconds) -> String {
    var out: [UInt8] = []
    write(time, into: &out)
    return String(bounded: out)
  }
}

// MARK: A time zone as a table of its transitions, made once; days are then integer arithmetic

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
  /// The day on which weeks begin.
  public var weekStart = WeekStart.monday
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

  /// The offset before the first transition, and the transitions in the order of time, from which a table is made.
  package var initialOffset: Milliseconds { offsets[0] }
  package var transitions: [Transition] {
    zip(starts, offsets).dropFirst().map { Transition(at: $0, offset: $1) }
  }

  /// The largest offset that is accepted from a file, a day less a second. All zones since 2008 have at most 14 hours.
  private static let mostOffset = millisecondsPerDay - 1000
  /// Least time between two transitions that are taken from a file; in all zones it is about a week.
  private static let leastGap = 3 * millisecondsPerDay

  /// A table from an untrusted source, or nil if it cannot define days. It needs: offsets of less than a day in whole
  /// seconds, changes by a day at most, three days or more between them, in the order of time, from 1969 to 2102. So no
  /// day is more than one away from where a log's first and last moments put it, and no sum overflows.
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

  /// The first moment of the calendar day `day` or a later one: midnight, or the moment of the change
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

  /// The last day that begins at or before a time.
  public func lastBegunDay(at time: Milliseconds) -> DayNumber {
    var day = day(of: time)
    while firstMoment(of: day + 1) <= time { day += 1 }
    return day
  }
}
