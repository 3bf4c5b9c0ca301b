// The one engine: any fold, over a snapshot, a range of the hash space, and some threads.

import Threads
import Folding
import PermissionEvents

extension LogSnapshot {
  /// What a fold counts of the users whose ids hash into a range. Disjoint ranges, like disjoint logs, give sums that add up.
  /// - Parameters:
  ///   - selection: what the fold looks at.
  ///   - hashes: `UserHash` of the users' ids.
  ///   - make: makes the fold of one thread, for the codes that the snapshot's histories have.
  package func fold<F: Fold & ~Copyable>(
    _ selection: HistorySelection, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    let scan = try HistoryScan(self, selection: selection)
    return try scan.fold(within: hashes, threads: threads, make)
  }
}

extension HistoryScan {
  package func fold<F: Fold & ~Copyable>(
    within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    let sums = Mutex(F.Sums())
    let contexts = contexts
    try run(
      within: hashes, threads: threads, { FoldConsumer(try make(contexts)) },
      done: { consumer in
        let counted = consumer.finish()
        try sums.withLock { try $0.add(counted) }
      })
    return sums.withLock { $0 }
  }
}
