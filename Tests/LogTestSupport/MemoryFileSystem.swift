// A file system in memory that knows what has reached the disk, and can tell what a loss of power would leave. It
// counts open descriptors, and closes of descriptors that are not open.

import EventLog
import Foundation

/// Files in memory; safe to use from several threads.
package final class MemoryFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: everything that changes is touched under `mutex` alone.
  let mutex = NSLock()
  var names: [String: MemoryFile] = [:]
  var durableNames: [String: MemoryFile] = [:]
  /// What was done to names since their directory was last synchronised, in order.
  var changes: [NameChange] = []
  var directories: Set<String> = ["/"]
  var durableDirectories: Set<String> = ["/"]
  private var open: [Int32: MemoryFile] = [:]
  private var nextDescriptor: Int32 = 1000
  private var strayCloses = 0
  /// The number of the last use of each name that was used.
  private var uses: [String: Int64] = [:]

  package init() {}

  package var openDescriptors: Int { mutex.withLock { open.count } }
  /// Closes of what was not open: another file's descriptor might have had the number.
  package var closesOfClosed: Int { mutex.withLock { strayCloses } }

  private func error(_ operation: String, _ path: String, _ number: Int32) -> FileError {
    FileError(operation: operation, path: path, errorNumber: number)
  }

  private func file(_ descriptor: Int32, _ operation: String) throws -> MemoryFile {
    guard let file = open[descriptor] else { throw error(operation, "descriptor \(descriptor)", EBADF) }
    return file
  }

  /// The directory that a name is in.
  static func directory(of path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// A directory as it is asked for: `..` at the end is the one above.
  private static func resolved(_ path: String) -> String {
    path.hasSuffix("/..") ? directory(of: String(path.dropLast(3))) : path
  }

  /// The bytes of a file by its name; setting them is a change that is on disk at once.
  package subscript(_ path: String) -> [UInt8]? {
    get { mutex.withLock { names[path]?.bytes } }
    set {
      mutex.withLock {
        let file = newValue.map { MemoryFile($0) }
        names[path] = file
        durableNames[path] = file
        directories.insert(Self.directory(of: path))
        durableDirectories.insert(Self.directory(of: path))
      }
    }
  }

  // MARK: FileSystem

  package func opened(at directory: String) throws -> any FileSystem {
    guard try isCurrent(directory) else { throw error("open", directory, ENOENT) }
    return self
  }

  package func isCurrent(_ directory: String) throws -> Bool { mutex.withLock { directories.contains(directory) } }

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    try mutex.withLock {
      var file = names[path]
      switch mode {
      case .read:
        if directories.contains(path) { file = MemoryFile() }
        if file == nil { throw error("open", path, ENOENT) }
      case .create, .scratch:
        guard file == nil else { throw error("open", path, EEXIST) }
      case .readWrite: break
      }
      let opened = file ?? MemoryFile()
      if file == nil, mode != .scratch {
        names[path] = opened
        changes.append(.create(path, opened))
      }
      nextDescriptor += 1
      open[nextDescriptor] = opened
      return nextDescriptor
    }
  }

  package func close(_ descriptor: Int32) throws {
    try mutex.withLock {
      guard let file = open.removeValue(forKey: descriptor) else {
        strayCloses += 1
        throw error("close", "descriptor \(descriptor)", EBADF)
      }
      if file.holder == descriptor { file.holder = nil }
    }
  }

  package func size(_ descriptor: Int32, path: String) throws -> Int {
    try mutex.withLock { try file(descriptor, "stat").bytes.count }
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String
  ) throws -> Int {
    try mutex.withLock {
      let bytes = try file(descriptor, "read").bytes
      let end = min(bytes.count, offset + buffer.count)
      guard offset < end else { return 0 }
      bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[offset..<end])) }
      return end - offset
    }
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws {
    try mutex.withLock { try file(descriptor, "write").perform(.write(Array(bytes), offset)) }
  }

  package func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    try mutex.withLock { try file(descriptor, "truncate").perform(.truncate(size)) }
  }

  package func synchronize(_ descriptor: Int32, path: String) throws {
    try mutex.withLock { try file(descriptor, "fsync").synchronize() }
  }

  package func synchronizeDirectory(_ path: String) throws {
    try mutex.withLock {
      let path = Self.resolved(path)
      guard directories.contains(path) else { throw error("open", path, ENOENT) }
      func isInside(_ name: String) -> Bool { Self.directory(of: name) == path }
      durableNames = durableNames.filter { !isInside($0.key) }
      for (name, file) in names where isInside(name) { durableNames[name] = file }
      changes.removeAll { isInside($0.name) }
      durableDirectories.formUnion(directories.filter(isInside))
    }
  }

  package func rename(_ from: String, to: String) throws {
    try mutex.withLock {
      guard let file = names.removeValue(forKey: from) else { throw error("rename", from, ENOENT) }
      names[to] = file
      changes.append(.rename(from, to, file))
    }
  }

  package func remove(_ path: String) throws {
    try mutex.withLock {
      guard names.removeValue(forKey: path) != nil else { throw error("unlink", path, ENOENT) }
      changes.append(.remove(path))
    }
  }

  package func list(_ directory: String) throws -> [String] {
    try mutex.withLock {
      guard directories.contains(directory) else { throw error("open", directory, ENOENT) }
      return names.keys.filter { Self.directory(of: $0) == directory }.map { String($0.dropFirst(directory.count + 1)) }
    }
  }

  @discardableResult
  package func makeDirectory(_ path: String) throws -> Bool { mutex.withLock { directories.insert(path).inserted } }

  package func removeDirectory(_ path: String) throws {
    try mutex.withLock {
      guard directories.contains(path) else { throw error("rmdir", path, ENOENT) }
      guard !names.keys.contains(where: { Self.directory(of: $0) == path }) else {
        throw error("rmdir", path, ENOTEMPTY)
      }
      directories.remove(path)
      durableDirectories.remove(path)
    }
  }

  package func isNamed(_ descriptor: Int32, path: String) throws -> Bool {
    try mutex.withLock {
      let file = try file(descriptor, "stat")
      return names[path] === file
    }
  }

  package func isShared(_ descriptor: Int32, path: String) throws -> Bool {
    try mutex.withLock {
      let file = try file(descriptor, "stat")
      return names.values.count { $0 === file } > 1
    }
  }

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    try mutex.withLock {
      let file = try file(descriptor, "lock")
      guard file.holder == nil || file.holder == descriptor else { return false }
      file.holder = descriptor
      return true
    }
  }

  package func lastUse(_ path: String) throws -> (bytes: Int, time: Int64) {
    try mutex.withLock {
      guard let file = names[path] else { throw error("stat", path, ENOENT) }
      return (file.bytes.count, uses[path] ?? 0)
    }
  }

  package func noteUse(_ path: String) throws {
    mutex.withLock { uses[path] = (uses.values.max() ?? 0) + 1 }
  }

  package func unlock(_ descriptor: Int32) {
    mutex.withLock {
      guard let file = try? file(descriptor, "unlock"), file.holder == descriptor else { return }
      file.holder = nil
    }
  }
}
