// Refused lines: counted by reason, handed on, and written to a file if one is named.

import EventImport
import PermissionEvents
import ReportRendering
import Threads

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The refused lines of an import by reason, the most frequent first.
public struct RejectionSummary: Sendable, Equatable {
  /// Lines that were refused for one reason.
  public struct Group: Sendable, Equatable {
    /// The first of them.
    public var first: RejectedLine
    public var count: Int
  }

  /// Reasons that are kept apart; a few dozen exist.
  static let maximumGroups = 200
  public internal(set) var groups: [Group] = []
  /// All refused lines.
  public internal(set) var count = 0
}

/// Collects refused lines; called by one thread at a time.
final class RejectKeeper: Sendable {
  private struct State: @unchecked Sendable {
    var file: UnsafeMutablePointer<FILE>?
    var summary = RejectionSummary()
    /// Places in the summary by reason.
    var places: [String: Int] = [:]

    mutating func note(_ line: RejectedLine) {
      summary.count += 1
      if let place = places[line.group] {
        summary.groups[place].count += 1
      } else if summary.groups.count < RejectionSummary.maximumGroups {
        places[line.group] = summary.groups.count
        summary.groups.append(.init(first: line, count: 1))
      }
    }
  }

  private let path: String?
  private let state = Mutex(State())
  private let onReject: (@Sendable (RejectedLine) throws -> Void)?

  init(path: String?, _ onReject: (@Sendable (RejectedLine) throws -> Void)? = nil) {
    self.path = path
    self.onReject = onReject
  }

  deinit {
    if let file = state.withLock({ $0.file }) { fclose(file) }
  }

  /// Makes the file, which must not be one of the inputs: it would be emptied before it is read.
  func open(besides inputs: [String]) throws(PermlogError) {
    guard let path else { return }
    if path == "-" { throw PermlogError(.usage, "takes a file's name, not -", argument: .rejects) }
    var own = stat()
    if stat(path, &own) == 0 {
      for input in inputs {
        var other = stat()
        if input != "-", stat(input, &other) == 0, other.st_dev == own.st_dev, other.st_ino == own.st_ino {
          throw PermlogError(
            .usage, "\(path): this is one of the files to ingest. Name another file, outside the exports.",
            argument: .rejects)
        }
      }
    }
    guard let file = fopen(path, "w") else { throw Self.failure("open", path) }
    state.withLock { $0.file = file }
  }

  private static func failure(_ operation: String, _ path: String) -> PermlogError {
    let error = SystemError(operation: operation, path: path, number: errno)
    return PermlogError(
      .inputOutput, "\(path): \(error.reason). Name a file that can be written.", argument: .rejects, cause: error)
  }

  func add(_ line: RejectedLine) throws {
    let isWritten = state.withLock { state -> Bool in
      state.note(line)
      guard let file = state.file else { return true }
      let text = String(decoding: line.text, as: UTF8.self)
      let bytes = JSONWriter.document(
        ["file": line.file, "line": line.line, "reason": line.reason, "text": text] as JSONMembers)
      return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }
    if !isWritten, let path { throw Self.failure("write", path) }
    try onReject?(line)
  }

  /// Ends the file; throws if something could not be written.
  func close() throws(PermlogError) {
    let isWritten = state.withLock { state -> Bool in
      guard let file = state.file else { return true }
      state.file = nil
      return fclose(file) == 0
    }
    if !isWritten, let path { throw Self.failure("write", path) }
  }

  /// All of them by reason.
  var summary: RejectionSummary {
    var summary = state.withLock { $0.summary }
    summary.groups.sort { $0.count > $1.count }
    return summary
  }
}
