// Small files that are there whole or not at all, and on the disk when the call returns.

import EventLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum NewFile {
  /// Writes a file beside its place and puts it there.
  /// - Parameter replaces: whether a file that is there is replaced; its symbolic link stays and its mode is kept.
  /// - Returns: false if a file is there that is not to be replaced; nothing was changed then.
  /// - Throws: `inputOutput`.
  static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(PermlogError) -> Bool {
    let target = replaces ? resolved(path) : path
    var name = Array((target + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure("write", path) }
    let temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var isThere = true
    defer { if isThere { unlink(temporary) } }
    do {
      defer { close(descriptor) }
      fchmod(descriptor, mode(target))
      let files = SystemFileSystem()
      try bytes.withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
      try files.synchronize(descriptor, path: path)
    } catch { throw PermlogError(error) }
    if replaces {
      guard rename(temporary, target) == 0 else { throw failure("write", path) }
      isThere = false
    } else if link(temporary, target) != 0 {
      if errno == EEXIST { return false }
      // Some file systems have no hard links.
      guard access(target, F_OK) != 0 else { return false }
      guard rename(temporary, target) == 0 else { throw failure("write", path) }
      isThere = false
    }
    try? SystemFileSystem().synchronizeDirectory(directory(of: target))
    return true
  }

  private static func failure(_ operation: String, _ path: String) -> PermlogError {
    PermlogError(FileError(operation: operation, path: path, errorNumber: errno))
  }

  /// The mode of the file that is there, else what the process gives new files.
  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    if stat(path, &status) == 0 { return status.st_mode & 0o7777 }
    let mask = umask(0)
    umask(mask)
    return 0o666 & ~mask
  }

  /// Where symbolic links lead.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
