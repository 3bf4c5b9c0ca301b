// A lock that a thread can wait in, and an executor for actors whose work blocks.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// MARK: A lock with a condition, for state that threads wait on. The standard library's Mutex cannot wait

/// A lock that a thread can wait in until another one has changed what it guards.
public final class Monitor: @unchecked Sendable {
  // Unchecked: the two system objects are made for use by several threads and never move.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  public init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Gives the lock up until `wakeAll` is called, then takes it again. Called under the lock.
  public func wait() { pthread_cond_wait(condition, mutex) }
  public func wakeAll() { pthread_cond_broadcast(condition) }
}

// MARK: An actor on a thread of its own

/// Runs the jobs of one actor on a thread of its own, in their order: an actor that waits for a disk must not hold a thread of the
/// system's pool, which has one a core. The thread ends with the executor.
public final class ThreadExecutor: SerialExecutor {
  private let jobs = Jobs()

  /// The jobs that wait. The thread holds it, and not the executor, so that an executor without owners ends.
  private final class Jobs: @unchecked Sendable {
    // Unchecked: all is touched under `monitor` alone.
    let monitor = Monitor()
    var waiting: [UnownedJob] = []
    var isEnded = false

    /// The next jobs; nil at the end.
    func next() -> [UnownedJob]? {
      monitor.withLock {
        while waiting.isEmpty, !isEnded { monitor.wait() }
        guard !waiting.isEmpty else { return nil }
        defer { waiting = [] }
        return waiting
      }
    }
  }

  public init() {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(Box(jobs, asUnownedSerialExecutor())).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          ThreadExecutor.run(argument)
        #else
          if let argument { ThreadExecutor.run(argument) }
        #endif
        return nil
      }, argument)
    precondition(status == 0, "the system has no thread left")
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  private final class Box: @unchecked Sendable {
    let jobs: Jobs
    let executor: UnownedSerialExecutor
    init(_ jobs: Jobs, _ executor: UnownedSerialExecutor) { (self.jobs, self.executor) = (jobs, executor) }
  }

  private static func run(_ argument: UnsafeMutableRawPointer) {
    let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
    while let jobs = box.jobs.next() {
      for job in jobs { job.runSynchronously(on: box.executor) }
    }
  }

  deinit {
    jobs.monitor.withLock {
      jobs.isEnded = true
      jobs.monitor.wakeAll()
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.monitor.withLock {
      jobs.waiting.append(job)
      jobs.monitor.wakeAll()
    }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
