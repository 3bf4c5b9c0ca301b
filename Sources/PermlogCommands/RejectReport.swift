// Rejected lines: all of them to a file if one is named, and on the terminal how many there are of each reason.

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
  fileprivate struct State: @unchecked Sendable {
    var file: UnsafeMutablePointer<FILE>?
    /// By reason, in the order in which they came first.
    var groups: [Group] = []
    var places: [String: Int] = [:]
    var count = 0
  }

  fileprivate struct Group {
    var first: RejectedLine
    var count = 0
  }

  /// Reasons that are kept apart; a few dozen exist.
  fileprivate static let maximumGroups = 200
  private static let shown = 12
  private let path: String?
  private let state = Mutex(State())

  /// The command has the option that keeps the lines.
  private let canKeep: Bool

  init(path: String?, canKeep: Bool = true) {
    self.path = path
    self.canKeep = canKeep
  }

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
      state.note(line)
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

  /// Tells on standard error how many lines were rejected for what, and where the first one is.
  func summarize() {
    let (groups, count) = state.withLock { ($0.groups, $0.count) }
    guard count > 0 else { return }
    for group in groups.sorted(by: { $0.count > $1.count }).prefix(Self.shown) { Output.message(Self.text(group)) }
    if groups.count > Self.shown { Output.message("and \(groups.count - Self.shown) more reasons") }
    if canKeep, count > groups.count || groups.count > Self.shown {
      Output.message(
        path.map { "all of them are in \($0)" } ?? "--rejects FILE keeps every rejected line with its reason")
    }
  }

  private static func text(_ group: Group) -> String {
    let place = "\(group.first.file):\(group.first.line)"
    if group.count == 1 { return "\(place): \(group.first.reason)" }
    let summary = "\(grouped(group.count)) lines: \(group.first.group), first at \(place)"
    return group.first.reason == group.first.group ? summary : summary + "\n    " + group.first.reason
  }
}

extension RejectReport.State {
  /// Counts a line under its reason.
  fileprivate mutating func note(_ line: RejectedLine) {
    if let place = places[line.group] {
      groups[place].count += 1
    } else if groups.count < RejectReport.maximumGroups {
      places[line.group] = groups.count
      groups.append(.init(first: line, count: 1))
    }
  }
}
