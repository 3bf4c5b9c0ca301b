// On which calendar days one user used the app, and how often a feature.

import PermissionEvents

/// What one user did in the days after an exposure.
struct EngagementAfter {
  /// Days with engagement among days 0 to 27, and `feature_used` events on them.
  var activeDays: Int64 = 0
  var featureEvents: Int64 = 0
  /// Whether there was engagement on days 1, 7 and 30, as 0 or 1.
  var onDay1: Int64 = 0
  var onDay7: Int64 = 0
  var onDay30: Int64 = 0
}

/// One user's engagement, in calendar days of the report's zone. Reused from user to user.
struct UserEngagement: ~Copyable {
  /// Days with an engagement event, ascending, each once; days fit in 32 bits.
  private var days = FlatBuffer<Int32>(capacity: 256)
  /// The day of each `feature_used`, ascending.
  private var features = FlatBuffer<Int32>(capacity: 256)

  /// Days that are being written, in locals of the loop that writes them.
  struct Writer {
    fileprivate let days: UnsafeMutablePointer<Int32>
    fileprivate let features: UnsafeMutablePointer<Int32>
    fileprivate var dayCount = 0
    fileprivate var featureCount = 0
    fileprivate var lastDay = Int32.min
    fileprivate var isSorted = true

    @inline(__always)
    mutating func add(day: DayNumber, isFeature: Bool) {
      let day = Int32(truncatingIfNeeded: day)
      days[dayCount] = day
      dayCount &+= day == lastDay ? 0 : 1
      features[featureCount] = day
      featureCount &+= isFeature ? 1 : 0
      isSorted = isSorted && day >= lastDay
      lastDay = day
    }
  }

  /// Makes room for a user with a number of events.
  mutating func begin(events: Int) -> Writer {
    days.removeAll()
    features.removeAll()
    days.extend(to: events + 1, repeating: 0)
    features.extend(to: events + 1, repeating: 0)
    return Writer(days: days.pointer, features: features.pointer)
  }

  /// Takes over what was written.
  mutating func end(_ writer: Writer) {
    days.truncate(to: writer.dayCount)
    features.truncate(to: writer.featureCount)
    // Events come in time order, and so do their days, but where clocks are set back over midnight.
    if !writer.isSorted { sort() }
  }

  @inline(never)
  private mutating func sort() {
    var events = UnsafeMutableBufferPointer(start: features.pointer, count: features.count)
    events.sort()
    var all = UnsafeMutableBufferPointer(start: days.pointer, count: days.count)
    all.sort()
    var kept = 0
    for day in all where kept == 0 || days[kept - 1] != day {
      days[kept] = day
      kept += 1
    }
    days.truncate(to: kept)
  }

  /// What followed an exposure on a day. Most users have few days: comparing all of them is cheaper than
  /// searching, because nothing branches.
  func after(_ day: DayNumber) -> EngagementAfter {
    let start = Int32(truncatingIfNeeded: day)
    var result = EngagementAfter()
    let (firstDay, endDay) = Self.range(days, start)
    for i in firstDay..<endDay {
      let n = days[i] &- start
      result.activeDays &+= n >= 0 && n < 28 ? 1 : 0
      result.onDay1 |= n == 1 ? 1 : 0
      result.onDay7 |= n == 7 ? 1 : 0
      result.onDay30 |= n == 30 ? 1 : 0
    }
    let (firstFeature, endFeature) = Self.range(features, start)
    for i in firstFeature..<endFeature {
      let n = features[i] &- start
      result.featureEvents &+= n >= 0 && n < 28 ? 1 : 0
    }
    return result
  }

  /// Indices that hold all days from `start` to 30 days later, and perhaps others.
  @inline(__always)
  private static func range(_ list: borrowing FlatBuffer<Int32>, _ start: Int32) -> (Int, Int) {
    list.count <= 64 ? (0, list.count) : (firstIndex(start, in: list), firstIndex(start &+ 31, in: list))
  }

  @inline(never)
  private static func firstIndex(_ day: Int32, in list: borrowing FlatBuffer<Int32>) -> Int {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < day { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
