// What can go wrong with a log, as one value: a code for the exit status, and a sentence that says what,
// where and what to do next.

/// An error of the event log.
package struct LogError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// A system call failed: disk full, no permission, too many open files.
    case inputOutput
    /// Bytes on disk are not what was written.
    case damaged
    /// Another process writes.
    case locked
    /// Written by a newer version.
    case newerFormat
    /// There is no log where one was named.
    case notFound
    /// More than the format can hold.
    case limit
  }

  package let code: Code
  package let message: String
  /// The message without what to do.
  let finding: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    finding = message
  }

  private init(damage: String, advice: String) {
    code = .damaged
    message = damage + ". " + advice
    finding = damage
  }

  package var description: String { message }

  /// Damage in a file: what is wrong, where, and what to do.
  static func damaged(_ file: String, _ place: String, _ what: String) -> LogError {
    LogError(
      damage: "\(file), \(place): \(what)",
      advice: """
        The log is damaged; `permlog verify` lists all damage. Restore the log from a copy, or save what is whole with \
        `permlog export --skip-damaged`.
        """)
  }
}
