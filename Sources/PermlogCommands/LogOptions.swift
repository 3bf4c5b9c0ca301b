// Options that several commands share.

import ArgumentParser
import Permlog

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

  static let defaultPath = "./permlog-data"

  /// The log that is named, else that of the environment.
  func open() throws(PermlogError) -> PermissionLog {
    let environment = getenv("PERMLOG_LOG").map { String(cString: $0) } ?? ""
    return try PermissionLog(
      log ?? (environment.isEmpty ? Self.defaultPath : environment), threads: workers.threads)
  }
}

struct ThreadOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("Threads to use (default: one a core).", valueName: "n"))
  var threads: Int?

  mutating func validate() throws {
    if let threads, !(1...256).contains(threads) { throw ValidationError("--threads takes a number from 1 to 256") }
  }
}

/// The key under which user ids are replaced.
struct UserHashOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The log has a keyed hash (HMAC-SHA-256) in place of user ids. The key is the file's bytes, 16 or more.",
      valueName: "keyfile"), completion: .file())
  var hashUsers: String?

  /// The key; nil if none was given.
  func key() throws(PermlogError) -> UserKey? {
    guard let path = hashUsers else { return nil }
    return try UserKey(contentsOf: path)
  }
}
