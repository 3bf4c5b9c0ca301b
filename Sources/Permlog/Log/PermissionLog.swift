// A log as a user of the library sees it: its path, and the number of threads.

import EventLog
import PermissionEvents
import SystemCalls

/// A log of permission events: exports are ingested into it, and it answers questions.
///
/// The value holds no open file. Every call opens the log as it is then. Readers see the last commit, and only one
/// process writes at a time. Several threads may call at once; a call that writes throws `busy` while another one
/// writes.
///
/// For example:
///
/// ```swift
/// let log = try PermissionLog(path)
/// let result = try log.ingest([file])
/// print(result.stored.new, "new events")
/// ```
public struct PermissionLog: Sendable {
  public let path: String
  /// Threads that a call uses.
  public let threads: Int
  /// How long a call that writes waits for another process that does; not at all by default.
  public var lockPatience = LockPatience()
  /// The current time. An event may be at most a day ahead of it, and a question looks no later than this unless it
  /// names a moment.
  package var clock: @Sendable () -> Milliseconds = { SystemClock.now }
  /// The file system of the log; another one for a temporary log.
  var files: any FileSystem = SystemFileSystem()
  /// The state that questions see; nil for the newest.
  var pinned: LogSnapshot?

  /// A log in a directory. Nothing is opened or made yet: the first ingest makes the log, and until then every other
  /// call throws `notFound`.
  /// - Parameters:
  ///   - path: the log's directory.
  ///   - threads: at least 1; nil for one per core. More threads than cores only need memory and are not used.
  /// - Throws: `usage` for an empty path or fewer than one thread.
  public init(_ path: String, threads: Int? = nil) throws(PermlogError) {
    guard !path.isEmpty else { throw .usage("the path of the log's directory must not be empty") }
    if let threads, threads < 1 { throw .usage("\(threads) threads are too few; give 1 or more") }
    self.path = path
    self.threads = Self.threads(threads)
  }

  /// The log as it is now, for several questions that must agree: each sees this commit, whatever a writer does meanwhile, and looks
  /// from this moment. It keeps the log's files open, and those that a writer replaces on disk, for as long as the value lives. Calls that write are of the
  /// newest state, as always.
  ///
  /// For example:
  ///
  /// ```swift
  /// let now = try log.snapshot()
  /// let (report, audit) = (try now.report(), try now.audit())
  /// ```
  public func snapshot() throws(PermlogError) -> PermissionLog {
    var log = self
    log.pinned = try translating { try asked() }
    // Also of the same state without some users.
    _ = log.pinned?.liveStatus()
    let now = clock()
    log.clock = { now }
    return log
  }

  /// The fingerprint of the state that questions see: it changes with every commit, and never returns. Whoever keeps answers needs
  /// ``state(for:)``, because a question that names no moment also depends on the clock.
  public func fingerprint() throws(PermlogError) -> String {
    if let pinned { return pinned.manifest.fingerprint }
    return try translating { try directory.readManifest().fingerprint }
  }

  /// The number of threads to use: at most one per core, but two are always allowed.
  package static func threads(_ asked: Int?) -> Int {
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return max(1, min(asked ?? cores, max(2, cores)))
  }

  var directory: LogDirectory { LogDirectory(path: path, files: files) }

  /// Does something with the log's only writer; the log must exist.
  func writing<Value>(_ body: (EventLogWriter) throws -> Value) throws(PermlogError) -> Value {
    try translating {
      let writer = try writer(mayCreate: false)
      defer { writer.close() }
      return try body(writer)
    }
  }
}

// MARK: Waiting for another process that writes to the log

/// How long a call that writes waits for the log's lock while another process has it.
public struct LockPatience: Sendable {
  /// Milliseconds; 0 for no waiting.
  public var limit: Milliseconds
  /// Called once, when the waiting begins, with the `busy` error.
  public var onWait: (@Sendable (PermlogError) -> Void)?

  public init(limit: Milliseconds = 0, onWait: (@Sendable (PermlogError) -> Void)? = nil) {
    self.limit = limit
    self.onWait = onWait
  }
}

extension PermissionLog {
  private static let nap: Milliseconds = 100

  /// The log's only writer. Waits for another writer for as long as the patience lasts.
  /// - Parameter mayCreate: a missing log is created.
  func writer(mayCreate: Bool) throws -> EventLogWriter {
    let end = SystemClock.steadySeconds + Double(lockPatience.limit) / 1000
    var hasReported = false
    while true {
      do {
        return try EventLogWriter(directory, threads: threads, mayCreate: mayCreate, clock: clock)
      } catch let error as LogError where error.code == .locked {
        let left = end - SystemClock.steadySeconds
        guard left > 0 else { throw error }
        if !hasReported { lockPatience.onWait?(PermlogError(error)) }
        hasReported = true
        usleep(UInt32(min(Double(Self.nap) / 1000, left) * 1e6))
      }
    }
  }
}

// MARK: A moment as people name it: a time, or the beginning of a date in a zone

/// A point in time, or the first moment of a date in the zone of the request.
public enum Moment: Sendable, Hashable {
  /// Milliseconds since 1970.
  case time(Milliseconds)
  case startOf(CivilDate)

  /// Milliseconds since 1970.
  func time(in zone: ZoneTable) throws(PermlogError) -> Milliseconds {
    switch self {
    case .startOf(let date): return zone.firstMoment(of: try date.checkedDay())
    case .time(let time):
      guard (0...Timestamp.latest + millisecondsPerDay * 366).contains(time) else {
        throw .usage("the time \(time) is not in the years 1970 to 2100")
      }
      return time
    }
  }
}

extension CivilDate {
  /// The day's number.
  /// - Throws: for a date outside the years that a log can have.
  func checkedDay() throws(PermlogError) -> DayNumber {
    // Weeks of 2008 and 2100 begin and end in the years beside them.
    guard (2007...2101).contains(year), isValid else {
      throw .usage("\(year)-\(month)-\(day) is not a date in the years 2008 to 2100")
    }
    return dayNumber
  }
}

// MARK: The machine's two clocks: what day it is, and how long something took

package enum SystemClock {
  /// Milliseconds since 1970, in whole seconds.
  package static var now: Milliseconds { Milliseconds(time(nil)) * 1000 }

  /// Seconds of a clock that never jumps.
  package static var steadySeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
