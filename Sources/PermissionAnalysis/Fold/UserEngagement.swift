// On which calendar days one user used the app, and how often a feature.

import PermissionEvents

/// What one user did in the days after an exposure.
struct EngagementAfter {
  /// Bit n is set where there was engagement on day n; days 0 to 30.
  var days: UInt64
  /// `feature_used` events on days 0 to 27.
  var featureEvents: Int64

  private static let first28: UInt64 = 1 << 28 - 1

  /// Days with engagement among days 0 to 27.
  var activeDays: Int64 { Int64((days & Self.first28).nonzeroBitCount) }

  /// 1 where there was engagement on day n, else 0.
  @inline(__always) func isActive(onDay n: Int64) -> Int64 { Int64(days >> UInt64(n) & 1) }
}

/// One user's engagement, in calendar days of the report's zone. Reused from user to user.
struct UserEngagement: ~Copyable {
  /// A bit a day, from `base` on.
  private var bits = FlatBuffer<UInt64>(capacity: 64)
  private var base: DayNumber = 0
  /// The day of each `feature_used`, in the order of the events.
  private var features = FlatBuffer<Int32>(capacity: 256)
  private var featureCount = 0

  /// Days are written in locals of the loop that goes over the events.
  struct Writer {
    fileprivate let bits: UnsafeMutablePointer<UInt64>
    fileprivate let base: DayNumber
    fileprivate let features: UnsafeMutablePointer<Int32>
    fileprivate var featureCount = 0
    /// The word of `bits` that is being written, kept out of memory: the next event mostly lies in it too.
    fileprivate var wordIndex = 0
    fileprivate var word: UInt64 = 0

    /// A day of the span that the writer was begun with.
    @inline(__always)
    mutating func add(day: DayNumber, isEngagement: Bool, isFeature: Bool) {
      let n = UInt64(truncatingIfNeeded: day &- base)
      let index = Int(truncatingIfNeeded: n >> 6)
      if index != wordIndex {
        bits[wordIndex] = word
        wordIndex = index
        word = bits[index]
      }
      word |= (isEngagement ? 1 : 0) << (n & 63)
      features[featureCount] = Int32(truncatingIfNeeded: day)
      featureCount &+= isFeature ? 1 : 0
    }
  }

  /// Makes room for a user with a number of events on days from `first` to `last`.
  mutating func begin(first: DayNumber, last: DayNumber, events: Int) -> Writer {
    // A day less and a day more: where clocks are set back over midnight, days are not in the order of time.
    base = first - 1
    let words = Int(last - base + 1) / 64 + 1
    bits.removeAll()
    bits.extend(to: words, repeating: 0)
    features.extend(to: events + 1, repeating: 0)
    return Writer(bits: bits.pointer, base: base, features: features.pointer)
  }

  /// Takes over what was written.
  @inline(__always)
  mutating func end(_ writer: Writer) {
    writer.bits[writer.wordIndex] = writer.word
    featureCount = writer.featureCount
  }

  /// What followed an exposure on a day.
  @inline(__always)
  func after(_ day: DayNumber) -> EngagementAfter {
    let n = Int(day - base)
    let word = n >> 6
    var days: UInt64 = 0
    if n >= 0, word < bits.count {
      let shift = UInt64(n & 63)
      days = bits[word] >> shift
      if shift > 0, word + 1 < bits.count { days |= bits[word + 1] << (64 - shift) }
    }
    let start = Int32(truncatingIfNeeded: day)
    var featureEvents: Int32 = 0
    let features = features.pointer
    // Comparing all is cheaper than searching, because nothing branches.
    for i in 0..<featureCount {
      // -1 where the day is before day 0 or after day 27, else 0: written so that the compiler finds no branch in it.
      let n = features[i] &- start
      featureEvents &+= 1 &+ ((n | (27 &- n)) >> 31)
    }
    return EngagementAfter(days: days, featureEvents: Int64(featureEvents))
  }
}
