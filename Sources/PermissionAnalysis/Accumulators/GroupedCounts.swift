// Counts how often each word occurs: first by the words' upper part, the group, then by their lower part in
// one small array that all groups share. Linear, and much cheaper than sorting.

enum GroupedCounts {
  /// Words in ascending order with their counts.
  /// - Parameter groupShift: number of low bits that tell the words of one group apart; at most 20.
  static func of(
    _ words: UnsafeMutablePointer<UInt64>, count: Int, groupShift: UInt64
  ) -> [(key: UInt64, count: Int64)] {
    var largest: UInt64 = 0
    for i in 0..<count { largest = max(largest, words[i] >> groupShift) }
    let groups = Int(largest) + 1
    let ends = FlatBuffer<Int>(repeating: 0, count: groups + 1)
    for i in 0..<count { ends[Int(words[i] >> groupShift) + 1] += 1 }
    for group in 0..<groups { ends[group + 1] += ends[group] }
    let low = FlatBuffer<UInt32>(repeating: 0, count: count)
    let mask: UInt64 = 1 << groupShift - 1
    for i in 0..<count {
      let group = Int(words[i] >> groupShift)
      low[ends[group]] = UInt32(truncatingIfNeeded: words[i] & mask)
      ends[group] += 1
    }
    // Each entry has moved to the end of its group.
    var result: [(key: UInt64, count: Int64)] = []
    result.reserveCapacity(count / 2)
    var tally = FlatBuffer<UInt32>()
    var start = 0
    for group in 0..<groups {
      let end = ends[group]
      if start < end { add(low, start..<end, UInt64(group) << groupShift, &tally, &result) }
      start = end
    }
    return result
  }

  private static func add(
    _ low: borrowing FlatBuffer<UInt32>, _ range: Range<Int>, _ base: UInt64, _ tally: inout FlatBuffer<UInt32>,
    _ result: inout [(key: UInt64, count: Int64)]
  ) {
    var first = UInt32.max
    var last: UInt32 = 0
    for i in range {
      first = min(first, low[i])
      last = max(last, low[i])
    }
    tally.extend(to: Int(last) + 1, repeating: 0)
    for i in range { tally[Int(low[i])] += 1 }
    for value in Int(first)...Int(last) where tally[value] > 0 {
      result.append((base | UInt64(value), Int64(tally[value])))
      tally[value] = 0
    }
  }
}
