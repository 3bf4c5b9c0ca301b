// A log that need not outlive the process: its directory, and a file system that waits for no disk.

import CUnfinishedFiles
import EventLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory of scratch files, `permlog-scratch-` and letters, which its owner alone can read. It is gone with its last owner,
/// and on Linux also if SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGXCPU ends the process; one that is left by SIGKILL, a crash or a power cut
/// says by its name what it is.
final class ScratchDirectory {
  static let prefix = "permlog-scratch-"

  let path: String
  private let parent: Int32
  private let name: String
  private let number: Int32

  /// - Parameter base: a directory that can be written to.
  init(in base: String) throws(PermlogError) {
    func failure(_ number: Int32) -> PermlogError {
      PermlogError(
        .inputOutput, "\(base): cannot make a directory in it: \(systemText(number)). Name another directory.",
        argument: .scratch, cause: SystemError(operation: "mkdir", path: base, number: number))
    }
    let parent = open(base, FilePlace.search | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw failure(errno) }
    while true {
      let letters = (0..<12).map { _ in UInt8.random(in: 0x61...0x7A) }
      let name = Self.prefix + String(decoding: letters, as: UTF8.self)
      // Before it is there: a signal may come at any moment.
      let number = cuf_add_directory(parent, name)
      if mkdirat(parent, name, 0o700) == 0 {
        (self.parent, self.name, self.number) = (parent, name, number)
        path = base.hasSuffix("/") ? base + name : base + "/" + name
        return
      }
      let error = errno
      cuf_remove(number)
      guard error == EEXIST else {
        close(parent)
        throw failure(error)
      }
    }
  }

  /// Removes it with its files.
  /// - Returns: false if something of it stays.
  @discardableResult
  func remove() -> Bool {
    let files = SystemFileSystem()
    for name in (try? files.list(path)) ?? [] { try? files.remove(path + "/" + name) }
    guard unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { return false }
    return true
  }

  deinit {
    remove()
    cuf_remove(number)
    close(parent)
  }
}

/// The machine's file system for files of one process: nothing waits for the disk, and nobody else is there to be locked out.
struct ScratchFileSystem: FileSystem {
  private let files: any FileSystem

  init(_ files: any FileSystem = SystemFileSystem()) { self.files = files }

  func opened(at directory: String) throws -> any FileSystem { ScratchFileSystem(try files.opened(at: directory)) }

  func synchronize(_ descriptor: Int32, path: String) throws {}
  func synchronizeDirectory(_ path: String) throws {}
  func lock(_ descriptor: Int32, path: String) throws -> Bool { true }

  func isCurrent(_ directory: String) throws -> Bool { try files.isCurrent(directory) }
  func open(_ path: String, _ mode: OpenMode) throws -> Int32 { try files.open(path, mode) }
  func close(_ descriptor: Int32) throws { try files.close(descriptor) }
  func size(_ descriptor: Int32, path: String) throws -> Int { try files.size(descriptor, path: path) }
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String
  ) throws -> Int {
    try files.read(descriptor, into: buffer, at: offset, path: path)
  }
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws {
    try files.write(descriptor, bytes, at: offset, path: path)
  }
  func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    try files.truncate(descriptor, to: size, path: path)
  }
  func rename(_ from: String, to: String) throws { try files.rename(from, to: to) }
  func remove(_ path: String) throws { try files.remove(path) }
  func list(_ directory: String) throws -> [String] { try files.list(directory) }
  func makeDirectory(_ path: String) throws -> Bool { try files.makeDirectory(path) }
  func removeDirectory(_ path: String) throws { try files.removeDirectory(path) }
  func isNamed(_ descriptor: Int32, path: String) throws -> Bool { try files.isNamed(descriptor, path: path) }
  func isShared(_ descriptor: Int32, path: String) throws -> Bool { try files.isShared(descriptor, path: path) }
}
