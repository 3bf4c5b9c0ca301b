// On which calendar days one user used the app, and how often a feature.

import PermissionEvents

/// One user's engagement, in calendar days of the report's zone. Reused from user to user.
struct UserEngagement: ~Copyable {
  /// Days with an engagement event, ascending, each once.
  private var days = FlatBuffer<Int64>(capacity: 256)
  /// The day of each `feature_used`, ascending.
  private var features = FlatBuffer<Int64>(capacity: 256)

  mutating func removeAll() {
    days.removeAll()
    features.removeAll()
  }

  @inline(__always)
  mutating func add(day: DayNumber, isFeature: Bool) {
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
  private static func insert(_ day: Int64, into list: inout FlatBuffer<Int64>, once: Bool) {
    var i = list.count
    while i > 0, list[i - 1] > day { i -= 1 }
    if once, i > 0, list[i - 1] == day { return }
    list.insert(day, at: i)
  }

  private static func firstIndex(_ day: Int64, in list: borrowing FlatBuffer<Int64>) -> Int {
    var low = 0
    var high = list.count
    while high - low > 8 {
      let middle = (low + high) / 2
      if list[middle] < day { low = middle + 1 } else { high = middle }
    }
    while low < high, list[low] < day { low += 1 }
    return low
  }

  /// Number of days with engagement in [from, to).
  func activeDays(from: DayNumber, to: DayNumber) -> Int64 {
    Int64(Self.firstIndex(to, in: days) - Self.firstIndex(from, in: days))
  }

  /// Number of `feature_used` events on days in [from, to).
  func featureEvents(from: DayNumber, to: DayNumber) -> Int64 {
    Int64(Self.firstIndex(to, in: features) - Self.firstIndex(from, in: features))
  }

  func isActive(on day: DayNumber) -> Bool {
    let i = Self.firstIndex(day, in: days)
    return i < days.count && days[i] == day
  }
}
