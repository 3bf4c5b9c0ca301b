// Counts of buckets that are mostly few.

import Folding

/// How many times fell in each bucket. What a walk has just met is kept as it came, in two bytes a time; it is counted when
/// it is to be written, or has grown long.
struct BucketCounts: Sendable {
  private static let countBits: UInt32 = 18
  private static let largestCount: Int64 = 1 << 18 - 1
  /// Single times that are kept: as many as fit in the histogram that counts them.
  private static let mostSingles = TimeHistogram.size * 4

  /// The bucket above its count, by ascending bucket; a count that is larger takes several entries.
  private var entries: [UInt32] = []
  /// Buckets of single times, in no order.
  private var singles: [UInt16] = []

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

  /// Adds times that a walk has met.
  mutating func add(_ buckets: UnsafeBufferPointer<UInt16>) { singles += buckets }

  mutating func add(_ other: BucketCounts) throws(SumsError) {
    singles += other.singles
    if entries.isEmpty { entries = other.entries } else if !other.entries.isEmpty { try merge(other.entries) }
    if singles.count > Self.mostSingles { count() }
  }

  /// Counts the single times.
  private mutating func count() {
    let histogram = TimeHistogram()
    histogram.add(self)
    self = BucketCounts(histogram)
  }

  private mutating func merge(_ b: [UInt32]) throws(SumsError) {
    let a = entries
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
  private func forEachEntry(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    for entry in entries { body(Int(entry >> Self.countBits), Int64(entry & UInt32(Self.largestCount))) }
  }

  /// How many pieces `forEachCell` has.
  var cells: Int { entries.count + singles.count }

  /// Every bucket that has times, some of them more than once.
  @inline(__always)
  func forEachCell(_ body: (_ bucket: Int) -> Void) {
    for entry in entries { body(Int(entry >> Self.countBits)) }
    for bucket in singles { body(Int(bucket)) }
  }

  /// Adds all times to a histogram.
  @inline(__always)
  func add(to histogram: TimeHistogram) {
    if !entries.isEmpty { forEachEntry { histogram.add(UInt32(truncatingIfNeeded: $0), count: $1) } }
    singles.withUnsafeBufferPointer { histogram.add($0) }
  }

  /// Each bucket once, ascending.
  func forEachBucket(_ body: (_ bucket: Int, _ count: Int64) -> Void) {
    guard singles.isEmpty else {
      var counted = self
      counted.count()
      return counted.forEachBucket(body)
    }
    var last: (bucket: Int, count: Int64)?
    forEachEntry { bucket, count in
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
    var total = Int64(singles.count)
    forEachEntry { total += $1 }
    return total
  }
}
