// A log that is made for an ingest, and taken away again if nothing of it is committed.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The directories and files that were made for a new log. Its writer holds the lock.
struct NewLog {
  private let directory: LogDirectory
  private let lock: WriterLock
  /// Directories that were made, the outermost first.
  private let directories: [String]

  /// Takes the lock of a log that may have to be made first, with the directories above it.
  /// - Returns: the opened directory, the lock, and the new log, or nil if the log existed.
  static func open(_ path: LogDirectory) throws -> (LogDirectory, WriterLock, NewLog?) {
    let directories = try path.files.makeDirectories(path.path)
    do {
      let directory = try path.opened()
      try directory.checkIsLogOrEmpty()
      let lock = try lock(directory)
      do {
        _ = try directory.readManifest()
        return (directory, lock, nil)
      } catch let error as LogError where error.code == .notFound {
        let new = NewLog(directory: directory, lock: lock, directories: directories)
        do {
          try directory.create(holding: lock)
          return (directory, lock, new)
        } catch {
          new.remove()
          throw error
        }
      }
    } catch {
      path.files.remove(directories)
      throw error
    }
  }

  /// Takes the lock. Without support for locks, a new log leaves no files.
  private static func lock(_ directory: LogDirectory) throws -> WriterLock {
    do { return try WriterLock(directory) } catch let error as FileError where error.isOfLocks {
      do { _ = try directory.readManifest() } catch let missing as LogError where missing.code == .notFound {
        try? directory.files.remove(directory.file(LogDirectory.lockName))
      }
      throw error
    }
  }

  /// Removes the new log, unless it was committed after all. Directories with other files stay. Everything stays if the
  /// disk fails, or if another log is at the path by now: an empty log does no harm.
  func remove() {
    do {
      try lock.prove()
      guard try !isCommitted() else { return }
      // Parts first and for good: a part without a manifest would look like damage.
      try directory.removeLeftovers(Manifest())
      for name in [Manifest.fileName, LogDirectory.lockName]
      where try directory.files.list(directory.path).contains(name) {
        try directory.files.remove(directory.file(name))
      }
      try directory.files.synchronizeDirectory(directory.path)
      directory.files.remove(directories)
    } catch {}
  }

  private func isCommitted() throws -> Bool {
    do {
      return try directory.readManifest() != Manifest()
    } catch let error as LogError where error.code == .notFound {
      return false
    }
  }
}

extension FileSystem {
  /// Removes directories that are empty, the last first.
  fileprivate func remove(_ directories: [String]) {
    for path in directories.reversed() {
      do { try removeDirectory(path) } catch { return }
    }
  }

  /// Makes a directory and those above it that are missing.
  /// - Returns: the directories that were made, the outermost first.
  fileprivate func makeDirectories(_ path: String) throws -> [String] {
    do {
      return try makeDirectory(path) ? [path] : []
    } catch let error as FileError where error.isMissingFile {
      guard let parent = parent(of: path) else { throw error }
      let made = try makeDirectories(parent)
      do {
        // Their names must be on the disk before the log is.
        if !made.isEmpty { try synchronizeDirectory(parent + "/..") }
        return made + (try makeDirectory(path) ? [path] : [])
      } catch {
        for path in made.reversed() { try? removeDirectory(path) }
        throw error
      }
    }
  }

  /// The path without its last component; nil if it has one alone.
  private func parent(of path: String) -> String? {
    var bytes = Array(path.utf8)
    while bytes.last == 0x2F { bytes.removeLast() }
    guard let slash = bytes.lastIndex(of: 0x2F) else { return nil }
    bytes.removeLast(bytes.count - slash)
    while bytes.last == 0x2F { bytes.removeLast() }
    // As it is: the path of a directory that is opened.
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: One writer at a time
// The kernel holds the lock for the process and drops it when the process ends, however it ends; the text in the file
// only names the holder. It has a checksum, since a writer that was killed leaves it there.

/// The lock of a log; held until `release`.
final class WriterLock {
  private let directory: LogDirectory
  private var file: OpenFile?

  /// Takes the lock at once or throws `locked`, naming the process that has it.
  /// - Parameter directory: of the log, opened.
  init(_ directory: LogDirectory) throws {
    self.directory = directory
    let file = try Self.locked(directory)
    do {
      try file.truncate(to: 0)
      try file.write(LockText.encode(process: getpid()), at: 0)
    } catch {
      // Half a text would look like damage.
      try? file.truncate(to: 0)
      throw error
    }
    self.file = file
  }

  private static func locked(_ directory: LogDirectory) throws -> OpenFile {
    // The loop is limited, in case another process makes and removes the log endlessly.
    for _ in 0..<100 {
      let file = try OpenFile(directory.file(LogDirectory.lockName), .readWrite, directory.files)
      guard try file.lock() else {
        let holder = LockText.holder(try file.read(LockText.longest, at: 0)) ?? "just started"
        throw LogError(.locked, "\(directory.path): another permlog writes to this log (\(holder))", .tryLater)
      }
      // A writer that removes its new log also removes the lock's name. A lock without a name locks no one out.
      guard try file.isNamed() else {
        try file.close()
        continue
      }
      // Nothing is emptied that no writer has left.
      let size = try file.size()
      guard size <= LockText.longest, LockText.isLeft(try file.read(size, at: 0)) else {
        throw LogError(
          .damaged,
          "\(file.path): it has \(size) bytes and is not a lock. Move it elsewhere; the next writer makes a lock")
      }
      guard try file.isShared() else { return file }
      try replaceShared(directory)
      try file.close()
    }
    throw LogError(.locked, "\(directory.path): its lock was replaced each time permlog took it", .tryLater)
  }

  /// Replaces a lock that has a second name, as in a copy of the log made of hard links: text written to it would be in
  /// both, and a writer of the copy would lock out writers of this log. Only the holder of the old lock calls this. The
  /// next holder of the old lock finds that it has lost its name.
  private static func replaceShared(_ directory: LogDirectory) throws {
    let name = directory.file(LogDirectory.spillPrefix + "lock")
    // Of a writer that was interrupted here.
    try? directory.files.remove(name)
    let new = try OpenFile(name, .create, directory.files)
    do { try directory.files.rename(name, to: directory.file(LogDirectory.lockName)) } catch {
      new.discard()
      throw error
    }
    try new.close()
  }

  /// Throws unless the path of the log leads to the directory in which the lock was taken, and the lock's name there to
  /// the lock. Otherwise this writer locks no one out, and another writer may replace its commit.
  func prove() throws {
    guard try directory.files.isCurrent(directory.path) else {
      throw LogError(
        .inputOutput,
        "\(directory.path): the directory was moved or replaced while this permlog wrote to it; nothing was stored. "
          + "Check what the path now leads to, and run the same command again.")
    }
    guard let file, try file.isNamed() else {
      throw LogError(
        .inputOutput,
        "\(directory.file(LogDirectory.lockName)): it was removed or replaced while this permlog wrote to the log, "
          + "so another writer may be active; nothing was stored. Run the same command again.")
    }
  }

  /// False if another writer may be active in the locked directory.
  var isProven: Bool { (try? prove()) != nil }

  /// Empties the file and lets the lock go.
  func release() {
    guard let held = file else { return }
    file = nil
    try? held.truncate(to: 0)
    try? held.close()
  }

  deinit { release() }
}

/// The content of the file of a lock that is held: the process, and a checksum as a manifest has it.
enum LockText {
  /// Bytes that no text of a lock exceeds.
  static let longest = 64

  static func encode(process: Int32) -> [UInt8] {
    let bytes = Array("process \(process)\n".utf8)
    return bytes + Manifest.checksumLine(of: bytes)
  }

  /// The holder of the lock: "process" and its number. Nil if `encode` does not write such bytes.
  static func holder(_ bytes: [UInt8]) -> String? {
    let line = String(bounded: bytes.prefix { $0 != 0x0A })
    guard let process = Int32(line.dropFirst(8)), encode(process: process) == bytes else { return nil }
    return line
  }

  /// Whether a writer that was killed, or a loss of power, can leave these bytes: its text, the beginning of it, zeros,
  /// or nothing.
  static func isLeft(_ bytes: [UInt8]) -> Bool {
    if bytes.allSatisfy({ $0 == 0 }) { return true }
    let line = String(bounded: bytes.prefix { $0 != 0x0A })
    guard line.utf8.count > 8 else { return "process ".utf8.starts(with: bytes) }
    guard let process = Int32(line.dropFirst(8)) else { return false }
    return encode(process: process).starts(with: bytes)
  }
}
