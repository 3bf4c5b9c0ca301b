// An error of a log: a code for the exit status, and a sentence with the fault, its location and the next step.

import PermissionEvents

package struct LogError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// A system call failed: disk full, no permission, too many open files.
    case inputOutput
    /// Bytes on disk differ from those that were written.
    case damaged
    case locked
    case newerFormat
    /// No log exists at the given path.
    case notFound
    /// A key that the log needs was not given, or another one was.
    case key
    case limit
  }

  package let code: Code
  package var explanation: ErrorExplanation
  package let cause: FileError?
  /// Whether the log exceeds its budget of memory: fewer threads may be enough.
  var exceedsMemory = false

  package init(_ code: Code, _ finding: String, _ remedy: Remedy? = nil, cause: FileError? = nil) {
    self.code = code
    explanation = ErrorExplanation(finding, remedy)
    self.cause = cause
  }

  package var message: String { explanation.text }
  /// The message without what to do.
  var finding: String { explanation.finding }

  package var description: String { message }

  static func newerFormat(_ file: String, _ found: some BinaryInteger, newest: some BinaryInteger) -> LogError {
    LogError(
      .newerFormat,
      "\(file): written in format \(found), but this permlog reads formats up to \(newest). Use a newer permlog.")
  }

  /// Damage in a file: what is wrong, where, and what to do.
  static func damaged(_ file: String, _ location: String, _ what: String) -> LogError {
    LogError(.damaged, "\(file), \(location): \(what)", .restoreOrSalvage)
  }
}
