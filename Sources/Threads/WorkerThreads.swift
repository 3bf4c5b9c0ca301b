// Runs one body on several threads. Plain threads, because the work is long and without suspension, and
// they cost 25 microseconds each, once a command.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

public enum WorkerThreads {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Calls the body on `count` threads, the calling one among them, and returns when all are done. If the
  /// system refuses a thread there are fewer.
  public static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) {
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
