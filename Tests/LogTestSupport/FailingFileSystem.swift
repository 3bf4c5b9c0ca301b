// A file system whose n-th call fails, and that tells a test about every call.

import EventLog
import Foundation

/// Passes calls on to another file system, and lets some of them fail.
package final class FailingFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: everything that changes is in the record, and touched under its `mutex` alone.

  /// What fails.
  package enum Failure: Sendable, CaseIterable {
    /// One call, which does nothing but for half of a write.
    case once
    /// One call, which is done whole and then reported as failed.
    case afterwards
    /// That call and every later one that needs room on the disk.
    case diskFull
  }

  package struct Call: Sendable {
    package var operation: String
    package var path: String
    /// True if a name or a file that was not there is made.
    package var makes = false
    /// The old name, of a rename.
    package var source: String?

    /// False for a call that leaves files, names and what of them is on disk as they were.
    package var changes: Bool {
      makes
        || ![
          "size", "read", "close", "list", "lock", "isNamed", "isShared", "isCurrent", "openDirectory", "lastUse",
          "noteUse",
        ].contains(operation)
          && !(operation == "open" && !path.hasSuffix("/lock"))
    }

    /// What this call can fail with on a machine that is in trouble.
    package var errors: [Int32] {
      switch operation {
      case "open" where makes: [ENOSPC, EDQUOT, EMFILE, ENFILE, EACCES, EROFS, EIO]
      case "open": [EMFILE, ENFILE, EACCES, EIO] + (path.contains("-") ? [ENOENT] : [])
      case "write": [ENOSPC, EDQUOT, EFBIG, EIO]
      case "synchronize": [EIO, ENOSPC, EDQUOT]
      case "synchronizeDirectory": [EIO, EMFILE, EACCES]
      case "rename": [ENOSPC, EDQUOT, EIO, EACCES, EROFS]
      case "remove": [EIO, EACCES, EROFS, ENOENT]
      case "removeDirectory": [EIO, EACCES, EROFS, ENOTEMPTY]
      case "list", "openDirectory": [EMFILE, ENFILE, EACCES, EIO]
      case "makeDirectory": [ENOSPC, EDQUOT, EACCES, EROFS]
      case "truncate": [EIO, EROFS]
      case "lock": [ENOLCK, EIO]
      default: [EIO]
      }
    }
  }

  private let base: any FileSystem
  private let failing: Int?
  private let failure: Failure
  private let errorNumber: Int32
  private let skipped: Int?
  private let onCall: (@Sendable (Int, Call) -> Void)?
  private let record: Record

  /// What was called, of these files and of those in directories of them that were opened.
  private final class Record {
    let mutex = NSLock()
    var calls: [Call] = []
    var synchronizations = 0
  }

  /// - Parameters:
  ///   - call: the number of the call that fails, from 0; nil for none.
  ///   - error: what it fails with.
  ///   - skipped: the number, from 0, of the synchronisation that is reported as done and is not; nil for none.
  ///   - onCall: called before each call, and not for calls that it makes itself.
  package init(
    _ base: any FileSystem, call: Int? = nil, failure: Failure = .once,
    error: Int32 = EIO, skipping skipped: Int? = nil, onCall: (@Sendable (Int, Call) -> Void)? = nil
  ) {
    self.base = base
    failing = call
    self.failure = failure
    errorNumber = error
    self.skipped = skipped
    self.onCall = onCall
    record = Record()
  }

  /// Files in a directory that was opened.
  private init(_ base: any FileSystem, of parent: FailingFileSystem) {
    self.base = base
    failing = parent.failing
    failure = parent.failure
    errorNumber = parent.errorNumber
    skipped = parent.skipped
    onCall = parent.onCall
    record = parent.record
  }

  /// The calls so far.
  package var calls: [Call] { record.mutex.withLock { record.calls } }

  private func perform<T>(
    _ operation: String, _ path: String, makes: Bool = false, source: String? = nil, needsRoom: Bool = false,
    half: (() throws -> Void)? = nil,
    _ body: () throws -> T
  ) throws -> T {
    let call = Call(operation: operation, path: path, makes: makes, source: source)
    let number = record.mutex.withLock {
      record.calls.append(call)
      return record.calls.count - 1
    }
    onCall?(number, call)
    guard let failing else { return try body() }
    let error = FileError(operation: operation, path: path, errorNumber: errorNumber)
    switch failure {
    case .once where number == failing:
      try half?()
      throw error
    case .afterwards where number == failing:
      // Nobody could close what an open that is reported as failed has opened.
      if operation != "open" { _ = try body() }
      throw error
    case .diskFull where number >= failing && needsRoom:
      try half?()
      throw error
    default: return try body()
    }
  }

  package func opened(at directory: String) throws -> any FileSystem {
    try perform("openDirectory", directory) { FailingFileSystem(try base.opened(at: directory), of: self) }
  }

  package func isCurrent(_ directory: String) throws -> Bool {
    try perform("isCurrent", directory) { try base.isCurrent(directory) }
  }

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    let makes = mode == .create || mode == .scratch
    return try perform("open", path, makes: makes, needsRoom: makes) { try base.open(path, mode) }
  }

  package func close(_ descriptor: Int32) throws {
    // A descriptor is gone whatever close reports.
    try perform("close", "", half: { try self.base.close(descriptor) }) { try base.close(descriptor) }
  }

  package func size(_ descriptor: Int32, path: String) throws -> Int {
    try perform("size", path) { try base.size(descriptor, path: path) }
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String
  ) throws -> Int {
    try perform("read", path) { try base.read(descriptor, into: buffer, at: offset, path: path) }
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws {
    let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
    try perform(
      "write", path, needsRoom: true, half: { try self.base.write(descriptor, half, at: offset, path: path) }
    ) { try base.write(descriptor, bytes, at: offset, path: path) }
  }

  package func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    try perform("truncate", path) { try base.truncate(descriptor, to: size, path: path) }
  }

  package func synchronize(_ descriptor: Int32, path: String) throws {
    try perform("synchronize", path, needsRoom: true) {
      if !skips() { try base.synchronize(descriptor, path: path) }
    }
  }

  package func synchronizeDirectory(_ path: String) throws {
    try perform("synchronizeDirectory", path) {
      if !skips() { try base.synchronizeDirectory(path) }
    }
  }

  /// Counts a synchronisation; true for the one that is left out.
  private func skips() -> Bool {
    record.mutex.withLock {
      defer { record.synchronizations += 1 }
      return record.synchronizations == skipped
    }
  }

  package func rename(_ from: String, to: String) throws {
    try perform("rename", to, source: from) { try base.rename(from, to: to) }
  }

  package func remove(_ path: String) throws { try perform("remove", path) { try base.remove(path) } }

  package func list(_ directory: String) throws -> [String] {
    try perform("list", directory) { try base.list(directory) }
  }

  @discardableResult
  package func makeDirectory(_ path: String) throws -> Bool {
    try perform("makeDirectory", path) { try base.makeDirectory(path) }
  }

  package func removeDirectory(_ path: String) throws {
    try perform("removeDirectory", path) { try base.removeDirectory(path) }
  }

  package func isNamed(_ descriptor: Int32, path: String) throws -> Bool {
    try perform("isNamed", path) { try base.isNamed(descriptor, path: path) }
  }

  package func isShared(_ descriptor: Int32, path: String) throws -> Bool {
    try perform("isShared", path) { try base.isShared(descriptor, path: path) }
  }

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    try perform("lock", path) { try base.lock(descriptor, path: path) }
  }

  package func lastUse(_ path: String) throws -> (bytes: Int, time: Int64) {
    try perform("lastUse", path) { try base.lastUse(path) }
  }

  package func noteUse(_ path: String) throws { try perform("noteUse", path) { try base.noteUse(path) } }

  package func unlock(_ descriptor: Int32) { base.unlock(descriptor) }
}
