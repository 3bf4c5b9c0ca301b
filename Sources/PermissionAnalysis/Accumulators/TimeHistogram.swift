// Times, kept so that quantiles come out to within 0.1 %: logarithmic buckets of 1/512 of an octave, each
// read as its middle. Exact below 512 ms.

import PermissionEvents

enum TimeBucket {
  private static let bits = 9

  /// The bucket of a time that is not negative.
  static func index(_ milliseconds: Milliseconds) -> UInt32 {
    let value = UInt64(max(0, milliseconds))
    if value < 512 { return UInt32(truncatingIfNeeded: value) }
    let shift = 63 - value.leadingZeroBitCount - bits
    return UInt32(shift + 1) << UInt32(bits) | UInt32(truncatingIfNeeded: value >> UInt64(shift)) & 511
  }

  /// The middle of a bucket: at most 0.1 % from any time in it.
  static func middle(_ index: UInt32) -> Double {
    if index < 512 { return Double(index) }
    let shift = UInt64(index >> 9) - 1
    let low = UInt64(512 | index & 511) << shift
    return Double(low) + Double((1 << shift) - 1) / 2
  }

  static let count: UInt32 = 64 << 9
}

/// Times by group and series. While folding they are a log of (slot, series, bucket) words, which is cheap
/// to write; when it is long it is folded into sorted counts, so that memory does not grow with the log.
struct TimeLog: Sendable {
  private var entries: [UInt64] = []
  /// Sorted by key, each key once.
  private(set) var counts: [(key: UInt64, count: Int64)] = []

  private static let limit = 1 << 20

  static func key(slot: Int, series: TimeSeries, bucket: UInt32) -> UInt64 {
    UInt64(slot) << 24 | UInt64(series.rawValue) << 20 | UInt64(bucket)
  }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    entries.append(Self.key(slot: slot, series: series, bucket: TimeBucket.index(time)))
    if entries.count >= Self.limit { compact() }
  }

  /// Folds the log into the counts.
  mutating func compact() {
    guard !entries.isEmpty else { return }
    RadixSort.sort(&entries)
    var runs: [(key: UInt64, count: Int64)] = []
    for key in entries {
      if let last = runs.last, last.key == key {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((key, 1))
      }
    }
    entries.removeAll(keepingCapacity: true)
    merge(runs)
  }

  private mutating func merge(_ other: [(key: UInt64, count: Int64)]) {
    var merged: [(key: UInt64, count: Int64)] = []
    merged.reserveCapacity(counts.count + other.count)
    var i = 0
    var j = 0
    while i < counts.count || j < other.count {
      if j == other.count || (i < counts.count && counts[i].key < other[j].key) {
        merged.append(counts[i])
        i += 1
      } else if i == counts.count || other[j].key < counts[i].key {
        merged.append(other[j])
        j += 1
      } else {
        merged.append((counts[i].key, counts[i].count + other[j].count))
        i += 1
        j += 1
      }
    }
    counts = merged
  }

  /// Adds another log whose slots have other numbers here.
  mutating func merge(_ other: TimeLog, slots: [Int]) {
    compact()
    var other = other
    other.compact()
    let moved = other.counts.map { entry in
      (key: UInt64(slots[Int(entry.key >> 24)]) << 24 | entry.key & 0xFF_FFFF, count: entry.count)
    }
    merge(moved.sorted { $0.key < $1.key })
  }

  /// The histogram of one series of some slots together: buckets in order, with counts.
  func histogram(slots: [Int], series: [TimeSeries]) -> [(bucket: UInt32, count: Int64)] {
    var all: [(bucket: UInt32, count: Int64)] = []
    for slot in slots {
      for one in series {
        let low = Self.key(slot: slot, series: one, bucket: 0)
        var i = firstIndex(low)
        while i < counts.count, counts[i].key >> 20 == low >> 20 {
          all.append((UInt32(truncatingIfNeeded: counts[i].key & 0xF_FFFF), counts[i].count))
          i += 1
        }
      }
    }
    return all.sorted { $0.bucket < $1.bucket }
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

/// Sorts words by their digits, lowest first: linear, and without comparisons.
enum RadixSort {
  static func sort(_ words: inout [UInt64]) {
    let largest = words.max() ?? 0
    var from = words
    var to = words
    var shift: UInt64 = 0
    while shift < 64, largest >> shift != 0 {
      var starts = [Int](repeating: 0, count: 2049)
      for word in from { starts[Int(word >> shift & 2047) + 1] += 1 }
      for digit in 0..<2048 { starts[digit + 1] += starts[digit] }
      for word in from {
        let digit = Int(word >> shift & 2047)
        to[starts[digit]] = word
        starts[digit] += 1
      }
      swap(&from, &to)
      shift += 11
    }
    words = from
  }
}
