// Options that several commands share.

import ArgumentParser
import Permlog
import ReportRendering
import SystemCalls
import Threads

struct LogOptions: ParsableArguments {
  @Option("The log's directory (default: $PERMLOG_LOG, else ./permlog-data).", value: "dir")
  var log: String?

  @OptionGroup var workers: ThreadOptions

  @Flag(help: "Print only results and warnings; other messages and summaries are shown only if the command fails.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "The current time, for repeatable results (default: the machine's clock).", valueName: "moment",
      visibility: .hidden))
  var now: String?

  /// The time that was given; nil for the machine's clock.
  func clock() throws -> Milliseconds? {
    guard let now else { return nil }
    guard case .time(let time) = try GivenTime.moment(now, of: .now) else {
      throw CommandFailure.usage("--now needs a time with a zone like 2026-04-05T12:00:00Z")
    }
    return time
  }

  static let defaultPath = "./permlog-data"

  var path: String { log ?? Terminal.variable("PERMLOG_LOG") ?? Self.defaultPath }

  /// Whether somebody said which log is meant.
  var isNamed: Bool { log != nil || Terminal.variable("PERMLOG_LOG") != nil }

  /// Whether there is anything at the log's path.
  var isThere: Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// The log, which must not be overwritten by a result.
  var protectedFiles: ProtectedFiles { ProtectedFiles(log: path) }

  func open() throws -> PermissionLog {
    if let log { ToolWords.namedLog.withLock { $0 = log } }
    var log = try PermissionLog(path, threads: workers.threads)
    if let now = try clock() { log.clock = { now } }
    return log
  }
}

/// The words of the command line, for the log that this command names: what is suggested can be pasted.
enum ToolWords {
  fileprivate static let namedLog = Mutex<String?>(nil)

  static let text: RemedyWords = { remedy in
    let words = CommandWords.text(remedy)
    guard let log = namedLog.withLock({ $0 }) else { return words }
    let option = " --log " + CommandWords.quoted(log)
    return switch remedy {
    case .fillLog: words.replacing("ingest FILE", with: "ingest FILE" + option)
    case .exampleIngest, .compareWithPlan: words + option
    default: words
    }
  }
}

struct WrittenLogOptions: ParsableArguments {
  @OptionGroup var log: LogOptions

  @Option(
    "If another permlog is writing to the log, wait up to this long: a number with s, m or h (default: not at all).",
    value: "duration")
  var wait: DurationOption?

  var quiet: Bool { log.quiet }

  /// Opens the named log; a writer waits for it as long as `--wait` says.
  func open() throws -> PermissionLog {
    var log = try log.open()
    guard let wait else { return log }
    log.lockPatience = LockPatience(limit: wait.milliseconds) { error in
      // Nobody watches a program that waits without a terminal.
      guard Output.isErrorTerminal else { return }
      Output.message("\(error.explanation.finding). Waiting for it, up to \(wait.text).")
    }
    return log
  }
}

/// A duration as it is written: a number with `ms`, `s`, `m`, `h` or `d`, in whole milliseconds.
struct DurationOption: ExpressibleByArgument {
  let milliseconds: Milliseconds
  let text: String

  init?(argument: String) {
    guard let milliseconds = DurationText.milliseconds(argument) else { return nil }
    (self.milliseconds, text) = (milliseconds, argument)
  }
}

struct ThreadOptions: ParsableArguments {
  @Option("Threads to use (default: one per core).", value: "n")
  var threads: Int?

  mutating func validate() throws {
    if let threads, !(1...256).contains(threads) { throw ValidationError("--threads must be a number from 1 to 256") }
  }
}

struct UserHashOptions: ParsableArguments {
  @Option(
    "Store keyed hashes (HMAC-SHA-256) instead of user ids. The key is the content of this file, at least 16 bytes. Always use the same key; after `permlog rekey` give all, the oldest first.",
    value: "keyfile")
  var hashUsers: [String] = []

  /// The key; nil if none was given.
  /// - Parameter log: the log's directory, in which the key must not be.
  func key(besides log: String) throws(PermlogError) -> UserKey? { try Self.key(hashUsers, besides: log) }

  /// The key of several files, the oldest first.
  static func key(_ paths: some Sequence<String>, besides log: String) throws(PermlogError) -> UserKey? {
    try KeyFileReader.userKey(paths, isOutside: log) { warn(of: $0, "--hash-users") }
  }
}

/// The key of the list of erased users, if it is kept outside the log.
struct ErasureKeyOptions: ParsableArguments {
  @Option("The key of the list of erased users, if it is kept in a file outside the log (see erase).", value: "keyfile")
  var key: String?

  func source() -> ErasureKeySource? {
    guard let key else { return nil }
    warn(of: key, "--key")
    return .file(key)
  }
}

/// Warns if others may read a key's file.
private func warn(of path: String, _ option: String) {
  if let exposure = KeyFileReader.exposure(of: path) { Output.message("WARNING: \(option) \(exposure)") }
}
