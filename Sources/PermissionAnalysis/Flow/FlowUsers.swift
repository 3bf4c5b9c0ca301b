// How many users have flows in a week, and at all: a user with several counts once.

import Buffers

/// Users with settled flows. Owned by one thread.
struct FlowUsers: ~Copyable {
  /// Weeks of all flows, and of later ones, with users.
  private(set) var weeks = SlotTable()
  /// Users by slot of `weeks`.
  private(set) var counts = Buffer<Int64>()
  private(set) var all: Int64 = 0
  private(set) var later: Int64 = 0
  /// Keys that the user at hand was counted under.
  private var seen = Buffer<UInt64>()
  private var isInAll = false
  private var isInLater = false

  static func week(_ key: UInt64) -> Int64 { FlowTable.week(key) }
  static func isLater(_ key: UInt64) -> Bool { !FlowTable.isFirst(key) }

  mutating func begin() {
    seen.removeAll()
    (isInAll, isInLater) = (false, false)
  }

  /// Notes a settled flow of the user at hand.
  mutating func add(week: Int64, isFirst: Bool) {
    isInAll = true
    note(FlowTable.key(week: week, isFirst: true))
    guard !isFirst else { return }
    isInLater = true
    note(FlowTable.key(week: week, isFirst: false))
  }

  mutating func end() {
    all += isInAll ? 1 : 0
    later += isInLater ? 1 : 0
  }

  private mutating func note(_ key: UInt64) {
    // From the end: flows come in the order of time.
    var i = seen.count - 1
    while i >= 0, seen[i] != key { i -= 1 }
    guard i < 0 else { return }
    seen.append(key)
    let slot = weeks.slot(key)
    if slot >= counts.count { counts.append(0) }
    counts[slot] += 1
  }
}
