// Work on ranges of the hash space: dividing it, and finding the blocks of a range.

import Folding
import PermissionEvents

enum HashRanges {
  /// At most `count` ranges of about equal work that cover a range of the hash space, in order. Their bounds are those
  /// of the largest part's blocks, so that most blocks are read for only one range.
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

  /// The most rows of blocks that one hash can be in, which a merge holds of all parts together, and such a hash.
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

  func overlap(_ range: ClosedRange<UInt64>) -> Bool {
    let first = firstBlock(from: range.lowerBound)
    return first < count && self[first].firstHash <= range.upperBound
  }
}

// MARK: Several folds of a kind on one thread

/// Folds that see the same histories. Owned by one thread.
struct FoldList<F: Fold & ~Copyable>: ~Copyable {
  private let folds: UnsafeMutableBufferPointer<F>

  init(_ count: Int, _ make: (Int) throws -> F) throws {
    let folds = UnsafeMutableBufferPointer<F>.allocate(capacity: count)
    var made = 0
    do {
      while made < count {
        folds.initializeElement(at: made, to: try make(made))
        made += 1
      }
    } catch {
      folds.extracting(..<made).deinitialize()
      folds.deallocate()
      throw error
    }
    self.folds = folds
  }

  /// - Parameter sums: of each fold.
  func fold(batch: HistoryBatch, into sums: inout [F.Sums]) {
    for number in 0..<folds.count { folds[number].fold(batch: batch, into: &sums[number]) }
  }

  func finish(into sums: inout [F.Sums]) {
    for number in 0..<folds.count { folds[number].finish(into: &sums[number]) }
  }

  deinit {
    folds.deinitialize()
    folds.deallocate()
  }
}

// MARK: How many users a log has

extension LogSnapshot {
  /// Users with an event. One part says it in its footer; users of several parts may be the same, and are counted as one.
  package func userCount(threads: Int) throws -> Int {
    guard parts.count > 1 else { return parts.reduce(0) { $0 + Int(clamping: $1.visibleUsers) } }
    return Int(clamping: try fold(HistorySelection(), threads: threads) { _ in UserCounting() }.users)
  }
}

extension LogSnapshot {
  /// A sketch of the users with an event.
  package func userSketch(threads: Int) throws -> UserSketch {
    try fold(HistorySelection(userIDs: true), threads: threads) { _ in UserSketching() }.sketch
  }
}

private struct UserSketching: Fold {
  func fold(_ user: borrowing UserHistory, into sums: inout UserSketchSums) { sums.sketch.add(user.id()) }
}

/// Stays within one process.
private struct UserSketchSums: FoldSums {
  static let name = "sketch 1"
  static var layout: SumsLayout<Self> { [] }
  var sketch = UserSketch()

  mutating func add(_ other: Self) throws(SumsError) { sketch.formUnion(other.sketch) }
}

private struct UserCounting: Fold {
  func fold(_ user: borrowing UserHistory, into sums: inout UserCountSums) { sums.users += 1 }
}

/// A number of users; it stays within one process.
private struct UserCountSums: FoldSums {
  static let name = "users 1"
  static var layout: SumsLayout<Self> { [] }
  var users: Int64 = 0

  mutating func add(_ other: Self) throws(SumsError) { users = try CheckedSum.add(users, other.users) }
}
