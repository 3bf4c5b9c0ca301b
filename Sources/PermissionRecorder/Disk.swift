// The system calls of the journal. Each may fail; a test hands in a disk on which each of them fails, or is the last.

import Foundation

/// A call of the system that failed.
struct DiskError: Error, CustomStringConvertible {
  var operation: String
  var number: Int32

  var description: String { "cannot \(operation): \(String(cString: strerror(number)))" }
}

/// A directory of small files, and a lock that its processes share.
protocol Disk: Sendable {
  func names() throws -> [String]
  func read(_ name: String) throws -> [UInt8]
  /// Adds bytes at the end of a file, which is made if it is not there. If it throws, some of them may be there.
  func append(_ bytes: [UInt8], to name: String) throws
  func cut(_ name: String, to length: Int) throws
  /// Returns when a file's bytes outlast a loss of power.
  func synchronise(_ name: String) throws
  /// The same of the directory: which files there are.
  func synchroniseNames() throws
  func rename(_ name: String, to other: String) throws
  func remove(_ name: String) throws
  /// Waits for other processes, and returns the number that whoever changes something raises.
  func lock() throws -> UInt64
  func raise(_ generation: UInt64) throws
  func unlock()
}

/// A directory of the file system. The lock is held for one call of the recorder: iOS ends an app that is put to sleep with a lock on a file
/// which it shares with its extensions.
final class Directory: Disk, @unchecked Sendable {
  // Unchecked: every call but `init` is made with the recorder's own lock held.
  private let path: String
  private let lockFile: Int32
  static let lockName = "lock"

  init(_ path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    Self.protect(path)
    lockFile = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lockFile >= 0 else { throw DiskError(operation: "open the lock", number: errno) }
  }

  deinit { close(lockFile) }

  /// Readable after the first unlock, and in no backup: a backup on another phone would be a second install with the first one's name.
  private static func protect(_ path: String) {
    #if os(iOS) || os(watchOS) || os(visionOS) || RECORDER_STUBS
      try? FileManager.default.setAttributes(
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
    #endif
    #if canImport(Darwin) || RECORDER_STUBS
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      var url = URL(fileURLWithPath: path, isDirectory: true)
      try? url.setResourceValues(values)
    #endif
  }

  private func check<Number: SignedInteger>(_ operation: String, _ call: () -> Number) throws -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw DiskError(operation: operation, number: errno) }
    }
  }

  private func with<Value>(_ name: String, _ flags: Int32, _ body: (Int32) throws -> Value) throws -> Value {
    let descriptor = try check("open a file") { open(path + "/" + name, flags | O_CLOEXEC, 0o600) }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

  func read(_ name: String) throws -> [UInt8] {
    try with(name, O_RDONLY) { descriptor in
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = try check("read") {
          buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
      }
    }
  }

  func append(_ bytes: [UInt8], to name: String) throws {
    try with(name, O_WRONLY | O_CREAT | O_APPEND) { descriptor in
      var written = 0
      while written < bytes.count {
        written += try check("write") {
          bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        }
      }
    }
  }

  func cut(_ name: String, to length: Int) throws {
    _ = try with(name, O_WRONLY) { descriptor in try check("cut") { ftruncate(descriptor, off_t(length)) } }
  }

  func synchronise(_ name: String) throws { try with(name, O_RDONLY, synchronise) }

  func synchroniseNames() throws { try with("", O_RDONLY, synchronise) }

  private func synchronise(_ descriptor: Int32) throws {
    #if canImport(Darwin) || RECORDER_STUBS
      // `fsync` leaves bytes in the drive's cache, and what follows may be a request that leaves the phone.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try check("synchronise") { fsync(descriptor) }
  }

  func rename(_ name: String, to other: String) throws {
    _ = try check("rename") { Foundation.rename(path + "/" + name, path + "/" + other) }
  }

  func remove(_ name: String) throws {
    // Another process may have been first.
    _ = try check("remove") { unlink(path + "/" + name) == 0 || errno == ENOENT ? 0 : -1 }
  }

  func lock() throws -> UInt64 {
    _ = try check("lock") { flock(lockFile, LOCK_EX) }
    var generation: UInt64 = 0
    do {
      // A file without a number yet is at 0.
      _ = try check("read") { withUnsafeMutableBytes(of: &generation) { pread(lockFile, $0.baseAddress, $0.count, 0) } }
    } catch {
      unlock()
      throw error
    }
    return generation
  }

  func raise(_ generation: UInt64) throws {
    _ = try check("write") { withUnsafeBytes(of: generation) { pwrite(lockFile, $0.baseAddress, $0.count, 0) } }
  }

  func unlock() { flock(lockFile, LOCK_UN) }
}
