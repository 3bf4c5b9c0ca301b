// Rejected lines: all of them to a file where one is named, the first few to the terminal.

import PermissionEvents
import EventImport
import ReportRendering

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Collects rejected lines; called by one thread at a time.
final class RejectReport: Sendable {
  private struct State: @unchecked Sendable {
    var file: UnsafeMutablePointer<FILE>?
    var first: [RejectedLine] = []
    var count = 0
  }

  private static let shown = 5
  private let path: String?
  private let state = Mutex(State())

  init(path: String?) { self.path = path }

  /// Makes the file, which must not be one of the inputs: it would be emptied before it is read.
  func open(besides inputs: [String]) throws {
    guard let path else { return }
    if path == "-" { throw CommandFailure.usage("--rejects takes a file's name, not -") }
    var own = stat()
    if stat(path, &own) == 0 {
      for input in inputs {
        var other = stat()
        if input != "-", stat(input, &other) == 0, other.st_dev == own.st_dev, other.st_ino == own.st_ino {
          throw CommandFailure.usage(
            "--rejects \(path): this is one of the files to ingest. Name another file, outside the exports.")
        }
      }
    }
    guard let file = fopen(path, "w") else { throw Self.failure(path) }
    state.withLock { $0.file = file }
  }

  deinit {
    if let file = state.withLock({ $0.file }) { fclose(file) }
  }

  private static func failure(_ path: String) -> CommandFailure {
    .failed("--rejects \(path): \(String(cString: strerror(errno))). Name a file that can be written.")
  }

  func add(_ line: RejectedLine) throws {
    let isWritten = state.withLock { state -> Bool in
      state.count += 1
      if state.first.count < Self.shown { state.first.append(line) }
      guard let file = state.file else { return true }
      let value = JSONValue.object([
        ("file", .string(line.file)), ("line", .integer(line.line)), ("reason", .string(line.reason)),
        ("text", .string(String(decoding: line.text, as: UTF8.self))),
      ])
      let bytes = value.encode()
      return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }
    if !isWritten, let path { throw Self.failure(path) }
  }

  /// Ends the file; throws where something could not be written.
  func close() throws {
    let isWritten = state.withLock { state -> Bool in
      guard let file = state.file else { return true }
      state.file = nil
      return fclose(file) == 0
    }
    if !isWritten, let path { throw Self.failure(path) }
  }

  /// Tells the first rejected lines on standard error.
  func summarize() {
    let (first, count) = state.withLock { ($0.first, $0.count) }
    for line in first { Output.message(TextStyle().legible("\(line.file):\(line.line): \(line.reason)")) }
    guard count > first.count else { return }
    let where_ = path.map { "all of them are in \($0)" } ?? "--rejects FILE keeps all of them"
    Output.message("and \(grouped(count - first.count)) more rejected lines; \(where_)")
  }
}
