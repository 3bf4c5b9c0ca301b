// Files that are there whole, or as they were before, and on the disk when `close` has returned: plans, records of looks,
// results of commands.

import EventLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Written beside its place, and put there by `close`. A pipe or a device is written to directly.
package final class WholeFile {
  private let path: String
  private let replaces: Bool
  private var file: UnsafeMutablePointer<FILE>?
  /// What went wrong when it was written: then it is never closed as if it were whole.
  private var failed: SystemError?
  /// Where it is written, and what it replaces; nil if it is written to directly.
  private var temporary: (name: [CChar], target: String)?

  /// - Parameter replaces: whether a file that is there is replaced; its symbolic link stays and its mode is kept.
  package init(_ path: String, replaces: Bool = true) throws(SystemError) {
    self.path = path
    self.replaces = replaces
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, replaces, status.st_mode & S_IFMT != S_IFREG {
      guard status.st_mode & S_IFMT != S_IFDIR else {
        throw SystemError(operation: "write", path: path, number: EISDIR)
      }
      file = fopen(path, "w")
      if file == nil { throw failure() }
      return
    }
    // A file that may not be written to is not replaced either.
    if isThere, replaces, access(path, W_OK) != 0 { throw failure() }
    let target = replaces ? Self.resolved(path) : path
    var name = Array((target + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure() }
    fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.currentMask())
    temporary = (name, target)
    file = fdopen(descriptor, "w")
    // `fdopen` fails if memory does; the descriptor ends with the process.
    if file == nil { throw failure() }
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

  /// Only when this has returned does the file have everything.
  /// - Returns: false if a file is there that is not to be replaced; nothing was changed then.
  package func close() throws(SystemError) -> Bool {
    if let failed { throw failed }
    guard let file else { return true }
    var error = fflush(file) == 0 ? nil : failure()
    if error == nil, temporary != nil { error = synchronize(fileno(file)) }
    self.file = nil
    // The first failure says why.
    if fclose(file) != 0, error == nil { error = failure() }
    if let error {
      abandon()
      throw error
    }
    guard let (name, target) = temporary else { return true }
    // `abandon` takes the temporary name away, whatever it is a name of by then.
    defer { abandon() }
    if !replaces {
      if link(name, target) == 0 {
        synchronizeDirectory(of: target)
        return true
      }
      // Some file systems have no hard links.
      if errno == EEXIST || access(target, F_OK) == 0 { return false }
    }
    guard rename(name, target) == 0 else { throw failure() }
    temporary = nil
    synchronizeDirectory(of: target)
    return true
  }

  private func abandon() {
    if let file { fclose(file) }
    file = nil
    if let temporary { unlink(temporary.name) }
    temporary = nil
  }

  private func failure() -> SystemError { SystemError(operation: "write", path: path, number: errno) }

  /// What went wrong; nil if the bytes are on the disk.
  private func synchronize(_ descriptor: Int32) -> SystemError? {
    do {
      try SystemFileSystem().synchronize(descriptor, path: path)
      return nil
    } catch { return (error as? FileError).map { SystemError($0) } ?? failure() }
  }

  /// The name too is to last; a system that cannot promise it has done what it can.
  private func synchronizeDirectory(of target: String) {
    let slash = target.utf8.lastIndex(of: 0x2F)
    let directory = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
    try? SystemFileSystem().synchronizeDirectory(directory)
  }

  /// Where symbolic links lead: the link stays, what it names is replaced. The path itself if there is no such file.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func currentMask() -> mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }
}

extension WholeFile {
  /// Writes a small file at once.
  /// - Returns: false if a file is there that is not to be replaced; nothing was changed then.
  /// - Throws: `inputOutput`.
  static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(PermlogError) -> Bool {
    try translating {
      let file = try WholeFile(path, replaces: replaces)
      try bytes.withUnsafeBytes { try file.write($0) }
      return try file.close()
    }
  }
}
