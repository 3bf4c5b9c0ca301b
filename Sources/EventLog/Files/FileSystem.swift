// The system calls that the log makes, as a protocol, so that tests can let any of them fail.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package struct FileError: Error, Sendable {
  package let operation: String
  package let path: String
  package let errorNumber: Int32
  /// The kind of file under a name of the log that should lead to a plain file; nil for other errors.
  package let found: String?

  package init(operation: String, path: String, errorNumber: Int32, found: String? = nil) {
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
    self.found = found
  }

  var isMissingFile: Bool { errorNumber == ENOENT }
  var isExistingFile: Bool { errorNumber == EEXIST }

  /// Whether the file system does not allow synchronising, rather than a failing disk.
  var isOfThePlace: Bool { [EINVAL, ENOTSUP, EROFS, EACCES, EPERM].contains(errorNumber) }

  /// Whether the file system has no locks.
  var isOfLocks: Bool { operation == "lock" && [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errorNumber) }

  /// Whether one file is bad and the others need not be: a failing disk, another kind of file under its name.
  var isOfTheFile: Bool { found != nil || [EIO, EISDIR, ELOOP, ENOTDIR].contains(errorNumber) }

  /// The system's words, or the kind of file that was found.
  var reason: String { found.map { "it is \($0)" } ?? String(cString: strerror(errorNumber)) }

  /// The sentence for a person: what failed, where, and what to do.
  package var sentence: String {
    if let found {
      return "cannot \(operation) \(path): it is \(found), but each file of a log must be a plain file. Put the file "
        + "itself there. If it is the lock, remove it: the next writer makes one."
    }
    if isOfLocks {
      return
        "cannot lock \(path): \(reason). The log's file system does not support locks: put the log on a local disk, "
        + "or mount its file system with locks."
    }
    let advice =
      switch errorNumber {
      case ENOSPC, EDQUOT: "The disk is full: free some space and try again."
      case EACCES, EPERM, EROFS: "Check who owns the file and its directory, and that they can be written."
      case EMFILE, ENFILE: "Too many files are open: raise `ulimit -n` and try again."
      case ENOENT: "Check the path."
      default: "Check the disk and try again."
      }
    return "cannot \(operation) \(path): \(reason). \(advice)"
  }
}

package enum OpenMode: Sendable {
  case read
  /// Made new; an error if it exists.
  case create
  /// For the lock: made if it is missing, read and written.
  case readWrite
  /// Made new and without a name that outlives the process.
  case scratch
}

/// The files and directories of a log. Offsets and sizes in bytes. Every call may throw a `FileError`.
package protocol FileSystem: Sendable {
  /// The same files, with all names looked up in the directory at the path now, even if the path changes. There a name
  /// must be a plain file, or opening it fails: links are not followed, and opening never blocks.
  func opened(at directory: String) throws -> any FileSystem
  /// Whether the path of the directory that was opened still leads to it.
  func isCurrent(_ directory: String) throws -> Bool
  func open(_ path: String, _ mode: OpenMode) throws -> Int32
  func close(_ descriptor: Int32) throws
  func size(_ descriptor: Int32, path: String) throws -> Int
  /// Reads until the buffer is full or the file ends; the number of bytes read.
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String) throws -> Int
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws
  func truncate(_ descriptor: Int32, to size: Int, path: String) throws
  /// Returns when data and size have reached the disk.
  func synchronize(_ descriptor: Int32, path: String) throws
  /// Returns when the names in a directory have reached the disk.
  func synchronizeDirectory(_ path: String) throws
  func rename(_ from: String, to: String) throws
  func remove(_ path: String) throws
  /// Names in a directory, without `.` and `..`, in no order.
  func list(_ directory: String) throws -> [String]
  /// Makes a directory; nothing if there is one. The name is in the directory above.
  /// - Returns: whether it was made.
  @discardableResult
  func makeDirectory(_ path: String) throws -> Bool
  func removeDirectory(_ path: String) throws
  /// False if the name does not lead to the file any more: it was removed or replaced after it had been opened.
  func isNamed(_ descriptor: Int32, path: String) throws -> Bool
  /// Whether the file has a second name, perhaps elsewhere.
  func isShared(_ descriptor: Int32, path: String) throws -> Bool
  /// Takes the lock of a file for this process; false if another has it.
  func lock(_ descriptor: Int32, path: String) throws -> Bool
  /// The size of a file in bytes, and when it was last written or used, in nanoseconds since 1970.
  func lastUse(_ path: String) throws -> (bytes: Int, time: Int64)
  /// Notes that a file is used now.
  func noteUse(_ path: String) throws
  /// Gives a lock back. Closing alone does not while a process that this one is just starting has a copy of the descriptor.
  func unlock(_ descriptor: Int32)
}

// MARK: The file system of the machine

// Calls that have the name of a method below.
private func systemOpen(_ place: Location, _ flags: Int32) -> Int32 {
  openat(place.directory, place.name, flags | O_CLOEXEC, 0o600)
}
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// A name, and the descriptor of the directory that it is in.
private typealias Location = (directory: Int32, name: String)

/// System calls, restarted if a signal interrupted them.
package struct SystemFileSystem: FileSystem {
  /// The directory in which names are looked up; nil to use paths directly.
  private let directory: OpenDirectory?
  /// For files of one process that need not outlive it: nothing waits for the disk, and no other process needs to be locked out.
  private let isScratch: Bool

  package init(isScratch: Bool = false) { self.init(nil, isScratch: isScratch) }

  private init(_ directory: OpenDirectory?, isScratch: Bool) {
    (self.directory, self.isScratch) = (directory, isScratch)
  }

  /// Most bytes of one call: some systems refuse more than an Int32 counts.
  private static let longest = 1 << 30

  private func fail(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, errorNumber: errno)
  }

  /// A path as the system is given it: a name in the directory that was opened, or the path.
  private func place(_ path: String) -> Location {
    guard let directory else { return (AT_FDCWD, path) }
    if path == directory.path { return (directory.descriptor, ".") }
    guard path.utf8.starts(with: directory.prefix) else { return (AT_FDCWD, path) }
    return (directory.descriptor, String(path[path.utf8.index(path.startIndex, offsetBy: directory.prefix.count)...]))
  }

  package func opened(at directory: String) throws -> any FileSystem {
    let descriptor = try open((AT_FDCWD, directory), O_RDONLY | O_DIRECTORY | O_NONBLOCK, path: directory)
    return SystemFileSystem(OpenDirectory(path: directory, descriptor: descriptor), isScratch: isScratch)
  }

  package func isCurrent(_ directory: String) throws -> Bool {
    guard let opened = self.directory else { return true }
    return try leads((AT_FDCWD, directory), to: opened.descriptor, path: directory, flags: 0)
  }

  package func isNamed(_ descriptor: Int32, path: String) throws -> Bool {
    try leads(place(path), to: descriptor, path: path, flags: AT_SYMLINK_NOFOLLOW)
  }

  package func isShared(_ descriptor: Int32, path: String) throws -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fail("stat", path) }
    return status.st_nlink > 1
  }

  /// Whether a name leads to the open file.
  private func leads(_ place: Location, to descriptor: Int32, path: String, flags: Int32) throws -> Bool {
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0 else { throw fail("stat", path) }
    guard fstatat(place.directory, place.name, &named, flags) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw fail("stat", path)
    }
    return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }

  private func open(_ place: Location, _ flags: Int32, path: String) throws -> Int32 {
    while true {
      let descriptor = systemOpen(place, flags)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw fail("open", path) }
    }
  }

  package func open(_ path: String, _ mode: OpenMode) throws -> Int32 {
    let flags: Int32 =
      switch mode {
      case .read: O_RDONLY
      case .create, .scratch: O_RDWR | O_CREAT | O_EXCL
      case .readWrite: O_RDWR | O_CREAT
      }
    let place = place(path)
    let descriptor: Int32
    if place.directory == AT_FDCWD {
      descriptor = try open(place, flags, path: path)
    } else {
      do {
        descriptor = try open(place, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, path: path)
      } catch {
        // The system's own reasons (too many links, no such device) do not name the kind of file.
        var status = stat()
        let isThere = fstatat(place.directory, place.name, &status, AT_SYMLINK_NOFOLLOW) == 0
        if isThere, mode != .create, mode != .scratch { try requirePlainFile(status, path: path) }
        throw error
      }
      do {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw fail("stat", path) }
        try requirePlainFile(status, path: path)
      } catch {
        try? close(descriptor)
        throw error
      }
    }
    if mode == .scratch {
      guard unlinkat(place.directory, place.name, 0) == 0 else {
        let error = fail("unlink", path)
        try? close(descriptor)
        throw error
      }
    }
    return descriptor
  }

  private func requirePlainFile(_ status: stat, path: String) throws {
    let found: String
    switch UInt32(status.st_mode) & 0o170_000 {
    case 0o100_000: return
    case 0o120_000: found = "a symbolic link"
    case 0o010_000: found = "a named pipe"
    case 0o040_000: found = "a directory"
    case 0o140_000: found = "a socket"
    default: found = "a device"
    }
    throw FileError(operation: "open", path: path, errorNumber: EINVAL, found: found)
  }

  package func close(_ descriptor: Int32) throws {
    // After EINTR the descriptor is already closed on Linux; closing it again could close another file's.
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
      // Writing no bytes is no progress, but gives no error number.
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
    if isScratch { return }
    #if canImport(Darwin)
      // fsync on Apple's systems does not reach the disk; F_FULLFSYNC does, if the volume knows it.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw fail("fsync", path) }
  }

  package func synchronizeDirectory(_ path: String) throws {
    if isScratch { return }
    if let directory, path == directory.path { return try synchronize(directory.descriptor, path: path) }
    let descriptor = try open(place(path), O_RDONLY, path: path)
    defer { try? close(descriptor) }
    try synchronize(descriptor, path: path)
  }

  package func rename(_ from: String, to: String) throws {
    let (old, new) = (place(from), place(to))
    guard renameat(old.directory, old.name, new.directory, new.name) == 0 else { throw fail("rename", from) }
  }

  package func remove(_ path: String) throws {
    let place = place(path)
    guard unlinkat(place.directory, place.name, 0) == 0 else { throw fail("unlink", path) }
  }

  package func list(_ directory: String) throws -> [String] {
    let descriptor = try open(place(directory), O_RDONLY | O_DIRECTORY, path: directory)
    guard let handle = fdopendir(descriptor) else {
      let error = fail("open", directory)
      try? close(descriptor)
      throw error
    }
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
        String(bounded: bytes.prefix { $0 != 0 })
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

  package func lock(_ descriptor: Int32, path: String) throws -> Bool {
    while !isScratch, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return false }
      throw fail("lock", path)
    }
    return true
  }

  package func lastUse(_ path: String) throws -> (bytes: Int, time: Int64) {
    let place = place(path)
    var status = stat()
    guard fstatat(place.directory, place.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw fail("stat", path) }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return (Int(status.st_size), Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  package func noteUse(_ path: String) throws {
    let place = place(path)
    // Without times, these are now.
    guard utimensat(place.directory, place.name, nil, AT_SYMLINK_NOFOLLOW) == 0 else { throw fail("utimens", path) }
  }

  package func unlock(_ descriptor: Int32) {
    if !isScratch { _ = flock(descriptor, LOCK_UN) }
  }
}

/// The directory of a log, opened once: all of its files are looked up in it. Closed with its last owner.
private final class OpenDirectory: Sendable {
  let path: String
  /// The path and a slash: what the paths of its files begin with.
  let prefix: [UInt8]
  let descriptor: Int32

  init(path: String, descriptor: Int32) {
    self.path = path
    prefix = Array((path + "/").utf8)
    self.descriptor = descriptor
  }

  deinit { _ = systemClose(descriptor) }
}
