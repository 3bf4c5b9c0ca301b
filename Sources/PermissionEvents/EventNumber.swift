// The numbers that apps give their events. Each counter counts 1, 2, 3 …, so that a number that is not there is an event that was
// lost on its way. Rows that are not stored have numbers, too.

/// The number of one row, as a parser hands it to a log.
public struct EventNumber: Sendable, BitwiseCopyable {
  /// A hash of what counts: an install, a session or an upload.
  public var counter: UInt64
  /// Below `limit`.
  public var number: UInt64
  /// `UserHash` of the user id, as a log stores it.
  public var user: UInt64
  public var time: Milliseconds
  /// The code of the row's attributes in the dictionary of its batch.
  public var attributes: UInt32

  public init(counter: UInt64, number: UInt64, user: UInt64, time: Milliseconds, attributes: UInt32) {
    (self.counter, self.number, self.user, self.time) = (counter, number, user, time)
    self.attributes = attributes
  }

  /// Larger numbers are none of a counter's.
  public static let limit: UInt64 = 1 << 48

  /// Says that no number of a counter is kept: one of its rows is of an erased user.
  public static let withdrawn = limit
}

/// The number of one event of a batch.
struct NumberOfEvent {
  var event: Int
  var counter: UInt64
  var number: UInt64
}

extension EventNumber {
  /// The counter and the number in an event id of `PermissionRecorder`: a UUID of version 8, with a hash of the install in its first
  /// half, a zero byte, and the number in its last twelve digits.
  /// - Returns: nil for other ids. By chance one of 1,024 ids of version 8 looks like it; then it is the only one of its counter.
  @inlinable
  @inline(__always)
  public static func recorded(high: UInt64, low: UInt64) -> (counter: UInt64, number: UInt64)? {
    guard high & 0xF000 == 0x8000, low & 0xF0FF_0000_0000_0000 == 0x8000_0000_0000_0000 else { return nil }
    return (UserHash.mix(high ^ low >> 56), low & (limit - 1))
  }
}

/// Numbers that follow one another: of one counter, of one user, at one time, from one version of the app.
public struct NumberRun: Sendable, BitwiseCopyable, Hashable {
  public var counter: UInt64
  /// The first number.
  public var first: UInt64
  /// `UserHash` of the user id.
  public var user: UInt64
  /// How many numbers. 0 marks a counter whose numbers are too scattered to be kept; it has no other run then.
  public var count: UInt32
  /// When it began, in quarters of an hour since 1970.
  public var quarter: UInt32
  /// The version of the app and the platform, by a list beside the runs.
  public var source: UInt32

  public init(counter: UInt64, first: UInt64, user: UInt64, count: UInt32, quarter: UInt32, source: UInt32) {
    (self.counter, self.first, self.user, self.count) = (counter, first, user, count)
    (self.quarter, self.source) = (quarter, source)
  }

  /// The number after the last.
  public var end: UInt64 { first + UInt64(count) }

  public static let millisecondsPerQuarter: Milliseconds = 900_000
  /// A run takes the numbers of an hour, so that one session mostly is one run.
  public static let longest: UInt32 = 4

  /// Copies of one event have times at most this far apart: a day.
  private static let quartersOfCopies: UInt32 = 96

  /// Whether two runs with the same numbers may be of the same events.
  public func isNear(_ other: Self) -> Bool {
    max(quarter, other.quarter) - min(quarter, other.quarter) <= Self.quartersOfCopies
  }

  /// The order in which they are stored.
  @inlinable
  @inline(__always)
  public static func isBefore(_ a: Self, _ b: Self) -> Bool {
    if a.counter != b.counter { return a.counter < b.counter }
    if a.quarter != b.quarter { return a.quarter < b.quarter }
    if a.first != b.first { return a.first < b.first }
    if a.source != b.source { return a.source < b.source }
    return a.user != b.user ? a.user < b.user : a.count < b.count
  }

  /// Whether another run, which is not before this one, is its continuation or a copy; then it becomes one with it.
  @inlinable
  @inline(__always)
  public mutating func join(_ next: Self) -> Bool {
    guard next.counter == counter, next.user == user, next.source == source, count > 0, next.count > 0,
      next.first >= first, next.first <= end, next.quarter &- quarter <= Self.longest,
      max(end, next.end) - first <= UInt64(UInt32.max)
    else { return false }
    count = UInt32(truncatingIfNeeded: max(end, next.end) - first)
    return true
  }
}

/// The version of an app and its platform; empty if a row does not have them.
public struct NumberSource: Sendable, Hashable {
  public var version: [UInt8]
  public var platform: [UInt8]

  public init(version: [UInt8], platform: [UInt8]) { (self.version, self.platform) = (version, platform) }

  public static let unknown = NumberSource(version: [], platform: [])
}
