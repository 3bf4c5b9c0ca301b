// Work on all cores: a number of tasks, claimed in order by a few threads.

import struct Synchronization.Atomic

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

/// Plain threads, because the work is long and without suspension, and they cost 25 microseconds each, once a command.
private enum WorkerThreads {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Calls the body on `count` threads, the calling one among them, and returns when all are done. If the
  /// system refuses a thread there are fewer.
  static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let job = Job(body)
    var threads: [pthread_t] = []
    while threads.count < count - 1, let thread = start(job) { threads.append(thread) }
    body()
    for thread in threads { pthread_join(thread, nil) }
  }

  private static func start(_ job: Job) -> pthread_t? {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(job).toOpaque()
    if pthread_create(&thread, nil, { WorkerThreads.perform($0) }, argument) == 0 { return thread }
    Unmanaged<Job>.fromOpaque(argument).release()
    return nil
  }

  private static func perform(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
    return nil
  }
}
