// Groups of journeys and their counters, under the codes of one walk: what the fold writes to.

import Buffers
import PermissionEvents

/// What a row of the report is about. The weeks of a permission and a value follow one another.
struct GroupKey: Hashable, Comparable, Sendable {
  /// Index of the week of the exposure.
  var week: Int64
  /// Code of the permission, or index among the sums' names of permissions.
  var permission: UInt32
  /// The same for the property's value. 0 without a property, or if the exposure has no value.
  var value: UInt32

  static func < (a: GroupKey, b: GroupKey) -> Bool {
    if a.permission != b.permission { return a.permission < b.permission }
    if a.value != b.value { return a.value < b.value }
    return a.week < b.week
  }

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

  private static let directLimit = 1 << 18

  /// - Parameter weeks: the weeks that exposures may be in; others are found by hashing.
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
    return slot(GroupKey(week: week, permission: permission, value: value))
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
      packed.append(times[(slot * TimeSeries.count)...])
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

/// Counts whose new part has half the width, so it stays in a nearer cache. It is moved before it can overflow.
struct WideningCounts: ~Copyable {
  private(set) var total = Buffer<Int64>()
  private(set) var new = Buffer<UInt32>()

  mutating func extend(to count: Int) {
    total.extend(to: count, repeating: 0)
    new.extend(to: count, repeating: 0)
  }

  func flush() {
    for i in 0..<new.count {
      total[i] += Int64(new[i])
      new[i] = 0
    }
  }
}

struct GroupCounters {
  /// Indexed by `Counter`.
  let counts: UnsafeMutablePointer<UInt32>
  /// Indexed by `JourneySum`.
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

// MARK: Times by group and series, under the slots of one walk
// While folding they are chains of buckets, which are cheap to add to. Long chains are folded into counts, so memory
// does not grow with the events.

/// Times of several series of several slots. Owned by one thread.
struct TimeLog: ~Copyable {
  /// Buckets that the chains may have room for: 8 MiB, or if there are many groups, which keep far more than that in
  /// counters, four chunks for each.
  private static let limit = 1 << 22
  private var limit: Int { max(Self.limit, chains.groupCount * 512) }

  private var chains = BucketChains()
  /// By group the counts of chains that have been folded.
  private var counts: [Int: BucketCounts] = [:]

  private static func group(_ slot: Int, _ series: TimeSeries) -> Int { slot * TimeSeries.count + series.rawValue }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    let bucket = min(TimeBucket.index(time), UInt32(TimeHistogram.size - 1))
    chains.add(UInt16(truncatingIfNeeded: bucket), to: Self.group(slot, series))
    if chains.room > Self.limit, chains.room > limit { compact() }
  }

  private mutating func compact() {
    let histogram = TimeHistogram()
    for group in 0..<chains.groupCount {
      chains.forEachChunk(of: group) { histogram.add($0) }
      guard histogram.range != nil else { continue }
      if let old = counts.removeValue(forKey: group) { histogram.add(old) }
      counts[group] = BucketCounts(histogram)
      histogram.removeAll()
    }
    chains.removeAll()
  }

  /// The counts of each series of each slot below `slots`, one after the other. The log is empty afterwards.
  mutating func take(slots: Int) -> [BucketCounts] {
    var all = [BucketCounts](repeating: BucketCounts(), count: slots * TimeSeries.count)
    for (group, counts) in counts where group < all.count { all[group] = counts }
    counts = [:]
    for group in 0..<min(all.count, chains.groupCount) { chains.forEachChunk(of: group) { all[group].add($0) } }
    chains.removeAll()
    return all
  }
}

/// Memory for chunks, freed with its owner.
private final class Slab {
  let memory: UnsafeMutableRawPointer

  init(length: Int, alignment: Int) { memory = .allocate(byteCount: length, alignment: alignment) }

  deinit { memory.deallocate() }
}

/// Chains of buckets. A chunk is 256 bytes at an address divisible by 256: the address of the chunk before it, then 124
/// buckets. A group is identified by the address of its next bucket. If that is divisible by 256, its chunk is full.
struct BucketChains: ~Copyable {
  private static let chunkLength = 256
  private static let linkLength = 8
  /// Slabs grow from 16 KiB to 1 MiB: a small log needs little memory, a long one few slabs.
  private static let slabLengths = (first: 1 << 14, largest: 1 << 20)

  /// By group the address of its next bucket; 0 before the first.
  private var places = Buffer<UInt>()
  private var slabs: [Slab] = []
  private var nextChunk: UInt = 0
  private var slabEnd: UInt = 0
  private var slabLength = Self.slabLengths.first
  /// The number of buckets with room: the ones in the chains, and the free ones in their last chunks.
  private(set) var room = 0

  var groupCount: Int { places.count }

  @inline(__always)
  mutating func add(_ bucket: UInt16, to group: Int) {
    if group >= places.count { places.extend(to: (group | 63) + 1, repeating: 0) }
    var place = places[group]
    if place % UInt(Self.chunkLength) == 0 { place = chunk(after: place) }
    UnsafeMutablePointer<UInt16>(bitPattern: place).unsafelyUnwrapped.pointee = bucket
    places[group] = place &+ 2
  }

  /// Returns the first address in a new chunk after the one that ends at `place`. If `place` is 0, the chunk is the first.
  @inline(never)
  private mutating func chunk(after place: UInt) -> UInt {
    if nextChunk == slabEnd {
      let slab = Slab(length: slabLength, alignment: Self.chunkLength)
      slabs.append(slab)
      nextChunk = UInt(bitPattern: slab.memory)
      slabEnd = nextChunk + UInt(slabLength)
      slabLength = min(slabLength * 2, Self.slabLengths.largest)
    }
    let chunk = nextChunk
    nextChunk += UInt(Self.chunkLength)
    room += (Self.chunkLength - Self.linkLength) / 2
    Self.setLink(of: chunk, to: place == 0 ? 0 : place - UInt(Self.chunkLength))
    return chunk + UInt(Self.linkLength)
  }

  private static func link(of chunk: UInt) -> UInt { UnsafePointer<UInt>(bitPattern: chunk).unsafelyUnwrapped.pointee }

  private static func setLink(of chunk: UInt, to other: UInt) {
    UnsafeMutablePointer<UInt>(bitPattern: chunk).unsafelyUnwrapped.pointee = other
  }

  /// The chunk with a group's last bucket; 0 without a bucket.
  private func lastChunk(of group: Int) -> UInt {
    guard group < places.count, places[group] != 0 else { return 0 }
    return (places[group] - 1) & ~UInt(Self.chunkLength - 1)
  }

  @inline(__always)
  func forEachChunk(of group: Int, _ body: (UnsafeBufferPointer<UInt16>) -> Void) {
    var chunk = lastChunk(of: group)
    guard chunk != 0 else { return }
    var end = places[group]
    while chunk != 0 {
      let start = chunk + UInt(Self.linkLength)
      // Read first, so the previous chunk is fetched while this one is processed.
      let before = Self.link(of: chunk)
      body(UnsafeBufferPointer(start: UnsafePointer(bitPattern: start), count: Int(end - start) / 2))
      chunk = before
      end = chunk + UInt(Self.chunkLength)
    }
  }

  mutating func removeAll() {
    slabs = []
    nextChunk = 0
    slabEnd = 0
    slabLength = Self.slabLengths.first
    room = 0
    places.removeAll()
  }
}
