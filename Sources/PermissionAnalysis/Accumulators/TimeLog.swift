// Times by group and series. While folding they are chains of buckets, which are cheap to add to. Chains that grow long
// are folded into counts, so that memory does not grow with the events.

import PermissionEvents

/// Times of several series of several slots. Owned by one thread until all is folded; then read by any.
struct TimeLog: ~Copyable, @unchecked Sendable {
  private static let seriesCount = 8
  /// Buckets that the chains may have room for: 8 MiB, or where there are many groups, which keep far more than that in
  /// counters, four chunks for each.
  private static let limit = 1 << 22
  private var limit: Int { max(Self.limit, chains.groupCount * 512) }

  private var chains = BucketChains()
  /// By group what was in chains that have been folded.
  private var counts: [Int: BucketCounts] = [:]

  private static func group(_ slot: Int, _ series: TimeSeries) -> Int { slot * seriesCount + series.rawValue }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    let bucket = min(TimeBucket.index(time), UInt32(TimeHistogram.size - 1))
    chains.add(UInt16(truncatingIfNeeded: bucket), to: Self.group(slot, series))
    if chains.room > Self.limit, chains.room > limit { compact() }
  }

  /// Takes over another log, whose slots have other numbers here. The other is empty afterwards.
  mutating func take(_ other: inout TimeLog, slots: [Int]) {
    func group(_ theirs: Int) -> Int { slots[theirs / Self.seriesCount] * Self.seriesCount + theirs % Self.seriesCount }
    chains.take(&other.chains, group: group)
    for (theirs, counts) in other.counts { self.counts[group(theirs), default: BucketCounts()].add(counts) }
    other.counts = [:]
  }

  /// Folds the chains into the counts.
  private mutating func compact() {
    let histogram = TimeHistogram()
    for group in 0..<chains.groupCount {
      chains.forEachChunk(of: group) { histogram.add($0) }
      guard histogram.range != nil else { continue }
      if let old = counts[group] { histogram.add(old) }
      counts[group] = BucketCounts(histogram)
      histogram.removeAll()
    }
    chains.removeAll()
  }

  /// Adds the times of one series of some slots to a histogram.
  func add(_ series: TimeSeries, slots: [Int], to histogram: TimeHistogram) {
    for slot in slots {
      let group = Self.group(slot, series)
      chains.forEachChunk(of: group) { histogram.add($0) }
      if !counts.isEmpty, let counts = counts[group] { histogram.add(counts) }
    }
  }
}
