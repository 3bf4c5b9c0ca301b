// Where a file is or will be: an open directory and a name in it. A path can lead elsewhere a moment later; an open
// directory cannot.

import CUnfinishedFiles
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file or directory whatever its name: links, bind mounts and `..` lead to the same one.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Of what a path leads to; nil if there is nothing.
  init?(path: String) { self.init(path: FilePath(path)) }

  init?(path: FilePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}

/// The end of a path with all its symbolic links followed, also of one whose file is not there yet.
final class FilePlace {
  let directory: Int32
  /// Ends with a zero.
  let name: [CChar]

  /// - Throws: if the directory is not there, or the path is that of a directory.
  init(_ path: String) throws(SystemError) {
    var base = AT_FDCWD
    var rest = Array(path.utf8)
    func failure(_ number: Int32) -> SystemError {
      if base != AT_FDCWD { close(base) }
      return SystemError(operation: "write", path: path, number: number)
    }
    guard !rest.isEmpty else { throw failure(ENOENT) }
    // As many as Linux follows.
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
        // Not a link, or not there: its end.
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

  /// What is there; nil if nothing is.
  var status: stat? {
    var status = stat()
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  func isSame(as other: FilePlace) -> Bool {
    var (own, others) = (stat(), stat())
    return fstat(directory, &own) == 0 && fstat(other.directory, &others) == 0
      && FileIdentity(own) == FileIdentity(others) && name == other.name
  }

  /// Waits until the names in the directory are on the disk; a system that cannot promise it has done what it can.
  func synchronizeDirectory() {
    let descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Opened for names alone: a directory may be one that cannot be listed.
  static let search = cuf_search_flag()

  private static func split(_ path: [UInt8]) -> (parent: [UInt8], last: [UInt8]) {
    guard let slash = path.lastIndex(of: 0x2F) else { return ([0x2E], path) }
    return (slash == 0 ? [0x2F] : Array(path[..<slash]), Array(path[(slash + 1)...]))
  }

  private static func text(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}
