// The result of a command that was kept: asked again, while the log is the same, it is printed without a look at the events.

import ArgumentParser
import Permlog
import ReportRendering
import SystemCalls

struct KeptResultOptions: ParsableArguments {
  @Flag(
    help:
      "Answer from the events, even if the same was asked before and the log has not changed since; keep nothing. Also by $PERMLOG_NO_CACHE."
  )
  var noCache = false

  var isWanted: Bool { !noCache && Terminal.variable("PERMLOG_NO_CACHE") == nil }
}

/// Where the result of this process is kept. Its key has everything that the bytes depend on: the program, the arguments, how text is
/// written, and the state of the log as the question sees it.
struct KeptResult {
  /// The log in the state that the key is of: the question must be asked of it.
  let log: PermissionLog
  /// What was kept; nil if the question must be asked.
  let bytes: [UInt8]?
  private let key: [UInt8]

  /// - Returns: nil if nothing may be kept: the user does not want it, other files have a part in the result, or the question looks from
  ///   the present second.
  init?(
    _ options: KeptResultOptions, _ log: PermissionLog, _ scope: QuestionScope, besides files: ProtectedFiles,
    _ style: TextStyle
  ) {
    // What is wrong with the log or the question is said by the answer.
    guard options.isWanted, files.areOfLogAlone, let program = Self.program, let now = try? log.keepingSnapshot(),
      let state = try? now.state(for: scope), !state.isPassing
    else { return nil }
    let look = "\(style.width) \(style.hasColor) \(style.isASCII)"
    let texts = [PermlogVersion.text, program, log.path, look, state.text] + CommandLine.arguments.dropFirst()
    // No argument has a zero byte.
    key = Array(texts.joined(separator: "\0").utf8)
    bytes = try? now.keptAnswer(to: key)
    self.log = now
  }

  /// Keeps the result, unless there is more to say than the result says: a warning must come every time.
  func keep(_ result: [UInt8]) {
    if !Output.hasSpoken { try? log.keep(result, to: key) }
  }

  /// Which build of the program this is: a later one may answer in other words. Nil if it is not known.
  private static let program: String? = {
    #if os(Linux)
      var status = stat()
      guard stat("/proc/self/exe", &status) == 0 else { return nil }
      return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    #else
      return nil
    #endif
  }()
}

/// Collects a result while it is written; nothing if it becomes longer than what is kept.
struct ResultCollector {
  private(set) var bytes: [UInt8]? = []

  mutating func add(_ piece: [UInt8]) {
    guard let count = bytes?.count else { return }
    if count + piece.count <= PermissionLog.longestKeptAnswer { bytes? += piece } else { bytes = nil }
  }
}
