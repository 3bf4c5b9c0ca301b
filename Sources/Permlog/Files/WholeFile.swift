// Files that are written all or nothing, and are on the disk when `close` has returned: plans, records of looks,
// results of commands, rejected lines.

import CUnfinishedFiles
import EventLog
import PermissionEvents
import SystemCalls

/// Written to a temporary file in the same directory, which `close` renames to the final name. A pipe or a device is
/// written to directly.
package final class WholeFile {
  private let path: String
  private let replaces: Bool
  private let protected: ProtectedFiles
  private var file: UnsafeMutablePointer<FILE>?
  /// The error of an earlier write: the file then never gets its name.
  private var failed: SystemError?
  /// Nil if the target is written to directly.
  private var unfinished: UnfinishedFile?

  /// - Parameters:
  ///   - path: the file. Symbolic links are followed, even to a file that does not exist yet.
  ///   - protected: the files that it must not be.
  ///   - replaces: whether an existing file is replaced. Its mode is kept.
  ///   - isPrivate: only the owner may read the file, even if an earlier file had another mode.
  /// - Throws: `SystemError`, or a `PermlogError` if the path is a protected file.
  package init(
    _ path: String, besides protected: ProtectedFiles, replaces: Bool = true, isPrivate: Bool = false
  ) throws {
    self.path = path
    self.replaces = replaces
    self.protected = protected
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, replaces, status.st_mode & S_IFMT != S_IFREG {
      file = try openDirectly(status)
      return
    }
    let place = try FileLocation(path)
    try protected.checkLocation(place, path: path)
    // The kernel's name for an open file may lead to a file that no longer has a name.
    if isThere, place.status.map({ FileIdentity($0) }) != FileIdentity(status) {
      throw SystemError(operation: "write", path: path, number: ENOENT)
    }
    // A file that may not be written to must not be replaced either.
    if isThere, replaces, access(path, W_OK) != 0 { throw failure() }
    let (unfinished, descriptor) = try UnfinishedFile.make(beside: place, path: path)
    self.unfinished = unfinished
    if !isPrivate { fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.currentMask()) }
    file = fdopen(descriptor, "w")
    // `fdopen` fails if there is no memory; the descriptor ends with the process.
    if file == nil { throw failure() }
  }

  private func openDirectly(_ status: stat) throws -> UnsafeMutablePointer<FILE>? {
    if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(operation: "write", path: path, number: EISDIR) }
    // Writing to a device like /dev/null destroys nothing.
    if status.st_mode & S_IFMT != S_IFCHR { try protected.checkIdentity(FileIdentity(status), path: path) }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure() }
    var opened = stat()
    guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT != S_IFREG,
      let file = fdopen(descriptor, "w")
    else {
      // A regular file has replaced it since, and must not be emptied.
      try? SystemFileSystem().close(descriptor)
      throw SystemError(operation: "write", path: path, number: EAGAIN)
    }
    return file
  }

  deinit { abandon() }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard let file, fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else {
      let error = failed ?? failure()
      failed = error
      abandon()
      throw error
    }
  }

  /// The file is complete only when this has returned.
  /// - Returns: false if a file exists that must not be replaced; nothing was changed then.
  /// - Throws: as `init`; the path's target may have changed since.
  package func close() throws -> Bool {
    if let failed { throw failed }
    guard let file else { return true }
    var error = fflush(file) == 0 ? nil : failure()
    if error == nil, unfinished != nil { error = synchronize(fileno(file)) }
    self.file = nil
    // The first failure gives the reason.
    if fclose(file) != 0, error == nil { error = failure() }
    guard let unfinished else {
      if let error { throw error }
      return true
    }
    defer { abandon() }
    if let error { throw error }
    try protected.checkLocation(unfinished.place, path: path)
    let isPut: Bool
    do { isPut = try unfinished.put(replaces: replaces) } catch {
      throw SystemError(operation: "write", path: path, number: error.number)
    }
    guard isPut else { return false }
    self.unfinished = nil
    unfinished.place.synchronizeDirectory()
    return true
  }

  private func abandon() {
    if let file { fclose(file) }
    file = nil
    unfinished?.remove()
    unfinished = nil
  }

  private func failure() -> SystemError { SystemError(operation: "write", path: path, number: errno) }

  /// The error; nil if the bytes are on the disk.
  private func synchronize(_ descriptor: Int32) -> SystemError? {
    do {
      try SystemFileSystem().synchronize(descriptor, path: path)
      return nil
    } catch { return (error as? FileError).map { SystemError($0) } ?? failure() }
  }

  /// The target of symbolic links: the link stays, and its target is replaced. If there is no such file, the path
  /// itself.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    // As it is: the path of a file that is opened.
    return String(cString: real)
  }

  private static func currentMask() -> mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }

  /// Writes a small file at once.
  /// - Returns: false if a file exists that must not be replaced; nothing was changed then.
  /// - Throws: `inputOutput`, or `usage` if the path is a protected file.
  static func write(
    _ bytes: [UInt8], to path: String, besides protected: ProtectedFiles, replaces: Bool
  ) throws(PermlogError) -> Bool {
    try translating {
      let file = try WholeFile(path, besides: protected, replaces: replaces)
      try bytes.withUnsafeBytes { try file.write($0) }
      return try file.close()
    }
  }
}

// MARK: The name of a file that is being written: hidden, so that an ingest of its directory skips it. It is removed if a signal ends the process.
// After a power cut or SIGKILL, the name of the remaining file shows its purpose.

/// A new file next to the target: `.report.html.permlog-unfinished-k3xq81zz`.
struct UnfinishedFile {
  let place: FileLocation
  private let name: [CChar]
  private let number: Int32

  /// - Returns: the file, and its descriptor, open for writing.
  static func make(beside place: FileLocation, path: String) throws(SystemError) -> (UnfinishedFile, Int32) {
    while true {
      let name = makeName(place.name)
      // Before the file exists: a signal may come at any moment.
      let number = cuf_add(place.directory, name)
      let descriptor = openat(place.directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return (UnfinishedFile(place: place, name: name, number: number), descriptor) }
      let error = errno
      cuf_remove(number)
      if error != EEXIST && error != EINTR { throw SystemError(operation: "write", path: path, number: error) }
    }
  }

  private static func makeName(_ name: [CChar]) -> [CChar] {
    // Leaves room for the rest in 255 bytes, without cutting a character in two.
    var head = name.dropLast().prefix(200)
    if name.count > 201 {
      while let last = head.last, last < 0 {
        head.removeLast()
        // This was the character's first byte: the whole character is removed.
        if UInt8(bitPattern: last) >= 0xC0 { break }
      }
    }
    let letters = (0..<8).map { _ in CChar.random(in: 0x61...0x7A) }
    return [0x2E] + head + ".permlog-unfinished-".utf8.map { CChar(bitPattern: $0) } + letters + [0]
  }

  /// Renames it to its final name.
  /// - Returns: false if a file has that name and must not be replaced.
  func put(replaces: Bool) throws(SystemError) -> Bool {
    let directory = place.directory
    if !replaces {
      if linkat(directory, name, directory, place.name, 0) == 0 {
        remove()
        return true
      }
      // Some file systems have no hard links.
      if errno == EEXIST || place.status != nil { return false }
    }
    guard renameat(directory, name, directory, place.name) == 0 else {
      throw SystemError(operation: "write", path: "", number: errno)
    }
    cuf_remove(number)
    return true
  }

  func remove() {
    unlinkat(place.directory, name, 0)
    cuf_remove(number)
  }
}

// MARK: The location of a file, existing or not: an open directory and a name in it. A path can lead elsewhere a moment later;
// an open directory cannot.

/// A file or directory, under any name: links, bind mounts and `..` lead to the same one.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The identity of the path's target; nil if there is no such file.
  init?(path: String) { self.init(path: FilePath(path)) }

  init?(path: FilePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}

/// The last component of a path with all its symbolic links followed, even if the file does not exist yet.
final class FileLocation {
  let directory: Int32
  /// Ends with a zero.
  let name: [CChar]

  /// - Throws: if the directory does not exist, or if the path is a directory.
  init(_ path: String) throws(SystemError) {
    var base = AT_FDCWD
    var rest = Array(path.utf8)
    func failure(_ number: Int32) -> SystemError {
      if base != AT_FDCWD { close(base) }
      return SystemError(operation: "write", path: path, number: number)
    }
    guard !rest.isEmpty else { throw failure(ENOENT) }
    // Linux follows the same number.
    for _ in 0..<40 {
      guard !rest.contains(0) else { throw failure(EINVAL) }
      let (parent, last) = Self.split(rest)
      if last.isEmpty || last == [0x2E] || last == [0x2E, 0x2E] { throw failure(EISDIR) }
      let opened = openat(base, Self.text(parent), Self.search | O_DIRECTORY | O_CLOEXEC)
      guard opened >= 0 else { throw failure(errno) }
      if base != AT_FDCWD { close(base) }
      base = opened
      let name = Self.text(last)
      var link = [CChar](repeating: 0, count: 1 << 12)
      let length = readlinkat(base, name, &link, link.count)
      guard length >= 0 else {
        // It is not a link or does not exist: the path ends here.
        guard errno == EINVAL || errno == ENOENT else { throw failure(errno) }
        directory = base
        self.name = name
        return
      }
      guard length > 0, length < link.count else { throw failure(ENAMETOOLONG) }
      rest = link[..<length].map { UInt8(bitPattern: $0) }
    }
    throw failure(ELOOP)
  }

  deinit { close(directory) }

  var status: stat? {
    var status = stat()
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  func isSame(as other: FileLocation) -> Bool {
    var (own, others) = (stat(), stat())
    return fstat(directory, &own) == 0 && fstat(other.directory, &others) == 0
      && FileIdentity(own) == FileIdentity(others) && name == other.name
  }

  /// Waits until the names in the directory are on the disk. If the system cannot promise that, errors are ignored.
  func synchronizeDirectory() {
    let descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Opens a directory only for its names: it may be one that cannot be listed.
  static let search = cuf_search_flag()

  private static func split(_ path: [UInt8]) -> (parent: [UInt8], last: [UInt8]) {
    guard let slash = path.lastIndex(of: 0x2F) else { return ([0x2E], path) }
    return (slash == 0 ? [0x2F] : Array(path[..<slash]), Array(path[(slash + 1)...]))
  }

  private static func text(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}
