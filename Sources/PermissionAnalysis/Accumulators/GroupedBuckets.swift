// Buckets sorted out by group: one counting pass and one scattering pass, no comparison.

/// The buckets of each group, in no order within one.
struct GroupedBuckets: ~Copyable, @unchecked Sendable {
  private let ends: FlatBuffer<Int32>
  private let buckets: FlatBuffer<UInt16>
  private let groupCount: Int
  /// The largest bucket of any group.
  let largest: UInt16

  init() {
    ends = FlatBuffer(repeating: 0, count: 1)
    buckets = FlatBuffer()
    groupCount = 0
    largest = 0
  }

  /// - Parameter words: group above the bucket's bits.
  init(_ words: borrowing FlatBuffer<UInt32>, bucketBits: UInt32) {
    let mask: UInt32 = 1 << bucketBits - 1
    var largestWord: UInt32 = 0
    var largestBucket: UInt32 = 0
    for i in 0..<words.count {
      largestWord = max(largestWord, words[i])
      largestBucket = max(largestBucket, words[i] & mask)
    }
    largest = UInt16(truncatingIfNeeded: largestBucket)
    groupCount = words.count == 0 ? 0 : Int(largestWord >> bucketBits) + 1
    ends = FlatBuffer(repeating: 0, count: groupCount + 1)
    buckets = FlatBuffer(repeating: 0, count: words.count)
    for i in 0..<words.count { ends[Int(words[i] >> bucketBits) + 1] += 1 }
    for group in 0..<groupCount { ends[group + 1] += ends[group] }
    for i in 0..<words.count {
      let group = Int(words[i] >> bucketBits)
      buckets[Int(ends[group])] = UInt16(truncatingIfNeeded: words[i] & mask)
      ends[group] += 1
    }
    // Each entry has moved to the end of its group.
  }

  @inline(__always)
  func forEachBucket(_ group: Int, _ body: (UInt16) -> Void) {
    guard group < groupCount else { return }
    let start = group == 0 ? 0 : Int(ends[group - 1])
    for i in start..<Int(ends[group]) { body(buckets[i]) }
  }
}
