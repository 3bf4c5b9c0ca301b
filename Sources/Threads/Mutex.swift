// The lock of the whole program: the standard library's, or one that ThreadSanitizer can see.

#if THREAD_SANITIZER
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Built with `-DTHREAD_SANITIZER` by Scripts/sanitize alone. On Linux the standard library's mutex is a futex of its own,
  /// which the sanitizer does not know, so that it takes everything under it for a race.
  public final class Mutex<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched between lock and unlock alone.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    public init(_ value: sending Value) {
      self.value = value
      lock = .allocate(capacity: 1)
      pthread_mutex_init(lock, nil)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    public func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value)
    }
  }
#else
  import Synchronization

  public typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
