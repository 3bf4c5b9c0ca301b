// Refused lines: counted by reason, handed on, and written to a file if one is named.

import EventImport
import PermissionEvents
import ReportRendering
import Threads

/// Collects refused lines; called by one thread at a time. The file is private. It gets its name when the import ends,
/// even after an error: refused lines are most useful if nothing was stored.
final class RejectKeeper: Sendable {
  private struct State: @unchecked Sendable {
    var file: WholeFile?
    var bytes = 0
    var summary = RejectionSummary()
    var indices: [String: Int] = [:]
    /// Names of files with lines that may be accepted on a later day.
    var early: Set<String> = []

    mutating func note(_ line: RejectedLine) {
      summary.count += 1
      if line.group == RejectedLine.groupOfFutureTimes { early.insert(line.file) }
      if let index = indices[line.group] {
        summary.groups[index].count += 1
      } else if summary.groups.count < RejectionSummary.maximumGroups {
        indices[line.group] = summary.groups.count
        summary.groups.append(.init(first: line, count: 1))
      }
    }

    mutating func write(_ members: JSONMembers, limit: Int) throws {
      guard let file else { return }
      let bytes = JSONWriter.document(members)
      // The file has the first lines only: after the first line that does not fit, no line is written.
      guard summary.notKept == 0, bytes.count <= limit - self.bytes else {
        summary.notKept += 1
        return
      }
      self.bytes += bytes.count
      try bytes.withUnsafeBytes { try file.write($0) }
    }

    /// The last line of an incomplete file.
    mutating func writeNote(_ reason: String) throws {
      let bytes = JSONWriter.document(
        ["file": nil as String?, "line": nil as Int?, "reason": reason, "text": nil as String?] as JSONMembers)
      try bytes.withUnsafeBytes { try file?.write($0) }
    }
  }

  private let path: String?
  private let limit: Int
  private let hasTexts: Bool
  private let state = Mutex(State())
  private let onReject: (@Sendable (RejectedLine) throws -> Void)?

  init(_ options: IngestOptions, _ onReject: (@Sendable (RejectedLine) throws -> Void)? = nil) {
    path = options.rejectsFile
    limit = options.rejectsLimit
    // The text of a line has the id that a key hides.
    hasTexts = options.userKey == nil
    self.onReject = onReject
  }

  /// Opens the file, which must not be a file of the import or of the log.
  func open(besides protected: ProtectedFiles) throws(PermlogError) {
    guard let path else { return }
    if path == "-" { throw .usage("needs the name of a file, not -", .rejects) }
    try naming(path) {
      let file = try WholeFile(path, besides: protected, isPrivate: true)
      state.withLock { $0.file = file }
    }
  }

  /// Runs a part of the import. If it fails, the lines refused so far are kept.
  func keeping<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      closeEarly()
      throw error
    }
  }

  func add(_ line: RejectedLine) throws {
    try naming(path ?? "") {
      try state.withLock { state in
        state.note(line)
        // As it is: the file keeps the line's own bytes.
        let text = hasTexts ? String(decoding: line.text, as: UTF8.self) : nil
        try state.write(
          ["file": line.file, "line": line.line, "reason": line.reason, "text": text] as JSONMembers, limit: limit)
      }
    }
    try onReject?(line)
  }

  func close() throws(PermlogError) {
    try naming(path ?? "") {
      try state.withLock { state in
        if state.summary.notKept > 0 { try state.writeNote(notKept(state.summary)) }
        _ = try state.file?.close()
        state.file = nil
      }
    }
  }

  private func notKept(_ summary: RejectionSummary) -> String {
    "\(counted(summary.notKept, "more line was", "more lines were")) rejected and not kept: this file has reached its limit of "
      + "\(grouped(limit)) bytes"
  }

  /// Gives the file its name after the import has failed, if it has any lines. Otherwise an earlier file stays. Errors
  /// here are ignored: the import's own error is reported, and an earlier file is unchanged.
  private func closeEarly() {
    try? state.withLock { state in
      guard state.summary.count > 0 else { return }
      let limit = state.summary.notKept > 0 ? notKept(state.summary) + "; " : ""
      try state.writeNote(limit + "the import failed before its end: more lines may have been rejected")
      _ = try state.file?.close()
    }
    state.withLock { $0.file = nil }
  }

  /// Whether lines of a file, or of a member of it, may be accepted on a later day.
  func mayRead(later file: String) -> Bool {
    state.withLock { $0.early.contains { $0 == file || $0.hasPrefix(file + "!") } }
  }

  var summary: RejectionSummary {
    var summary = state.withLock { $0.summary }
    summary.groups.sort { $0.count > $1.count }
    return summary
  }

  private func naming(_ path: String, _ body: () throws -> Void) throws(PermlogError) {
    do { try body() } catch {
      var named = PermlogError(error)
      if let error = error as? SystemError {
        let finding = "\(path): \(error.reason). Name a file that can be written."
        named = PermlogError(.inputOutput, finding, cause: error)
      }
      named.argument = .rejects
      throw named
    }
  }
}

// MARK: Refused lines, counted by reason

/// The refused lines of an import by reason, the most frequent first.
public struct RejectionSummary: Sendable, Equatable {
  /// Lines that were refused for one reason.
  public struct Group: Sendable, Equatable {
    /// The first of them.
    public var first: RejectedLine
    public var count: Int
  }

  /// The number of reasons that are counted separately. It is larger than the number of reasons, so the result never
  /// depends on the order of the lines.
  static let maximumGroups = 1000
  public internal(set) var groups: [Group] = []
  public internal(set) var count = 0
  /// The number of lines that are not in the file because it reached its limit.
  public internal(set) var notKept = 0
}
