// Times by group and series. While folding they are a log of (slot, series, bucket) words, which is cheap
// to write. A log that grows long is folded into sorted counts, so that memory does not grow with the
// events; what is left at the end is sorted out by slot and series and counted where it is asked for.

import PermissionEvents

/// Times of several series of several slots. Owned by one thread until `finish`; then read by any.
struct TimeLog: ~Copyable, @unchecked Sendable {
  private typealias Count = (key: UInt64, count: Int64)

  private static let bucketBits: UInt32 = 14
  private static let bucketMask: UInt32 = 1 << 14 - 1
  private static let seriesCount = 8
  /// Slots whose words fit in 32 bits.
  private static let narrowSlots = 1 << 15
  private static let limit = 1 << 22

  private var entries = FlatBuffer<UInt32>(capacity: 1 << 14)
  /// For slots beyond `narrowSlots`.
  private var wideEntries = FlatBuffer<UInt64>()
  /// Sorted by key (group, bucket), each key once.
  private var counts: [Count] = []
  /// After `finish`.
  private var largestBucket = 0
  /// Buckets sorted out by group, after `finish`.
  private var grouped = GroupedBuckets()

  private static func group(_ slot: Int, _ series: TimeSeries) -> Int { slot * seriesCount + series.rawValue }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    let group = Self.group(slot, series)
    let bucket = min(TimeBucket.index(time), Self.bucketMask)
    if slot < Self.narrowSlots {
      entries.append(UInt32(truncatingIfNeeded: group) << Self.bucketBits | bucket)
      if entries.count >= Self.limit { compact() }
    } else {
      wideEntries.append(UInt64(group) << UInt64(Self.bucketBits) | UInt64(bucket))
      if wideEntries.count >= Self.limit { compact() }
    }
  }

  /// Adds another log, whose slots have other numbers here.
  mutating func merge(_ other: borrowing TimeLog, slots: [Int]) {
    func moved(_ word: UInt64) -> UInt64 {
      let group = Int(word >> UInt64(Self.bucketBits))
      let slot = slots[group / Self.seriesCount]
      return UInt64(slot * Self.seriesCount + group % Self.seriesCount) << UInt64(Self.bucketBits)
        | word & UInt64(Self.bucketMask)
    }
    for i in 0..<other.entries.count { append(moved(UInt64(other.entries[i]))) }
    for i in 0..<other.wideEntries.count { append(moved(other.wideEntries[i])) }
    if !other.counts.isEmpty {
      let theirs = other.counts.map { (key: moved($0.key), count: $0.count) }.sorted { $0.key < $1.key }
      counts = Self.merged(counts, theirs)
    }
    if entries.count >= Self.limit { compact() }
  }

  private mutating func append(_ word: UInt64) {
    if word >> 32 == 0 {
      entries.append(UInt32(truncatingIfNeeded: word))
    } else {
      wideEntries.append(word)
    }
  }

  /// Makes `histograms` ready; nothing is added behind this.
  mutating func finish() {
    if wideEntries.count > 0 { compact() }
    grouped = GroupedBuckets(entries, bucketBits: Self.bucketBits)
    entries.removeAll()
    largestBucket = Int(grouped.largest)
    for entry in counts { largestBucket = max(largestBucket, Int(entry.key & UInt64(Self.bucketMask))) }
  }

  /// Folds the log into the counts.
  private mutating func compact() {
    var words: [UInt64] = []
    words.reserveCapacity(entries.count + wideEntries.count)
    for i in 0..<entries.count { words.append(UInt64(entries[i])) }
    for i in 0..<wideEntries.count { words.append(wideEntries[i]) }
    entries.removeAll()
    wideEntries.removeAll()
    words.sort()
    var runs: [Count] = []
    var i = 0
    while i < words.count {
      var end = i + 1
      while end < words.count, words[end] == words[i] { end += 1 }
      runs.append((words[i], Int64(end - i)))
      i = end
    }
    counts = Self.merged(counts, runs)
  }

  private static func merged(_ a: [Count], _ b: [Count]) -> [Count] {
    if a.isEmpty { return b }
    if b.isEmpty { return a }
    var merged: [Count] = []
    merged.reserveCapacity(a.count + b.count)
    var i = 0
    var j = 0
    while i < a.count || j < b.count {
      if j == b.count || (i < a.count && a[i].key < b[j].key) {
        merged.append(a[i])
        i += 1
      } else if i == a.count || b[j].key < a[i].key {
        merged.append(b[j])
        j += 1
      } else {
        merged.append((a[i].key, a[i].count + b[j].count))
        i += 1
        j += 1
      }
    }
    return merged
  }

  /// Counts by bucket of each series of some slots together, in the order of `TimeSeries`. After `finish`.
  func histograms(slots: [Int]) -> [TimeHistogram] {
    let mask = UInt64(Self.bucketMask)
    let size = largestBucket + 1
    return TimeSeries.allCases.map { series in
      let histogram = TimeHistogram(size: size)
      let sums = histogram.counts.pointer
      for slot in slots {
        let group = Self.group(slot, series)
        grouped.forEachBucket(group) { sums[Int($0)] &+= 1 }
        guard !counts.isEmpty else { continue }
        var i = firstIndex(UInt64(group) << UInt64(Self.bucketBits))
        while i < counts.count, counts[i].key >> UInt64(Self.bucketBits) == UInt64(group) {
          sums[Int(counts[i].key & mask)] &+= counts[i].count
          i += 1
        }
      }
      return histogram
    }
  }

  private func firstIndex(_ key: UInt64) -> Int {
    var low = 0
    var high = counts.count
    while low < high {
      let middle = (low + high) / 2
      if counts[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
