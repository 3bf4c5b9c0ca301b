// A log that is made for an ingest, and taken away again if nothing of it is committed.

/// What was made for a log that was not there. Its writer holds the lock.
struct NewLog {
  private let directory: LogDirectory
  private let lock: WriterLock
  /// Directories that were made, the outermost first.
  private let directories: [String]

  /// Takes the lock of a log that may have to be made first, with the directories above it.
  /// - Returns: the directory, opened, the lock, and what was made; nil if there was a log.
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

  /// Takes the lock. Where there are no locks a log that was to be made leaves nothing.
  private static func lock(_ directory: LogDirectory) throws -> WriterLock {
    do { return try WriterLock(directory) } catch let error as FileError where error.isOfLocks {
      do { _ = try directory.readManifest() } catch let missing as LogError where missing.code == .notFound {
        try? directory.files.remove(directory.file(LogDirectory.lockName))
      }
      throw error
    }
  }

  /// Takes away what was made, unless the log has been committed after all. Directories in which somebody else has put
  /// something stay, and so does everything if the disk fails, or if another's log is at the path by now: an empty log harms
  /// nobody.
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
  /// - Returns: those that were made, the outermost first.
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
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
