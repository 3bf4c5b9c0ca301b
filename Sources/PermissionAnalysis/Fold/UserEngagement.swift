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

  mutating func removeAll() {
    days.removeAll()
    features.removeAll()
  }

  @inline(__always)
  mutating func add(day: DayNumber, isFeature: Bool) {
    let day = Int32(truncatingIfNeeded: day)
    // Events come in time order, and so do their days, but where clocks are set back over midnight.
    if isFeature {
      if features.count == 0 || features[features.count - 1] <= day {
        features.append(day)
      } else {
        Self.insert(day, into: &features, once: false)
      }
    }
    if days.count == 0 || days[days.count - 1] < day {
      days.append(day)
    } else if days[days.count - 1] != day {
      Self.insert(day, into: &days, once: true)
    }
  }

  @inline(never)
  private static func insert(_ day: Int32, into list: inout FlatBuffer<Int32>, once: Bool) {
    var i = list.count
    while i > 0, list[i - 1] > day { i -= 1 }
    if once, i > 0, list[i - 1] == day { return }
    list.insert(day, at: i)
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
