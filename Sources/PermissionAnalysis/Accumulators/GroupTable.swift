// Groups of journeys and their counters, under the codes of one walk: what the fold writes to.

import Buffers

/// What a row of the report is about. The weeks of a permission and a value follow one another.
struct GroupKey: Hashable, Comparable, Sendable {
  /// Index of the ISO week of the exposure.
  var week: Int64
  /// Code of the permission, or place among the sums' names of permissions.
  var permission: UInt32
  /// The same of the property's value; 0 without a property and if the exposure has none.
  var value: UInt32

  init(permission: UInt32, week: Int64, value: UInt32) {
    (self.permission, self.week, self.value) = (permission, week, value)
  }

  static func < (a: GroupKey, b: GroupKey) -> Bool {
    if a.permission != b.permission { return a.permission < b.permission }
    if a.value != b.value { return a.value < b.value }
    return a.week < b.week
  }

  /// True if both are of one permission and one value.
  func isBeside(_ other: GroupKey) -> Bool { permission == other.permission && value == other.value }
}

/// Counters by group. Owned by one thread.
struct GroupTable: ~Copyable {
  private(set) var keys: [GroupKey] = []
  private var slots: [GroupKey: Int] = [:]
  private var counts = WideningCounts()
  private var sums = Buffer<Int64>()
  /// Slots of groups without a value, by permission and week, plus one: a look-up without hashing.
  private let direct: Buffer<Int32>
  private let firstWeek: Int64
  private let weekCount: Int
  /// Most groups at once: more are packed, and the table begins anew.
  private let limit: Int

  /// Most places of the direct table.
  private static let directLimit = 1 << 18

  /// - Parameters:
  ///   - weeks: that exposures may lie in; others are found by hashing.
  ///   - limit: most groups at once.
  init(permissions: Int, weeks: ClosedRange<Int64>, limit: Int = GroupRoom().groups) {
    self.limit = max(1, limit)
    firstWeek = weeks.lowerBound
    let count = Int(weeks.upperBound - weeks.lowerBound) + 1
    weekCount = count <= Self.directLimit / max(1, permissions) ? count : 0
    direct = Buffer(repeating: 0, count: max(1, weekCount * permissions))
  }

  /// The slot of a group, made if it is new; -1 if there is no room for it.
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
    guard slot < limit else { return -1 }
    keys.append(key)
    slots[key] = slot
    counts.extend(to: (slot + 1) * Counter.places)
    sums.extend(to: (slot + 1) * JourneySum.places, repeating: 0)
    let place = Int(truncatingIfNeeded: key.week - firstWeek)
    if key.value == 0, place >= 0, place < weekCount {
      direct[Int(key.permission) * weekCount + place] = Int32(truncatingIfNeeded: slot + 1)
    }
    return slot
  }

  /// What a slot's journeys are added to; valid until a group is made.
  @inline(__always)
  func sums(of slot: Int) -> GroupCounters {
    GroupCounters(
      counts: counts.new.unsafeAddress + slot * Counter.places, sums: sums.unsafeAddress + slot * JourneySum.places)
  }

  /// Moves all groups out, packed; the table is empty afterwards.
  /// - Parameter times: of the same slots.
  mutating func pack(_ times: inout TimeLog) -> PackedGroups {
    flush()
    let times = times.take(slots: keys.count)
    var packed = PackedGroups()
    for slot in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
      let (counters, journeys) = (slot * Counter.places, slot * JourneySum.places)
      for place in 0..<Counter.places {
        packed.append(place, counts.total[counters + place])
        counts.total[counters + place] = 0
      }
      for place in 0..<JourneySum.places {
        packed.append(Counter.places + place, sums[journeys + place])
        sums[journeys + place] = 0
      }
      for series in TimeSeries.allCases {
        times[slot * TimeSeries.count + series.rawValue].forEachBucket { bucket, count in
          packed.append(PackedGroups.place(series, bucket: bucket), count)
        }
      }
      let key = keys[slot]
      packed.end(key)
      let place = Int(truncatingIfNeeded: key.week - firstWeek)
      if key.value == 0, place >= 0, place < weekCount { direct[Int(key.permission) * weekCount + place] = 0 }
    }
    keys.removeAll(keepingCapacity: true)
    slots.removeAll(keepingCapacity: true)
    return packed
  }

  /// At least once every 2^32 journeys.
  func flush() { counts.flush() }

  /// All integers of all groups, one group after the other: counters, then sums.
  func integers() -> [Int64] {
    flush()
    var all: [Int64] = []
    all.reserveCapacity(keys.count * GroupedSums.width)
    for slot in keys.indices {
      let (counters, journeys) = (slot * Counter.places, slot * JourneySum.places)
      counts.total.span.extracting(counters..<counters + Counter.places).withUnsafeBufferPointer { all += $0 }
      sums.span.extracting(journeys..<journeys + JourneySum.places).withUnsafeBufferPointer { all += $0 }
    }
    return all
  }
}

/// Counts whose new part has half the width, so that it stays in a nearer cache; it is moved before it can overflow.
struct WideningCounts: ~Copyable {
  private(set) var total = Buffer<Int64>()
  private(set) var new = Buffer<UInt32>()

  mutating func extend(to count: Int) {
    total.extend(to: count, repeating: 0)
    new.extend(to: count, repeating: 0)
  }

  /// Moves what is new to the totals.
  func flush() {
    for i in 0..<new.count {
      total[i] += Int64(new[i])
      new[i] = 0
    }
  }
}

/// What one group's journeys are added to.
struct GroupCounters {
  /// Places are those of `Counter`.
  let counts: UnsafeMutablePointer<UInt32>
  /// Places are those of `JourneySum`.
  let sums: UnsafeMutablePointer<Int64>

  @inline(__always)
  func add(_ counter: Counter, _ isCounted: Bool = true) { counts[counter.rawValue] &+= isCounted ? 1 : 0 }

  /// Adds to the counter of an outcome of the base, by that of granted.
  @inline(__always)
  func add(_ granted: Counter, _ outcome: Outcome, _ isCounted: Bool = true) {
    counts[granted.rawValue + outcome.rawValue] &+= isCounted ? 1 : 0
  }

  @inline(__always)
  func add(_ sum: JourneySum, _ value: Int64) { sums[sum.rawValue] &+= value }
}
