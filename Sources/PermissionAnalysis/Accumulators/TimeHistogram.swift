// Counts of times by bucket.

/// How many times fell in each bucket, from bucket 0 on.
final class TimeHistogram {
  let counts: FlatBuffer<Int64>

  init(size: Int) { counts = FlatBuffer(repeating: 0, count: size) }

  /// Several histograms of one size together.
  init(sum parts: [TimeHistogram]) {
    counts = FlatBuffer(repeating: 0, count: parts.first?.counts.count ?? 0)
    for part in parts {
      for bucket in 0..<counts.count { counts[bucket] &+= part.counts[bucket] }
    }
  }

  /// The smallest times with at least these percentages of all at or below them: the rank is a whole number,
  /// rounded up. Percentages ascend.
  func quantiles(_ percents: [Int], of count: Int) -> [Double?] {
    var results: [Double?] = []
    var seen = 0
    var bucket = 0
    for percent in percents {
      let rank = (count * percent + 99) / 100
      while bucket < counts.count, seen + Int(counts[bucket]) < rank {
        seen += Int(counts[bucket])
        bucket += 1
      }
      results.append(bucket < counts.count ? TimeBucket.middle(UInt32(bucket)) : nil)
    }
    return results
  }

  /// Buckets that are not empty, in order.
  var bins: [(bucket: UInt32, count: Int64)] {
    (0..<counts.count).compactMap { counts[$0] > 0 ? (UInt32($0), counts[$0]) : nil }
  }
}
