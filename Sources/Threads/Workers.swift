// Work on all cores: a number of tasks, claimed in order by a few threads.

import struct Synchronization.Atomic

public enum Workers {
  /// Runs `body` once on each of `threads` threads, with the thread's number, and returns when all are done; throws
  /// the first error.
  public static func run<Failure: Error>(
    threads: Int, _ body: @escaping @Sendable (Int) throws(Failure) -> Void
  ) throws(Failure) {
    if threads <= 1 { return try body(0) }
    let numbers = Tasks(count: threads)
    let failure = FirstFailure<Failure>()
    WorkerThreads.run(threads) {
      guard let number = numbers.claim() else { return }
      do throws(Failure) {
        try body(number)
      } catch {
        failure.error.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.error.withLock({ $0 }) { throw error }
    // If the system refused a thread, its share of the work is done here.
    while let number = numbers.claim() { try body(number) }
  }

  private final class FirstFailure<Failure: Error>: Sendable {
    let error = Mutex<Failure?>(nil)
  }

  /// Hands out 0 ..< count in order, to any thread.
  public final class Tasks: Sendable {
    private let next = Atomic(0)
    private let count: Int
    public init(count: Int) { self.count = count }
    public func claim() -> Int? {
      let task = next.wrappingAdd(1, ordering: .relaxed).oldValue
      return task < count ? task : nil
    }
  }
}
