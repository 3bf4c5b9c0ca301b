// Divides the hash space into ranges of about equal work, at block borders of the largest part, so that
// most blocks are read by one range alone.

enum HashRanges {
  /// At most `count` ranges that cover a range of the hash space, in order.
  static func divide(
    _ parts: [PartReader], count: Int, within whole: ClosedRange<UInt64> = 0...(.max)
  ) -> [ClosedRange<UInt64>] {
    guard let largest = parts.max(by: { $0.footer.rows < $1.footer.rows }) else { return [] }
    let blocks = largest.footer.blocks
    var ranges: [ClosedRange<UInt64>] = []
    var start = whole.lowerBound
    for i in 1..<max(2, count) {
      let border = blocks.count * i / max(1, count)
      guard border > 0, border < blocks.count else { continue }
      // A hash that ends one block may begin the next; such a border would cut it in two.
      let first = blocks[border].firstHash
      guard first > start, first <= whole.upperBound, blocks[border - 1].lastHash < first else { continue }
      ranges.append(start...first - 1)
      start = first
    }
    ranges.append(start...whole.upperBound)
    return ranges
  }
}
