// A log as a user of the library sees it: where it is, and how many threads may work on it.

import EventLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A log of permission events: exports are ingested into it, and questions asked of it.
///
/// The value holds no open file. Every call opens the log as it is then: readers see the state of the last commit, and one
/// process writes at a time. Calls may be made from several threads; those that write throw `busy` while another one does.
///
/// For example:
///
/// ```swift
/// let log = try PermissionLog(path)
/// let result = try log.ingest([file])
/// print(result.stored.new, "new events")
/// ```
public struct PermissionLog: Sendable {
  /// The log's directory.
  public let path: String
  /// Threads that a call uses.
  public let threads: Int
  /// How long a call that writes waits for another process that does; not at all by default.
  public var lockPatience = LockPatience()
  /// What time it is. An event may be a day ahead of it and no more, and a question looks no later than this unless it names
  /// a moment.
  package var clock: @Sendable () -> Milliseconds = { SystemClock.now }
  /// The file system that the log is on; another one for a log that need not outlive the process.
  var files: any FileSystem = SystemFileSystem()

  /// A log in a directory. Nothing is opened or made yet: the first ingest makes the log, and until then every other call
  /// throws `notFound`.
  /// - Parameters:
  ///   - path: the log's directory.
  ///   - threads: at least 1; nil for one a core. More than one a core only take memory and are not used.
  /// - Throws: `usage` for an empty path or no thread.
  public init(_ path: String, threads: Int? = nil) throws(PermlogError) {
    guard !path.isEmpty else { throw PermlogError(.usage, "a log is a directory, and its path is not empty") }
    if let threads, threads < 1 { throw PermlogError(.usage, "\(threads) threads do nothing; give 1 or more") }
    self.path = path
    self.threads = Self.threads(threads)
  }

  /// Threads that are used if so many are asked for: at most one a core, and two are always allowed.
  package static func threads(_ asked: Int?) -> Int {
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return max(1, min(asked ?? cores, max(2, cores)))
  }

  var directory: LogDirectory { LogDirectory(path: path, files: files) }

  /// Does something with the log's one writer; the log must be there.
  func writing<Value>(_ body: (EventLogWriter) throws -> Value) throws(PermlogError) -> Value {
    try translating {
      let writer = try writer(mayCreate: false)
      defer { writer.close() }
      return try body(writer)
    }
  }
}
