// Times by group and series. While folding they are a log of (slot, series, bucket) words, which is cheap
// to write; when it is long it is folded into sorted counts, so that memory does not grow with the log.

import PermissionEvents

/// Times of several series of several slots. Owned by one thread.
final class TimeLog: @unchecked Sendable {
  typealias Count = (key: UInt64, count: Int64)

  @exclusivity(unchecked) private var entries = FlatBuffer<UInt64>(capacity: 4096)
  /// Sorted by key, each key once.
  private(set) var counts: [Count] = []

  private static let limit = 1 << 20
  private static let slotShift: UInt64 = 24
  private static let seriesShift: UInt64 = 20

  private static func key(_ slot: Int, _ series: TimeSeries) -> UInt64 {
    UInt64(slot) << slotShift | UInt64(series.rawValue) << seriesShift
  }

  @inline(__always)
  func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    entries.append(Self.key(slot, series) | UInt64(TimeBucket.index(time)))
    if entries.count >= Self.limit { compact() }
  }

  /// Folds the log into the counts.
  func compact() {
    guard entries.count > 0 else { return }
    let runs = GroupedCounts.of(entries.pointer, count: entries.count, groupShift: Self.seriesShift)
    entries.removeAll()
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

  /// Adds another log whose slots have other numbers here.
  func merge(_ other: TimeLog, slots: [Int]) {
    compact()
    other.compact()
    // Only the order of the slots changes: each slot's counts move as one piece.
    var pieces: [(slot: Int, range: Range<Int>)] = []
    var i = 0
    while i < other.counts.count {
      let slot = other.counts[i].key >> Self.slotShift
      let end = other.firstIndex((slot + 1) << Self.slotShift)
      pieces.append((slots[Int(slot)], i..<end))
      i = end
    }
    var moved: [Count] = []
    moved.reserveCapacity(other.counts.count)
    for piece in pieces.sorted(by: { $0.slot < $1.slot }) {
      for entry in other.counts[piece.range] {
        let rest = entry.key & (1 << Self.slotShift - 1)
        moved.append((UInt64(piece.slot) << Self.slotShift | rest, entry.count))
      }
    }
    counts = Self.merged(counts, moved)
  }

  /// The histogram of some series of some slots together: buckets in order, with counts.
  func histogram(slots: [Int], series: [TimeSeries]) -> [(bucket: UInt32, count: Int64)] {
    let mask: UInt64 = 1 << Self.seriesShift - 1
    var ranges: [Range<Int>] = []
    for slot in slots {
      for one in series {
        let start = firstIndex(Self.key(slot, one))
        let end = firstIndex(Self.key(slot, one) + mask + 1)
        if start < end { ranges.append(start..<end) }
      }
    }
    if ranges.count == 1 {
      return counts[ranges[0]].map { (UInt32(truncatingIfNeeded: $0.key & mask), $0.count) }
    }
    // Buckets are few: counting them is cheaper than merging.
    let last = ranges.map { Int(counts[$0.upperBound - 1].key & mask) }.max() ?? -1
    var sums = [Int64](repeating: 0, count: last + 1)
    for range in ranges {
      for entry in counts[range] { sums[Int(entry.key & mask)] += entry.count }
    }
    var histogram: [(bucket: UInt32, count: Int64)] = []
    for (bucket, count) in sums.enumerated() where count > 0 {
      histogram.append((UInt32(truncatingIfNeeded: bucket), count))
    }
    return histogram
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
