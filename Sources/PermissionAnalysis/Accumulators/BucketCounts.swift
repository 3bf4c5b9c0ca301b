// Counts of buckets that are mostly few, in four bytes each.

import Folding

/// How many times fell in each bucket, without those that are empty, by ascending bucket.
struct BucketCounts: Sendable {
  private static let countBits: UInt32 = 18
  private static let largestCount: Int64 = 1 << 18 - 1

  /// The bucket above its count; a count that is larger takes several entries.
  private var entries: [UInt32] = []

  init() {}

  init(_ histogram: TimeHistogram) { histogram.forEachBin { append($0, $1) } }

  /// Counts as they are kept in a table: columns ascend.
  init(columns: [Int], values: [Int64]) throws(SumsError) {
    for (bucket, count) in zip(columns, values) {
      guard bucket < TimeHistogram.size, count > 0, count <= SumKeys.mostUsers else {
        throw SumsError(.damaged, "a time has an impossible count")
      }
      append(UInt32(bucket), count)
    }
  }

  /// - Parameter bucket: not before the last one.
  private mutating func append(_ bucket: UInt32, _ count: Int64) {
    var left = count
    while left > 0 {
      let part = min(left, Self.largestCount)
      entries.append(bucket << Self.countBits | UInt32(truncatingIfNeeded: part))
      left -= part
    }
  }

  mutating func add(_ other: BucketCounts) throws(SumsError) {
    if entries.isEmpty {
      entries = other.entries
      return
    }
    guard !other.entries.isEmpty else { return }
    let (a, b) = (entries, other.entries)
    entries = []
    entries.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      let bucket = min(i < a.count ? a[i] >> Self.countBits : .max, j < b.count ? b[j] >> Self.countBits : .max)
      var count: Int64 = 0
      while i < a.count, a[i] >> Self.countBits == bucket {
        count += Int64(a[i] & UInt32(Self.largestCount))
        i += 1
      }
      while j < b.count, b[j] >> Self.countBits == bucket {
        count += Int64(b[j] & UInt32(Self.largestCount))
        j += 1
      }
      guard count <= SumKeys.mostUsers else { throw SumsError(.overflow, "more than 2^40 times fall in one bucket") }
      append(bucket, count)
    }
  }

  /// Entries of a bucket follow one another; there may be several.
  @inline(__always)
  func forEach(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    for entry in entries { body(Int(entry >> Self.countBits), Int64(entry & UInt32(Self.largestCount))) }
  }

  /// Each bucket once.
  func forEachBucket(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    var last: (bucket: Int, count: Int64)?
    forEach { bucket, count in
      if let known = last, known.bucket == bucket {
        last = (bucket, known.count + count)
      } else {
        if let last { body(last.bucket, last.count) }
        last = (bucket, count)
      }
    }
    if let last { body(last.bucket, last.count) }
  }

  var total: Int64 {
    var total: Int64 = 0
    forEach { total += $1 }
    return total
  }
}
