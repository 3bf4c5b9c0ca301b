// On which calendar days one user used the app, and how often a feature.

import Buffers
import PermissionEvents

/// One user's engagement, in calendar days of the report's zone. Reused from user to user.
struct UserEngagement: ~Copyable {
  /// Days are kept in 16 bits: all possible days are below 51,000.
  private typealias FeatureDays = SIMD8<UInt16>

  /// A bit a day, from `base` on.
  private var bits = Buffer<UInt64>(capacity: 64)
  private var base: DayNumber = 0
  /// The day of each `feature_used`, in the order of the events, in eights.
  private var features = Buffer<UInt16>(capacity: 256)
  private var featureCount = 0

  /// Days are written in locals of the loop that goes over the events.
  struct Writer {
    fileprivate let bits: UnsafeMutablePointer<UInt64>
    fileprivate let base: DayNumber
    fileprivate let features: UnsafeMutablePointer<UInt16>
    fileprivate var featureCount = 0
    /// The word of `bits` that is being written, kept out of memory: the next event is mostly in it, too.
    fileprivate var wordIndex = 0
    fileprivate var word: UInt64 = 0

    /// - Parameters:
    ///   - day: of the span that the writer was begun with.
    ///   - isFeature: 1 or 0.
    @inline(__always)
    mutating func add(day: DayNumber, isFeature: Int) {
      let n = UInt64(truncatingIfNeeded: day &- base)
      let index = Int(truncatingIfNeeded: n >> 6)
      if index != wordIndex {
        bits[wordIndex] = word
        wordIndex = index
        word = bits[index]
      }
      word |= 1 << (n & 63)
      features[featureCount] = UInt16(truncatingIfNeeded: day)
      featureCount &+= isFeature
    }
  }

  var hasFeatureEvents: Bool { featureCount > 0 }

  mutating func removeAll() {
    bits.removeAll()
    featureCount = 0
  }

  /// Makes room for a user with a number of events on days from `first` to `last`.
  mutating func begin(first: DayNumber, last: DayNumber, events: Int) -> Writer {
    // A day less and a day more: if clocks are set back over midnight, days are not in the order of time.
    base = first - 1
    let words = Int(last - base + 1) / 64 + 1
    bits.removeAll()
    bits.extend(to: words, repeating: 0)
    features.extend(to: events + FeatureDays.scalarCount, repeating: 0)
    return Writer(bits: bits.unsafeAddress, base: base, features: features.unsafeAddress)
  }

  @inline(__always)
  mutating func end(_ writer: Writer) {
    writer.bits[writer.wordIndex] = writer.word
    featureCount = writer.featureCount
    // What fills up the last eight is a day that is never within four weeks of another.
    UnsafeMutableRawPointer(writer.features + featureCount)
      .storeBytes(of: FeatureDays(repeating: .max), as: FeatureDays.self)
  }

  /// Bit n is set if there was engagement on day n after an exposure on a day; days 0 to 30 and more.
  @inline(__always)
  func days(from day: DayNumber) -> UInt64 {
    let n = Int(day &- base)
    let word = n >> 6
    guard bits.count > 0, word < bits.count else { return 0 }
    // Engagement may begin long after the exposure.
    guard n >= 0 else { return n > -64 ? bits[0] << UInt64(-n) : 0 }
    let shift = UInt64(n & 63)
    let next = word + 1 < bits.count ? bits[word + 1] : 0
    return bits[word] >> shift | (next << 1) << (63 - shift)
  }

  /// `feature_used` events on days 0 to 27 after an exposure on a day.
  @inline(__always)
  func featureEvents(from day: DayNumber) -> Int64 {
    guard featureCount < 1 << 15 else { return manyFeatureEvents(from: day) }
    let start = FeatureDays(repeating: UInt16(truncatingIfNeeded: day))
    let last = FeatureDays(repeating: 27)
    let features = UnsafeRawPointer(features.unsafeAddress)
    var found = FeatureDays.zero
    var i = 0
    // Comparing all is cheaper than searching, because nothing branches. A day before day 0 wraps around.
    while i < featureCount {
      let days = features.loadUnaligned(fromByteOffset: i * 2, as: FeatureDays.self)
      found.replace(with: found &+ 1, where: days &- start .<= last)
      i += FeatureDays.scalarCount
    }
    return Int64(found.wrappedSum())
  }

  private func manyFeatureEvents(from day: DayNumber) -> Int64 {
    var count: Int64 = 0
    for i in 0..<featureCount where (day...day + 27).contains(DayNumber(features[i])) { count += 1 }
    return count
  }
}

// MARK: When one user installed the app
// Reused from user to user.

/// Times of installs, in the log's order.
struct UserInstalls: ~Copyable {
  private var times = Buffer<Milliseconds>(capacity: 16)

  mutating func removeAll() { times.removeAll() }

  @inline(__always) mutating func append(_ time: Milliseconds) { times.append(time) }

  /// The latest install at or before a moment, including the same millisecond. If there is none, then nil.
  @inline(__always)
  func latest(at moment: Milliseconds) -> Milliseconds? {
    // Nearly all users have one or none.
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? times[low - 1] : nil
  }
}
