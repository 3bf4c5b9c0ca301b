// Counts of buckets that are mostly few.

import Folding

/// How many times fell in each bucket. What a walk has just met is kept as it came, in two bytes a time; it is counted when
/// it is to be written, or has grown long.
struct BucketCounts: Sendable {
  /// Single times that are kept: as many as fit in the histogram that counts them.
  private static let mostSingles = TimeHistogram.size * 4
  /// Single times that are sorted faster than they are counted in a histogram.
  private static let fewSingles = 128

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
    guard columns.last ?? 0 < TimeHistogram.size, values.allSatisfy({ $0 > 0 && $0 <= SumKeys.mostUsers }) else {
      throw SumsError(.damaged, "a time has an impossible count")
    }
    buckets = columns.map { UInt16(truncatingIfNeeded: $0) }
    counts = values
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
    let (a, b) = (self, other)
    let most = a.buckets.count + b.buckets.count
    var sums: [Int64] = []
    let merged = [UInt16](unsafeUninitializedCapacity: most) { merged, cells in
      sums = [Int64](unsafeUninitializedCapacity: most) { sums, count in
        var (i, j) = (0, 0)
        while i < a.buckets.count, j < b.buckets.count {
          let (left, right) = (a.buckets[i], b.buckets[j])
          merged.initializeElement(at: cells, to: min(left, right))
          // Each is far below 2^62.
          sums.initializeElement(at: cells, to: (left <= right ? a.counts[i] : 0) &+ (right <= left ? b.counts[j] : 0))
          if left <= right { i += 1 }
          if right <= left { j += 1 }
          cells += 1
        }
        for (rest, first) in [(a, i), (b, j)] {
          for place in first..<rest.buckets.count {
            merged.initializeElement(at: cells, to: rest.buckets[place])
            sums.initializeElement(at: cells, to: rest.counts[place])
            cells += 1
          }
        }
        count = cells
      }
    }
    guard sums.allSatisfy({ $0 <= SumKeys.mostUsers }) else {
      throw SumsError(.overflow, "more than 2^40 times fall in one bucket")
    }
    (buckets, counts) = (merged, sums)
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
  /// - Parameter scratch: an empty histogram, which is left empty.
  func row(countedIn scratch: TimeHistogram) -> SumTable.Row {
    guard !singles.isEmpty else { return SumTable.Row(ascending: buckets.map { Int($0) }, counts) }
    guard !buckets.isEmpty || singles.count > Self.fewSingles else {
      var row = SumTable.Row()
      forEachBucket { row.append($0, $1) }
      return row
    }
    scratch.add(self)
    let row = scratch.row
    scratch.remove([self])
    return row
  }

  /// All times. Each count is at most 2^40, and there are 2^14 buckets.
  var total: Int64 { counts.reduce(Int64(singles.count), +) }
}
