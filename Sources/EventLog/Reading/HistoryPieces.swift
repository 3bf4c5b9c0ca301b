// Users' histories made into the pieces of a stream, in the log's order. A fold cannot give that: sums have no order.

import PermissionEvents
import Threads

/// Makes something of users' histories, a stretch of users at a time. Each thread has one of its own.
package protocol HistoryPieceMaker: ~Copyable, SendableMetatype {
  associatedtype Piece: Sendable

  /// Takes the users of a batch, who come in the log's order.
  mutating func add(_ batch: HistoryBatch)

  /// What was made of the batches since the last time.
  mutating func take() -> Piece
}

extension HistoryScan {
  /// Stretches for each thread that are made before they are handed over, so that memory does not grow with the log.
  private static let stretches = 4

  /// Walks over all users in the log's order. The pieces are the same whatever the number of threads.
  /// - Parameters:
  ///   - make: makes the maker of one thread, for the codes of this scan.
  ///   - body: takes one piece after the other, on the thread of the caller; false ends the walk.
  package func forEachPiece<Maker: HistoryPieceMaker & ~Copyable>(
    threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker, _ body: (Maker.Piece) throws -> Bool
  ) throws {
    let parts = snapshot.parts
    let threads = max(
      1,
      MemoryBudget.threads(
        threads, parts, bytesPerRow: BlockDecoder.bytesOfHistoryRow(selection), most: 2 * PartFormat.rowsPerBlock))
    // About a block of the largest part each.
    let ranges = HashRanges.divide(parts, count: parts.map(\.footer.blocks.count).max() ?? 0)
    let window = threads * Self.stretches
    for start in stride(from: 0, to: ranges.count, by: window) {
      let stretch = Array(ranges[start..<min(ranges.count, start + window)])
      for piece in try piecesThatFit(stretch, threads: threads, make) {
        guard let piece, try body(piece) else { return }
      }
    }
  }

  private func piecesThatFit<Maker: HistoryPieceMaker & ~Copyable>(
    _ ranges: [ClosedRange<UInt64>], threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker
  ) throws -> [Maker.Piece?] {
    do {
      return try pieces(ranges, threads: min(threads, ranges.count), make)
    } catch let error as LogError where error.exceedsMemory && threads > 1 {
      // Blocks that no other thread reads meanwhile may fit.
      return try pieces(ranges, threads: 1, make)
    }
  }

  private func pieces<Maker: HistoryPieceMaker & ~Copyable>(
    _ ranges: [ClosedRange<UInt64>], threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker
  ) throws -> [Maker.Piece?] {
    let made = Mutex([Maker.Piece?](repeating: nil, count: ranges.count))
    let tasks = StealableTasks(count: ranges.count, threads: threads)
    try Workers.run(threads: threads) { thread in
      var maker = try make(contexts)
      let memory = ThreadMemory(
        parts: snapshot.parts.count, selection, snapshot.parts.first?.budget ?? snapshot.directory.budget)
      while let task = tasks.claim(thread) {
        try scan(ranges[task], into: { maker.add($0) }, memory)
        let piece = maker.take()
        made.withLock { $0[task] = piece }
      }
    }
    return made.withLock { $0 }
  }
}
