// A file system in memory that knows what has reached the disk: what was not synchronised is lost in a
// crash. It counts open descriptors, and closes of descriptors that are not open.

import EventLog
import Foundation

/// Files in memory; safe to use from several threads.
package final class MemoryFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: everything that changes is touched under `mutex` alone.
  private final class File {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
    var holder: Int32?
  }

  private let mutex = NSLock()
  private var names: [String: File] = [:]
  private var durableNames: [String: File] = [:]
  /// Renames since their directory was last synchronised: the old name by the new one.
  private var renames: [String: String] = [:]
  private var directories: Set<String> = []
  private var open: [Int32: File] = [:]
  private var nextDescriptor: Int32 = 1000
  private var strayCloses = 0

  package init() {}

  package var openDescriptors: Int { mutex.withLock { open.count } }
  /// Closes of what was not open: another file's descriptor might have had the number.
  package var closesOfClosed: Int { mutex.withLock { strayCloses } }

  private func error(_ operation: String, _ path: String, _ number: Int32) -> FileError {
    FileError(operation: operation, path: path, errorNumber: number)
  }

  private func file(_ descriptor: Int32, _ operation: String) throws -> File {
    guard let file = open[descriptor] else { throw error(operation, "descriptor \(descriptor)", EBADF) }
    return file
  }

  // MARK: For tests

  /// What a crash leaves of the names.
  package enum Survivors: CaseIterable, Sendable {
    /// Names as they were when their directory was last synchronised.
    case synchronizedNames
    /// Names as they are, over data that may not be there.
    case allNames
    /// Renames have reached the disk, and names that are merely new have not.
    case renamesAlone
    /// Removals have reached the disk, and names that are new or renamed have not.
    case removalsAlone
  }

  /// The files after a loss of power: data that was not synchronised is gone.
  package func afterCrash(_ survivors: Survivors) -> MemoryFileSystem {
    copy(
      names: { files in
        guard survivors != .allNames else { return files.names }
        var names = files.durableNames
        if survivors == .removalsAlone { return names.filter { files.names[$0.key] != nil } }
        guard survivors == .renamesAlone else { return names }
        for (new, old) in files.renames {
          names[old] = nil
          names[new] = files.names[new]
        }
        return names
      }, bytes: { $0.durable })
  }

  /// The files as they are now, on a disk of their own.
  package func copy() -> MemoryFileSystem { copy(names: { $0.names }, bytes: { $0.bytes }) }

  private func copy(names: (MemoryFileSystem) -> [String: File], bytes: (File) -> [UInt8]) -> MemoryFileSystem {
    mutex.withLock {
      let other = MemoryFileSystem()
      other.directories = directories
      other.names = names(self).mapValues {
        let file = File()
        file.bytes = bytes($0)
        file.durable = file.bytes
        return file
      }
      other.durableNames = other.names
      return other
    }
  }

  package subscript(_ path: String) -> [UInt8]? {
    get { mutex.withLock { names[path]?.bytes } }
    set {
      mutex.withLock {
        guard let newValue else { return names[path] = nil }
        let file = names[path] ?? File()
        names[path] = file
        directories.insert(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
        file.bytes = newValue
        file.durable = newValue
      }
    }
  }

  // MARK: FileSystem

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    try mutex.withLock {
      var file = names[path]
      switch mode {
      case .read:
        if directories.contains(path) { file = File() }
        if file == nil { throw error("open", path, ENOENT) }
      case .create, .scratch:
        guard file == nil else { throw error("open", path, EEXIST) }
      case .readWrite: break
      }
      let opened = file ?? File()
      if mode == .create || mode == .readWrite { names[path] = opened }
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
    try mutex.withLock {
      let file = try file(descriptor, "write")
      let end = offset + bytes.count
      if file.bytes.count < end { file.bytes += [UInt8](repeating: 0, count: end - file.bytes.count) }
      file.bytes.replaceSubrange(offset..<end, with: bytes)
    }
  }

  package func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    try mutex.withLock {
      let file = try file(descriptor, "truncate")
      file.bytes = Array(file.bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - file.bytes.count))
    }
  }

  package func synchronize(_ descriptor: Int32, path: String) throws {
    try mutex.withLock {
      let file = try file(descriptor, "fsync")
      file.durable = file.bytes
    }
  }

  package func synchronizeDirectory(_ path: String) throws {
    try mutex.withLock {
      guard directories.contains(path) else { throw error("open", path, ENOENT) }
      durableNames = durableNames.filter { !$0.key.hasPrefix(path + "/") }
      for (name, file) in names where name.hasPrefix(path + "/") { durableNames[name] = file }
      renames = renames.filter { !$0.key.hasPrefix(path + "/") }
    }
  }

  package func rename(_ from: String, to: String) throws {
    try mutex.withLock {
      guard let file = names.removeValue(forKey: from) else { throw error("rename", from, ENOENT) }
      names[to] = file
      renames[to] = from
    }
  }

  package func remove(_ path: String) throws {
    try mutex.withLock {
      guard names.removeValue(forKey: path) != nil else { throw error("unlink", path, ENOENT) }
    }
  }

  package func list(_ directory: String) throws -> [String] {
    try mutex.withLock {
      guard directories.contains(directory) else { throw error("open", directory, ENOENT) }
      return names.keys.filter { $0.hasPrefix(directory + "/") }.map { String($0.dropFirst(directory.count + 1)) }
    }
  }

  package func makeDirectory(_ path: String) throws { _ = mutex.withLock { directories.insert(path) } }

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    try mutex.withLock {
      let file = try file(descriptor, "lock")
      guard file.holder == nil || file.holder == descriptor else { return false }
      file.holder = descriptor
      return true
    }
  }
}
