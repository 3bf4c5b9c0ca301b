// Work on all cores: a number of tasks, claimed in order by a few threads.

import Dispatch
import Synchronization

package enum Workers {
  /// Runs `body` once on each of `threads` threads and returns when all are done; throws the first error.
  package static func run(threads: Int, _ body: @Sendable (Int) throws -> Void) throws {
    if threads <= 1 { return try body(0) }
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: threads) { index in
      do {
        try body(index)
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Hands out 0 ..< count in order, to any thread.
  package final class Tasks: Sendable {
    private let next = Atomic(0)
    private let count: Int
    package init(count: Int) { self.count = count }
    package func claim() -> Int? {
      let task = next.wrappingAdd(1, ordering: .relaxed).oldValue
      return task < count ? task : nil
    }
  }
}
