// The file system of the machine.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Calls that have the name of a method below.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags | O_CLOEXEC, 0o600) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }

/// System calls, restarted if a signal interrupted them.
package struct SystemFileSystem: FileSystem {
  package init() {}

  /// Most bytes of one call: some systems refuse more than an Int32 counts.
  private static let longest = 1 << 30

  private func fail(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, errorNumber: errno)
  }

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    let flags: Int32 =
      switch mode {
      case .read: O_RDONLY
      case .create, .scratch: O_RDWR | O_CREAT | O_EXCL
      case .readWrite: O_RDWR | O_CREAT
      }
    var descriptor: Int32
    repeat {
      descriptor = systemOpen(path, flags)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw fail("open", path) }
    if mode == .scratch {
      guard unlink(path) == 0 else {
        let error = fail("unlink", path)
        try? close(descriptor)
        throw error
      }
    }
    return descriptor
  }

  package func close(_ descriptor: Int32) throws {
    // After EINTR the descriptor is gone on Linux; closing again could close another file's.
    guard systemClose(descriptor) == 0 || errno == EINTR else { throw fail("close", "descriptor \(descriptor)") }
  }

  package func size(_ descriptor: Int32, path: String) throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fail("stat", path) }
    return Int(status.st_size)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String
  ) throws -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let n = pread(descriptor, base + done, min(buffer.count - done, Self.longest), off_t(offset + done))
      if n < 0 {
        if errno == EINTR { continue }
        throw fail("read", path)
      }
      if n == 0 { break }
      done += n
    }
    return done
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let n = pwrite(descriptor, base + done, min(bytes.count - done, Self.longest), off_t(offset + done))
      // Nothing written is no progress, and no error number comes with it.
      if n == 0 { throw FileError(operation: "write", path: path, errorNumber: EIO) }
      if n < 0 {
        if errno == EINTR { continue }
        throw fail("write", path)
      }
      done += n
    }
  }

  package func truncate(_ descriptor: Int32, to size: Int, path: String) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw fail("truncate", path) }
  }

  package func synchronize(_ descriptor: Int32, path: String) throws {
    #if canImport(Darwin)
      // fsync on Apple's systems does not reach the disk; F_FULLFSYNC does, if the volume knows it.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw fail("fsync", path) }
  }

  package func synchronizeDirectory(_ path: String) throws {
    let descriptor = try open(path, .read)
    defer { try? close(descriptor) }
    try synchronize(descriptor, path: path)
  }

  package func rename(_ from: String, to: String) throws {
    guard systemRename(from, to) == 0 else { throw fail("rename", from) }
  }

  package func remove(_ path: String) throws {
    guard unlink(path) == 0 else { throw fail("unlink", path) }
  }

  package func list(_ directory: String) throws -> [String] {
    guard let handle = opendir(directory) else { throw fail("open", directory) }
    defer { closedir(handle) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(handle) else {
        guard errno == 0 else { throw fail("list", directory) }
        return names
      }
      // In place: the entry may be shorter than the field, and a copy would read past it.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  @discardableResult
  package func makeDirectory(_ path: String) throws -> Bool {
    guard mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return false }
      throw fail("mkdir", path)
    }
    return true
  }

  package func removeDirectory(_ path: String) throws {
    guard rmdir(path) == 0 else { throw fail("rmdir", path) }
  }

  package func isNamed(_ descriptor: Int32, path: String) throws -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fail("stat", path) }
    return status.st_nlink > 0
  }

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return false }
      throw fail("lock", path)
    }
    return true
  }
}
