// On which calendar days one user used the app, and how often a feature.

import PermissionEvents

/// One user's engagement, in calendar days of the report's zone. Reused from user to user.
struct UserEngagement {
  /// Days with an engagement event, ascending, each once.
  private var days: [Int64] = []
  /// The day of each `feature_used`, ascending.
  private var features: [Int64] = []

  mutating func removeAll() {
    days.removeAll(keepingCapacity: true)
    features.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func add(day: DayNumber, isFeature: Bool) {
    if isFeature { Self.insert(day, into: &features) }
    if days.last != day { Self.insertOnce(day, into: &days) }
  }

  /// Events come in time order, and so do their days, but where clocks are set back over midnight.
  @inline(__always)
  private static func insert(_ day: Int64, into list: inout [Int64]) {
    var i = list.count
    while i > 0, list[i - 1] > day { i -= 1 }
    if i == list.count { list.append(day) } else { list.insert(day, at: i) }
  }

  private static func insertOnce(_ day: Int64, into list: inout [Int64]) {
    var i = list.count
    while i > 0, list[i - 1] > day { i -= 1 }
    if i > 0, list[i - 1] == day { return }
    if i == list.count { list.append(day) } else { list.insert(day, at: i) }
  }

  private static func firstIndex(_ day: Int64, in list: [Int64]) -> Int {
    if list.count <= 16 {
      var i = 0
      while i < list.count, list[i] < day { i += 1 }
      return i
    }
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < day { low = middle + 1 } else { high = middle }
    }
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
