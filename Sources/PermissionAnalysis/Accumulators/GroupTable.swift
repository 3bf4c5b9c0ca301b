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
struct GroupTable: ~Copyable, @unchecked Sendable {
  private(set) var keys: [GroupKey] = []
  private var slots: [GroupKey: Int] = [:]
  /// What is new is counted in half the width, so that the groups of a year stay in a nearer cache, and moved to the
  /// totals before it can overflow.
  private var new = FlatBuffer<UInt32>()
  private var totals = FlatBuffer<Int64>()
  private var sums = FlatBuffer<Int64>()
  /// Slots of groups without a value, by permission and week, plus one: a look-up without hashing.
  private let direct: FlatBuffer<Int32>
  private let firstWeek: Int64
  private let weekCount: Int

  /// Most places of the direct table.
  private static let directLimit = 1 << 18

  /// - Parameter weeks: that exposures may lie in; others are found by hashing.
  init(permissions: Int, weeks: ClosedRange<Int64>) {
    firstWeek = weeks.lowerBound
    let count = Int(weeks.upperBound - weeks.lowerBound) + 1
    weekCount = count <= Self.directLimit / max(1, permissions) ? count : 0
    direct = FlatBuffer(repeating: 0, count: max(1, weekCount * permissions))
  }

  /// The slot of a group, made where it is new.
  @inline(__always)
  mutating func slot(permission: UInt32, week: Int64, value: UInt32) -> Int {
    let place = Int(truncatingIfNeeded: week - firstWeek)
    if value == 0, place >= 0, place < weekCount {
      let known = direct[Int(permission) * weekCount + place]
      if known > 0 { return Int(known) - 1 }
    }
    return slot(GroupKey(permission: permission, week: week, value: value))
  }

  @inline(never)
  private mutating func slot(_ key: GroupKey) -> Int {
    if let slot = slots[key] { return slot }
    let slot = keys.count
    keys.append(key)
    slots[key] = slot
    new.extend(to: (slot + 1) * Counter.count, repeating: 0)
    totals.extend(to: (slot + 1) * Counter.count, repeating: 0)
    sums.extend(to: (slot + 1) * JourneySum.count, repeating: 0)
    let place = Int(truncatingIfNeeded: key.week - firstWeek)
    if key.value == 0, place >= 0, place < weekCount {
      direct[Int(key.permission) * weekCount + place] = Int32(truncatingIfNeeded: slot + 1)
    }
    return slot
  }

  func existingSlot(_ key: GroupKey) -> Int? { slots[key] }

  /// What a slot's journeys are added to; valid until a group is made.
  @inline(__always)
  func sums(of slot: Int) -> GroupCounters {
    GroupCounters(counts: new.pointer + slot * Counter.count, sums: sums.pointer + slot * JourneySum.count)
  }

  func total(of slot: Int, _ counter: Int) -> Int64 {
    totals[slot * Counter.count + counter] + Int64(new[slot * Counter.count + counter])
  }

  func sum(of slot: Int, _ sum: Int) -> Int64 { sums[slot * JourneySum.count + sum] }

  /// Moves what is new to the totals; at least once every 2^32 journeys.
  func flush() {
    for i in 0..<new.count {
      totals[i] += Int64(new[i])
      new[i] = 0
    }
  }

  /// Adds another table; returns for each of its slots the slot here.
  mutating func merge(_ other: borrowing GroupTable) -> [Int] {
    var slots: [Int] = []
    for theirs in other.keys.indices {
      let ours = slot(other.keys[theirs])
      for i in 0..<Counter.count { totals[ours * Counter.count + i] += other.total(of: theirs, i) }
      for i in 0..<JourneySum.count { sums[ours * JourneySum.count + i] += other.sum(of: theirs, i) }
      slots.append(ours)
    }
    return slots
  }
}

/// Where one group's journeys are added.
struct GroupCounters {
  /// Places are those of `Counter`.
  let counts: UnsafeMutablePointer<UInt32>
  /// Places are those of `JourneySum`.
  let sums: UnsafeMutablePointer<Int64>
}
