// Counts of buckets that are mostly few.

import Buffers
import Folding
import PermissionEvents

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

  var cells: Int { buckets.count + singles.count }

  /// Every bucket that has times, some of them more than once.
  @inline(__always)
  func forEachCell(_ body: (_ bucket: Int) -> Void) {
    for bucket in buckets { body(Int(bucket)) }
    for bucket in singles { body(Int(bucket)) }
  }

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

/// How many times fell in each bucket. Owned by one thread.
final class TimeHistogram {
  /// The number of buckets for all possible times: 42 bits of milliseconds.
  static let size = 1 << 14
  /// Buckets that are passed over at once.
  private static let stride = 64

  private let counts = Buffer<Int64>(repeating: 0, count: size)
  private var low = size
  private var high = -1

  var range: ClosedRange<Int>? { low <= high ? low...high : nil }

  func add(_ bucket: UInt32, count: Int64 = 1) {
    low = min(low, Int(bucket))
    high = max(high, Int(bucket))
    counts[Int(bucket)] &+= count
  }

  func add(_ buckets: UnsafeBufferPointer<UInt16>) {
    var (low, high) = (low, high)
    let counts = counts.unsafeAddress
    for bucket in buckets {
      // Buckets come from `TimeLog`, which keeps them below the size.
      let bucket = Int(bucket)
      low = min(low, bucket)
      high = max(high, bucket)
      counts[bucket] &+= 1
    }
    (self.low, self.high) = (low, high)
  }

  func add(_ other: BucketCounts) { other.add(to: self) }

  /// Empties a histogram that holds some counts and nothing else. A few times in a wide range are cleared one by one.
  func remove(_ counts: [BucketCounts]) {
    let cells = counts.reduce(0) { $0 + $1.cells }
    guard let range, cells < range.count / 4 else { return removeAll() }
    for count in counts { count.forEachCell { self.counts[$0] = 0 } }
    low = Self.size
    high = -1
  }

  func removeAll() {
    if low <= high { (counts.unsafeAddress + low).update(repeating: 0, count: high - low + 1) }
    low = Self.size
    high = -1
  }

  /// The smallest times with at least these percentages of all in some histograms at or below them: the rank is a whole
  /// number, rounded up. Percentages ascend.
  static func quantiles(_ percents: [Int], of count: Int, in histograms: [TimeHistogram]) -> [Double?] {
    let low = histograms.reduce(size) { min($0, $1.low) }
    let high = histograms.reduce(-1) { max($0, $1.high) }
    func sum(from start: Int, to end: Int) -> Int {
      var sum: Int64 = 0
      for histogram in histograms {
        let counts = histogram.counts.unsafeAddress
        for bucket in start..<end { sum &+= counts[bucket] }
      }
      return Int(sum)
    }
    var results: [Double?] = []
    var seen = 0
    var bucket = low
    for percent in percents {
      let rank = (count * percent + 99) / 100
      while bucket + stride <= high {
        let next = sum(from: bucket, to: bucket + stride)
        if seen + next >= rank { break }
        seen += next
        bucket += stride
      }
      while bucket <= high {
        let next = sum(from: bucket, to: bucket + 1)
        if seen + next >= rank { break }
        seen += next
        bucket += 1
      }
      results.append(bucket <= high ? TimeBucket.middle(UInt32(bucket)) : nil)
    }
    return results
  }

  var bins: [(bucket: UInt32, count: Int64)] {
    var bins: [(bucket: UInt32, count: Int64)] = []
    forEachBin { bins.append(($0, $1)) }
    return bins
  }

  /// As a row of a table whose columns are the buckets.
  var row: SumTable.Row {
    var columns: [Int] = []
    var values: [Int64] = []
    forEachBin {
      columns.append(Int($0))
      values.append($1)
    }
    return SumTable.Row(ascending: columns, values)
  }

  @inline(__always)
  func forEachBin(_ body: (_ bucket: UInt32, _ count: Int64) -> Void) {
    guard let range else { return }
    let counts = counts.unsafeAddress
    // Most buckets are empty: eight are passed over at once.
    var bucket = range.lowerBound & ~7
    while bucket <= range.upperBound {
      let eight = counts + bucket
      var any: Int64 = 0
      for i in 0..<8 { any |= eight[i] }
      if any != 0 {
        for i in 0..<8 where eight[i] > 0 { body(UInt32(truncatingIfNeeded: bucket + i), eight[i]) }
      }
      bucket += 8
    }
  }
}

enum TimeBucket {
  private static let bits: UInt64 = 9

  /// The bucket of a time that is not negative.
  @inline(__always)
  static func index(_ milliseconds: Milliseconds) -> UInt32 {
    let value = UInt64(max(0, milliseconds))
    if value < 512 { return UInt32(truncatingIfNeeded: value) }
    let shift = 63 - UInt64(value.leadingZeroBitCount) - bits
    return UInt32(truncatingIfNeeded: (shift + 1) << bits | (value >> shift) & 511)
  }

  /// The middle of a bucket: at most 0.1 % from any time in it.
  static func middle(_ index: UInt32) -> Double {
    if index < 512 { return Double(index) }
    let shift = UInt64(index >> 9) - 1
    let low = UInt64(512 | index & 511) << shift
    return Double(low) + Double((UInt64(1) << shift) - 1) / 2
  }
}
