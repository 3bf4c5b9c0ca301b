// A file system whose n-th call fails, and that tells a test about every call.

import EventLog
import Foundation

/// Passes calls on to another file system, and lets some of them fail.
package final class FailingFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: everything that changes is touched under `mutex` alone.

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
  }

  private let base: any FileSystem
  private let mutex = NSLock()
  private let failing: Int?
  private let failure: Failure
  private let onCall: (@Sendable (Int, Call) -> Void)?
  private var recorded: [Call] = []

  /// - Parameters:
  ///   - call: the number of the call that fails, from 0; nil for none.
  ///   - onCall: called before each call, and not for calls that it makes itself.
  package init(
    _ base: any FileSystem, call: Int? = nil, failure: Failure = .once,
    onCall: (@Sendable (Int, Call) -> Void)? = nil
  ) {
    self.base = base
    failing = call
    self.failure = failure
    self.onCall = onCall
  }

  /// The calls so far.
  package var calls: [Call] { mutex.withLock { recorded } }

  private func perform<T>(
    _ operation: String, _ path: String, needsRoom: Bool = false, half: (() throws -> Void)? = nil,
    _ body: () throws -> T
  ) throws -> T {
    let call = Call(operation: operation, path: path)
    let number = mutex.withLock {
      recorded.append(call)
      return recorded.count - 1
    }
    onCall?(number, call)
    guard let failing else { return try body() }
    let error = FileError(operation: operation, path: path, errorNumber: failure == .diskFull ? ENOSPC : EIO)
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

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    try perform("open", path, needsRoom: mode == .create || mode == .scratch) { try base.open(path, mode) }
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
    try perform("synchronize", path, needsRoom: true) { try base.synchronize(descriptor, path: path) }
  }

  package func synchronizeDirectory(_ path: String) throws {
    try perform("synchronizeDirectory", path) { try base.synchronizeDirectory(path) }
  }

  package func rename(_ from: String, to: String) throws {
    try perform("rename", to) { try base.rename(from, to: to) }
  }

  package func remove(_ path: String) throws { try perform("remove", path) { try base.remove(path) } }

  package func list(_ directory: String) throws -> [String] {
    try perform("list", directory) { try base.list(directory) }
  }

  package func makeDirectory(_ path: String) throws {
    try perform("makeDirectory", path) { try base.makeDirectory(path) }
  }

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    try perform("lock", path) { try base.lock(descriptor, path: path) }
  }
}
