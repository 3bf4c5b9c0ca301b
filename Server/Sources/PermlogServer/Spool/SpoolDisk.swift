// The system calls of the spool, each of which may fail: then what was answered stays, and what was not is not there.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A call of the system that failed.
struct DiskError: Error, CustomStringConvertible {
  var operation: String
  var path: String
  var number: Int32

  init(_ operation: String, _ path: String, _ number: Int32 = errno) {
    (self.operation, self.path, self.number) = (operation, path, number)
  }

  var isFull: Bool { number == ENOSPC || number == EDQUOT }
  var description: String { "cannot \(operation) \(path): \(String(cString: strerror(number)))" }
}

/// A file that records are appended to. One task uses it at a time.
final class AppendFile: @unchecked Sendable {
  // Unchecked: the spool and the quarantine each write from one task.
  let path: String
  private let descriptor: Int32
  /// Bytes that are written and on the disk.
  private(set) var length: Int

  /// Makes a file, or goes on with one; a torn end is cut off.
  init(_ path: String, keeping length: Int? = nil) throws(DiskError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | (length == nil ? O_EXCL : 0), 0o600)
    guard descriptor >= 0 else { throw DiskError("open", path) }
    self.length = length ?? 0
    guard ftruncate(descriptor, off_t(self.length)) == 0 else { throw DiskError("cut", path) }
  }

  deinit { close(descriptor) }

  /// Writes bytes and waits until they are on the disk. If that fails, the file is as long as before.
  func append(_ bytes: [UInt8]) throws(DiskError) {
    do throws(DiskError) {
      var written = 0
      while written < bytes.count {
        let count = bytes.withUnsafeBytes { all in
          pwrite(descriptor, all.baseAddress.map { $0 + written }, all.count - written, off_t(length + written))
        }
        if count > 0 { written += count } else if count == 0 || errno != EINTR { throw DiskError("write", path) }
      }
      guard fdatasync(descriptor) == 0 else { throw DiskError("synchronise", path) }
    } catch {
      _ = ftruncate(descriptor, off_t(length))
      throw error
    }
    length += bytes.count
  }
}

enum Disk {
  /// Makes a directory, and those above it; nobody else may look into it.
  static func makeDirectory(_ path: String) throws(DiskError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw DiskError("make", path, ENOTDIR)
    }
  }

  /// Names of files with an ending, in their order.
  static func names(in directory: String, ending: String) throws(DiskError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(ending) }.sorted()
    } catch {
      throw DiskError("list", directory, EIO)
    }
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  static func rename(_ old: String, _ new: String) throws(DiskError) {
    guard Foundation.rename(old, new) == 0 else { throw DiskError("rename", old) }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func remove(_ path: String) throws(DiskError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw DiskError("remove", path) }
  }

  /// Waits until the names in a directory are on the disk.
  static func synchronizeDirectory(_ path: String) throws(DiskError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard descriptor >= 0 else { throw DiskError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw DiskError("synchronise", path) }
  }

  /// Writes a file so that it is there whole or not at all.
  static func replace(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
    let new = path + ".new"
    try remove(new)
    let file = try AppendFile(new)
    try file.append(bytes)
    try rename(new, path)
    try synchronizeDirectory((path as NSString).deletingLastPathComponent)
  }
}

/// A directory that no other process may use, for as long as this lives.
final class DirectoryLock: Sendable {
  private let descriptor: Int32

  init(_ directory: String) throws(DiskError) {
    let path = directory + "/lock"
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw DiskError("open", path) }
    // `deinit` runs after a throw here, and closes the file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw DiskError("lock", path) }
  }

  deinit { close(descriptor) }
}
