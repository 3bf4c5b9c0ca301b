// Files that are there whole, or as they were before, and on the disk when `close` has returned: plans, records of looks,
// results of commands, rejected lines.

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
  private let protected: ProtectedFiles
  private var file: UnsafeMutablePointer<FILE>?
  /// What went wrong when it was written: then it is never closed as if it were whole.
  private var failed: SystemError?
  /// Nil if it is written to directly.
  private var unfinished: UnfinishedFile?

  /// - Parameters:
  ///   - path: symbolic links are followed, also to a file that is not there yet.
  ///   - protected: what it must not be.
  ///   - replaces: whether a file that is there is replaced; its mode is kept.
  ///   - isPrivate: only the owner may read it, whatever was there before.
  /// - Throws: `SystemError`, or a `PermlogError` if the path is that of something protected.
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
    let place = try FilePlace(path)
    try protected.check(place, path: path)
    // A name of the kernel's for an open file can lead to one that has no name any more.
    if isThere, place.status.map({ FileIdentity($0) }) != FileIdentity(status) {
      throw SystemError(operation: "write", path: path, number: ENOENT)
    }
    // A file that may not be written to is not replaced either.
    if isThere, replaces, access(path, W_OK) != 0 { throw failure() }
    let (unfinished, descriptor) = try UnfinishedFile.make(beside: place, path: path)
    self.unfinished = unfinished
    if !isPrivate { fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.currentMask()) }
    file = fdopen(descriptor, "w")
    // `fdopen` fails if memory does; the descriptor ends with the process.
    if file == nil { throw failure() }
  }

  private func openDirectly(_ status: stat) throws -> UnsafeMutablePointer<FILE>? {
    if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(operation: "write", path: path, number: EISDIR) }
    // What is written to a device like /dev/null takes nothing away.
    if status.st_mode & S_IFMT != S_IFCHR { try protected.check(FileIdentity(status), path: path) }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure() }
    var opened = stat()
    guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT != S_IFREG,
      let file = fdopen(descriptor, "w")
    else {
      // A file has taken its place since, and is not emptied.
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

  /// Only when this has returned does the file have everything.
  /// - Returns: false if a file is there that is not to be replaced; nothing was changed then.
  /// - Throws: as `init`; what the path leads to may have changed since.
  package func close() throws -> Bool {
    if let failed { throw failed }
    guard let file else { return true }
    var error = fflush(file) == 0 ? nil : failure()
    if error == nil, unfinished != nil { error = synchronize(fileno(file)) }
    self.file = nil
    // The first failure says why.
    if fclose(file) != 0, error == nil { error = failure() }
    guard let unfinished else {
      if let error { throw error }
      return true
    }
    defer { abandon() }
    if let error { throw error }
    try protected.check(unfinished.place, path: path)
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

  /// What went wrong; nil if the bytes are on the disk.
  private func synchronize(_ descriptor: Int32) -> SystemError? {
    do {
      try SystemFileSystem().synchronize(descriptor, path: path)
      return nil
    } catch { return (error as? FileError).map { SystemError($0) } ?? failure() }
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
  /// - Throws: `inputOutput`, or `usage` if the path is that of something protected.
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
