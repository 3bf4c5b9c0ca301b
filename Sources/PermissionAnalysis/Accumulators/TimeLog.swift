// Times by group and series, under the slots of one walk. While folding they are chains of buckets, which are cheap to add
// to. Chains that grow long are folded into counts, so that memory does not grow with the events.

import PermissionEvents

/// Times of several series of several slots. Owned by one thread.
struct TimeLog: ~Copyable {
  /// Buckets that the chains may have room for: 8 MiB, or where there are many groups, which keep far more than that in
  /// counters, four chunks for each.
  private static let limit = 1 << 22
  private var limit: Int { max(Self.limit, chains.groupCount * 512) }

  private var chains = BucketChains()
  /// By group what was in chains that have been folded.
  private var counts: [Int: BucketCounts] = [:]

  private static func group(_ slot: Int, _ series: TimeSeries) -> Int { slot * TimeSeries.count + series.rawValue }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    let bucket = min(TimeBucket.index(time), UInt32(TimeHistogram.size - 1))
    chains.add(UInt16(truncatingIfNeeded: bucket), to: Self.group(slot, series))
    if chains.room > Self.limit, chains.room > limit { compact() }
  }

  /// Folds the chains into the counts.
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
