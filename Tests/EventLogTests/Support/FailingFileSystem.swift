// A file system whose n-th call fails, once, as a full disk or a broken one would make it.

import Synchronization

@testable import EventLog

/// Counts the calls of a writer and lets one of them fail.
final class FailingFileSystem: FileSystem {
  private struct State {
    var calls = 0
    var failed: String?
  }

  private let base = SystemFileSystem()
  private let failingCall: Int
  private let errorNumber: Int32
  private let state = Mutex(State())

  init(failingCall: Int = .max, errorNumber: Int32 = 28) {
    self.failingCall = failingCall
    self.errorNumber = errorNumber
  }

  var calls: Int { state.withLock { $0.calls } }
  /// The call that failed.
  var failed: String? { state.withLock { $0.failed } }

  private func step(_ operation: String, _ path: String) throws {
    let isFailing = state.withLock { state -> Bool in
      state.calls += 1
      guard state.calls == failingCall else { return false }
      state.failed = "\(operation) \(path.split(separator: "/").last ?? "")"
      return true
    }
    if isFailing { throw FileError(operation: operation, path: path, errorNumber: errorNumber) }
  }

  func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    try step("open", path)
    return try base.open(path, mode)
  }
  func close(_ descriptor: Int32) throws {
    // The descriptor is gone whatever close says.
    try base.close(descriptor)
    try step("close", "")
  }
  func size(_ descriptor: Int32, path: String) throws -> Int {
    try step("stat", path)
    return try base.size(descriptor, path: path)
  }
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String) throws -> Int
  {
    try step("read", path)
    return try base.read(descriptor, into: buffer, at: offset, path: path)
  }
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws {
    do {
      try step("write", path)
    } catch {
      // A full disk takes a part of what is written.
      try base.write(descriptor, .init(rebasing: bytes.prefix(bytes.count / 2)), at: offset, path: path)
      throw error
    }
    try base.write(descriptor, bytes, at: offset, path: path)
  }
  func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    try step("truncate", path)
    try base.truncate(descriptor, to: size, path: path)
  }
  func synchronize(_ descriptor: Int32, path: String) throws {
    try step("fsync", path)
    try base.synchronize(descriptor, path: path)
  }
  func synchronizeDirectory(_ path: String) throws {
    try step("fsync directory", path)
    try base.synchronizeDirectory(path)
  }
  func rename(_ from: String, to: String) throws {
    try step("rename", from)
    try base.rename(from, to: to)
  }
  func remove(_ path: String) throws {
    try step("unlink", path)
    try base.remove(path)
  }
  func list(_ directory: String) throws -> [String] {
    try step("list", directory)
    return try base.list(directory)
  }
  func makeDirectory(_ path: String) throws {
    try step("mkdir", path)
    try base.makeDirectory(path)
  }
  func lock(_ descriptor: Int32, path: String) throws -> Bool {
    try step("lock", path)
    return try base.lock(descriptor, path: path)
  }
}
