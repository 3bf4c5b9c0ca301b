// Groups of journeys and their counters. Integers only: tables of two halves of the users add up to the
// table of all, in any order.

/// What a row of the report is about.
struct GroupKey: Hashable, Sendable {
  /// Code of the permission.
  var permission: UInt32
  /// Index of the ISO week of the exposure.
  var week: Int64
  /// Code of the property's value; 0 without a property and where the exposure has none.
  var value: UInt32
}

/// Counters by group. Owned by one thread.
struct GroupTable: Sendable {
  private(set) var keys: [GroupKey] = []
  private var slots: [GroupKey: Int] = [:]
  private(set) var counters: [Int64] = []

  /// The slot of a group, made where it is new.
  mutating func slot(_ key: GroupKey) -> Int {
    if let slot = slots[key] { return slot }
    let slot = keys.count
    keys.append(key)
    slots[key] = slot
    counters.append(contentsOf: repeatElement(0, count: Counter.count))
    return slot
  }

  func existingSlot(_ key: GroupKey) -> Int? { slots[key] }

  @inline(__always)
  mutating func add(_ slot: Int, _ counter: Int, _ amount: Int64 = 1) {
    counters[slot * Counter.count + counter] += amount
  }

  func counters(of slot: Int) -> ArraySlice<Int64> {
    counters[slot * Counter.count..<(slot + 1) * Counter.count]
  }

  /// Adds another table; returns for each of its slots the slot here.
  mutating func merge(_ other: GroupTable) -> [Int] {
    other.keys.indices.map { theirs in
      let ours = slot(other.keys[theirs])
      for i in 0..<Counter.count {
        counters[ours * Counter.count + i] += other.counters[theirs * Counter.count + i]
      }
      return ours
    }
  }
}
