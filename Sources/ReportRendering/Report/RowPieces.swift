// The rows of a report in pieces, made by several threads and written in their order: never are all of many rows in memory.

import PermissionAnalysis
import Threads

enum RowPieces {
  /// Rows of a piece, and pieces that a thread makes before they are written.
  private static let size = 32
  private static let pieces = 8

  /// - Parameters:
  ///   - make: one piece, on any thread.
  ///   - body: takes the pieces in their order.
  static func forEach<Piece: Sendable>(
    _ rows: ReportRows, threads: Int, make: @escaping @Sendable (ReportRows.Maker, Range<Int>) -> Piece,
    _ body: (Piece) throws -> Void
  ) rethrows {
    let window = max(1, threads) * pieces * size
    for start in stride(from: 0, to: rows.count, by: window) {
      let end = min(rows.count, start + window)
      let ranges = stride(from: start, to: end, by: size).map { $0..<min(end, $0 + size) }
      let made = Mutex([Piece?](repeating: nil, count: ranges.count))
      let tasks = Workers.Tasks(count: ranges.count)
      Workers.run(threads: min(threads, ranges.count)) { _ in
        let maker = ReportRows.Maker(rows)
        while let task = tasks.claim() {
          let piece = make(maker, ranges[task])
          made.withLock { $0[task] = piece }
        }
      }
      for piece in made.withLock({ $0 }) { if let piece { try body(piece) } }
    }
  }
}
