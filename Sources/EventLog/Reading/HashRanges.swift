// Work on ranges of the hash space: dividing it, and finding the blocks of a range.

enum HashRanges {
  /// At most `count` ranges of about equal work that cover a range of the hash space, in order. Their borders are those of
  /// the largest part's blocks, so that most blocks are read by one range alone.
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

  /// The most rows of blocks that one hash can be in, which is what a merge holds of all parts together; and such a hash.
  static func peak(_ parts: [PartReader]) -> (rows: Int, hash: UInt64) {
    var ends: [(hash: UInt64, isEnd: Bool, rows: Int)] = []
    for block in parts.flatMap(\.footer.blocks) {
      ends.append((block.firstHash, false, Int(block.rows)))
      ends.append((block.lastHash, true, -Int(block.rows)))
    }
    // A block has its last hash too.
    ends.sort { $0.hash != $1.hash ? $0.hash < $1.hash : !$0.isEnd && $1.isEnd }
    var rows = 0
    var most = (rows: 0, hash: UInt64(0))
    for end in ends {
      rows += end.rows
      if rows > most.rows { most = (rows, end.hash) }
    }
    return most
  }

  /// The part with the most rows where the parts together have most. Without it a merge of them takes least.
  static func heaviest(_ parts: [PartReader]) -> PartReader? {
    let hash = peak(parts).hash
    func rows(_ part: PartReader) -> Int {
      part.footer.blocks.reduce(0) { $0 + ($1.firstHash...max($1.firstHash, $1.lastHash) ~= hash ? Int($1.rows) : 0) }
    }
    return parts.max { rows($0) < rows($1) }
  }
}

extension [BlockEntry] {
  /// The first block that ends at a hash or later.
  func firstBlock(from hash: UInt64) -> Int { firstPlace { $0.lastHash >= hash } }

  /// True if a block has hashes of a range.
  func overlap(_ range: ClosedRange<UInt64>) -> Bool {
    let first = firstBlock(from: range.lowerBound)
    return first < count && self[first].firstHash <= range.upperBound
  }
}

extension Array {
  /// Binary search: the first place from which on `isReached` is true; the count if it is nowhere. It is false before and
  /// true after.
  @inline(__always)
  func firstPlace(where isReached: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
