// Counts of buckets that are mostly few.

import Folding

/// How many times fell in each bucket. What a walk has just met is kept as it came, in two bytes a time; it is counted when
/// it is to be written, or has grown long.
struct BucketCounts: Sendable {
  /// Single times that are kept: as many as fit in the histogram that counts them.
  private static let mostSingles = TimeHistogram.size * 4
  /// Single times that are sorted faster than they are counted in a histogram.
  private static let fewSingles = 256

  /// Buckets that have been counted, ascending, and the count of each, above 0.
  private var buckets: [UInt16] = []
  private var counts: [Int64] = []
  /// Buckets of single times, in no order.
  private var singles: [UInt16] = []

  init() {}

  init(_ histogram: TimeHistogram) {
    histogram.forEachBin { bucket, count in
      buckets.append(UInt16(truncatingIfNeeded: bucket))
      counts.append(count)
    }
  }

  /// Counts as they are kept in a table: columns ascend.
  init(columns: [Int], values: [Int64]) throws(SumsError) {
    buckets.reserveCapacity(columns.count)
    counts.reserveCapacity(columns.count)
    for (bucket, count) in zip(columns, values) {
      guard bucket < TimeHistogram.size, count > 0, count <= SumKeys.mostUsers else {
        throw SumsError(.damaged, "a time has an impossible count")
      }
      buckets.append(UInt16(bucket))
      counts.append(count)
    }
  }

  /// Appends a bucket after all others.
  mutating func append(_ bucket: Int, _ count: Int64) {
    buckets.append(UInt16(truncatingIfNeeded: bucket))
    counts.append(count)
  }

  /// Adds times that a walk has met.
  mutating func add(_ buckets: UnsafeBufferPointer<UInt16>) { singles += buckets }

  mutating func add(_ other: BucketCounts) throws(SumsError) {
    if buckets.isEmpty {
      (buckets, counts) = (other.buckets, other.counts)
    } else if !other.buckets.isEmpty {
      try merge(other)
    }
    singles += other.singles
    if singles.count > Self.mostSingles { count() }
  }

  /// Counts the single times.
  private mutating func count() {
    let histogram = TimeHistogram()
    histogram.add(self)
    self = BucketCounts(histogram)
  }

  private mutating func merge(_ other: BucketCounts) throws(SumsError) {
    var merged = BucketCounts()
    merged.buckets.reserveCapacity(buckets.count + other.buckets.count)
    merged.counts.reserveCapacity(buckets.count + other.buckets.count)
    var (i, j) = (0, 0)
    while i < buckets.count || j < other.buckets.count {
      let bucket = min(i < buckets.count ? buckets[i] : .max, j < other.buckets.count ? other.buckets[j] : .max)
      var count: Int64 = 0
      if i < buckets.count, buckets[i] == bucket {
        count += counts[i]
        i += 1
      }
      if j < other.buckets.count, other.buckets[j] == bucket {
        count += other.counts[j]
        j += 1
      }
      guard count <= SumKeys.mostUsers else { throw SumsError(.overflow, "more than 2^40 times fall in one bucket") }
      merged.buckets.append(bucket)
      merged.counts.append(count)
    }
    (buckets, counts) = (merged.buckets, merged.counts)
  }

  /// How many pieces `forEachCell` has.
  var cells: Int { buckets.count + singles.count }

  /// Every bucket that has times, some of them more than once.
  @inline(__always)
  func forEachCell(_ body: (_ bucket: Int) -> Void) {
    for bucket in buckets { body(Int(bucket)) }
    for bucket in singles { body(Int(bucket)) }
  }

  /// Adds all times to a histogram.
  @inline(__always)
  func add(to histogram: TimeHistogram) {
    for (bucket, count) in zip(buckets, counts) { histogram.add(UInt32(bucket), count: count) }
    singles.withUnsafeBufferPointer { histogram.add($0) }
  }

  /// Each bucket once, ascending.
  func forEachBucket(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    if buckets.isEmpty, singles.count <= Self.fewSingles {
      let sorted = singles.sorted()
      var i = 0
      while i < sorted.count {
        let first = i
        while i < sorted.count, sorted[i] == sorted[first] { i += 1 }
        body(Int(sorted[first]), Int64(i - first))
      }
      return
    }
    guard singles.isEmpty else {
      var counted = self
      counted.count()
      return counted.forEachBucket(body)
    }
    for (bucket, count) in zip(buckets, counts) { body(Int(bucket), count) }
  }

  /// As a row of a table whose columns are the buckets.
  var row: SumTable.Row {
    if singles.isEmpty { return SumTable.Row(ascending: buckets.map { Int($0) }, counts) }
    var row = SumTable.Row()
    row.reserveCapacity(cells)
    forEachBucket { row.append($0, $1) }
    return row
  }

  /// All times. Each count is at most 2^40, and there are 2^14 buckets.
  var total: Int64 { counts.reduce(Int64(singles.count), +) }
}
