// Counts of buckets that are mostly few, in four bytes each.

/// How many times fell in each bucket, without those that are empty.
struct BucketCounts: Sendable {
  private static let countBits: UInt32 = 18
  private static let largestCount: Int64 = 1 << 18 - 1

  /// The bucket above its count; a count that is larger takes several entries.
  private var entries: [UInt32] = []

  init() {}

  init(_ histogram: TimeHistogram) {
    for (bucket, count) in histogram.bins {
      var left = count
      while left > 0 {
        let part = min(left, Self.largestCount)
        entries.append(bucket << Self.countBits | UInt32(truncatingIfNeeded: part))
        left -= part
      }
    }
  }

  /// The entries of both, in no order.
  mutating func add(_ other: BucketCounts) { entries += other.entries }

  func forEach(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    for entry in entries { body(Int(entry >> Self.countBits), Int64(entry & UInt32(Self.largestCount))) }
  }
}
