// Options that several commands share.

import ArgumentParser
import EventLog
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct LogOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The log's directory (default: $PERMLOG_LOG, else ./permlog-data).", valueName: "dir"),
    completion: .directory)
  var log: String?

  @OptionGroup var workers: ThreadOptions

  mutating func validate() throws {
    if log == "" { throw ValidationError("--log takes a directory") }
  }

  var directory: LogDirectory {
    let environment = getenv("PERMLOG_LOG").map { String(cString: $0) } ?? ""
    return LogDirectory(path: log ?? (environment.isEmpty ? "./permlog-data" : environment))
  }

  var threadCount: Int { workers.threadCount }
}

struct ThreadOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("Threads to use (default: one a core).", valueName: "n"))
  var threads: Int?

  mutating func validate() throws {
    if let threads, !(1...256).contains(threads) { throw ValidationError("--threads takes a number from 1 to 256") }
  }

  /// Threads that were asked for, at most one a core and at least two: more only take memory.
  var threadCount: Int {
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return min(threads ?? cores, max(2, cores))
  }
}
