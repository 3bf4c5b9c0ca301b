// Waiting for another process that writes to the log.

import EventLog
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long a call that writes waits for the log's lock while another process has it.
public struct LockPatience: Sendable {
  /// Milliseconds; 0 for not at all.
  public var limit: Milliseconds
  /// Told once, when the waiting begins, of the `busy` error that would be thrown.
  public var onWait: (@Sendable (PermlogError) -> Void)?

  public init(limit: Milliseconds = 0, onWait: (@Sendable (PermlogError) -> Void)? = nil) {
    self.limit = limit
    self.onWait = onWait
  }
}

extension PermissionLog {
  /// Between two looks at the lock.
  private static let nap: Milliseconds = 100

  /// The log's one writer; waits for it as long as the patience lasts.
  /// - Parameter mayCreate: the log is made if there is none.
  func writer(mayCreate: Bool) throws -> EventLogWriter {
    let end = SystemClock.steadySeconds + Double(lockPatience.limit) / 1000
    var hasTold = false
    while true {
      do {
        return try EventLogWriter(directory, threads: threads, mayCreate: mayCreate, clock: clock)
      } catch let error as LogError where error.code == .locked {
        let left = end - SystemClock.steadySeconds
        guard left > 0 else { throw error }
        if !hasTold { lockPatience.onWait?(PermlogError(error)) }
        hasTold = true
        usleep(UInt32(min(Double(Self.nap) / 1000, left) * 1e6))
      }
    }
  }
}
